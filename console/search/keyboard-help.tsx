import { Group, Kbd, Table } from '@mantine/core'
import { TableHead } from '../tables/table-head.js'
import { useSearchWords } from '../words/search.js'
import { Dialog } from '../writes/dialog.js'

const keys = [
  { of: 'search', keys: ['Ctrl', 'K'] },
  { of: 'search', keys: ['/'] },
  { of: 'help', keys: ['?'] },
  { of: 'fleet', keys: ['g', 'f'] },
  { of: 'events', keys: ['g', 'e'] },
  { of: 'tab', keys: ['Tab'] },
  { of: 'arrows', keys: ['↑', '↓', '←', '→'] },
  { of: 'enter', keys: ['Enter'] },
  { of: 'escape', keys: ['Esc'] },
  { of: 'leave', keys: ['Ctrl', 'Alt', 'T'] },
] as const

/** A dialog with the shortcuts. */
export function KeyboardHelp({ close }: { readonly close: () => void }) {
  const words = useSearchWords()
  return (
    <Dialog onClose={close} title={words.keys} size="md">
      <Table>
        <TableHead titles={[words.key, words.does]} />
        <Table.Tbody>
          {keys.map(({ of, keys: pressed }) => (
            <Table.Tr key={pressed.join()}>
              <Table.Td>
                <Group gap={4}>
                  {pressed.map(key => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td>{words.helps[of]}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  )
}
