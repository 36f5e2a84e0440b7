import { Badge, Code, Group, Stack, Table, Text } from '@mantine/core'
import type { SubjectChange } from '../../proto/gen/kairship/access_review_pb.js'
import { ServerWords } from '../failures/server-words.js'
import { TableHead } from '../tables/table-head.js'
import { useAccessWords } from '../words/use-access-words.js'
import { useWords } from '../words/use-words.js'
import { subjectText } from './subjects.js'

/** Kinds of one subject that are shown; changed ones come first. */
const MOST_KINDS = 12

/** The preview of a role binding's change. */
interface Preview {
  readonly summary: string
  readonly subjects: readonly SubjectChange[]
  readonly withheldNamespaces: readonly string[]
  readonly unread: readonly string[]
  readonly notes: readonly string[]
}

/** Shows which rights would be gained and lost, before anything is written. */
export function ChangePreview({ preview }: { readonly preview: Preview }) {
  const access = useAccessWords()
  const { roles: words } = access
  const { joint } = useWords()
  return (
    <Stack gap="xs" aria-label={words.change} role="group">
      <Text size="sm" fw={600}>
        <ServerWords text={preview.summary} />
      </Text>
      {preview.subjects.map(change => (
        <Subject key={change.subject ? subjectText(change.subject) : ''} change={change} />
      ))}
      {preview.withheldNamespaces.length > 0 && (
        <Text size="sm">{words.withheld(joint.names(preview.withheldNamespaces))}</Text>
      )}
      {[...preview.unread, ...preview.notes].map(note => (
        <Text key={note} size="xs" c="dimmed">
          <ServerWords text={note} />
        </Text>
      ))}
    </Stack>
  )
}

function Subject({ change }: { readonly change: SubjectChange }) {
  const { roles: words } = useAccessWords()
  const changed = change.kinds.filter(({ gained, lost }) => gained.length + lost.length > 0)
  const counts = [
    [change.readableGained, words.readable],
    [change.writableGained, words.writable],
    [change.readableLost, words.unreadable],
    [change.writableLost, words.unwritable],
  ] as const
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm">{change.subject && subjectText(change.subject)}</Text>
        {counts
          .filter(([count]) => count > 0)
          .map(([count, text]) => (
            <Badge key={text(count)} variant="default" tt="none">
              {text(count)}
            </Badge>
          ))}
      </Group>
      {changed.length > 0 && (
        <Table.ScrollContainer minWidth={420}>
          <Table>
            <TableHead titles={Object.values(words.kindColumns)} />
            <Table.Tbody>
              {changed.slice(0, MOST_KINDS).map(({ group, resource, namespace, gained, lost }) => (
                <Table.Tr key={`${group} ${resource} ${namespace}`}>
                  <Table.Th scope="row">{group ? `${resource}.${group}` : resource}</Table.Th>
                  <Table.Td>{namespace || '*'}</Table.Td>
                  <Table.Td>{gained.length > 0 && <Code>{gained.join(' ')}</Code>}</Table.Td>
                  <Table.Td>{lost.length > 0 && <Code>{lost.join(' ')}</Code>}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  )
}
