import { Badge, Group, Stack, Switch, Table, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { Dot } from '../parts/dot.js'
import { TableHead } from '../tables/table-head.js'
import { useCompareWords } from '../words/compare.js'
import type { Pair, Standing } from './comparison.js'
import { MOST_OBJECTS } from './side.js'

/** The most rows that are rendered. The search finds the others. */
const MOST_ROWS = 200

const colors: Readonly<Record<Standing, string>> = {
  differs: 'orange',
  left: 'red',
  right: 'blue',
  same: 'green',
}

/** The objects of both sides: counts, and a table in which one can be opened. */
export function Pairs({
  pairs,
  isCut,
  open,
  choose,
}: {
  readonly pairs: readonly Pair[]
  readonly isCut: boolean
  readonly open: string | undefined
  readonly choose: (key: string) => void
}) {
  const words = useCompareWords()
  const [withSame, setWithSame] = useState(false)
  const wanted = withSame ? pairs : pairs.filter(({ standing }) => standing !== 'same')
  const count = (standing: Standing) => pairs.filter(one => one.standing === standing).length
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Group>
          {(['differs', 'left', 'right', 'same'] as const).map(standing => (
            <Badge
              key={standing}
              variant="default"
              size="lg"
              tt="none"
              leftSection={<Dot color={colors[standing]} />}
            >
              {words.counts[standing](count(standing))}
            </Badge>
          ))}
        </Group>
        <Switch
          label={words.withSame}
          checked={withSame}
          onChange={event => setWithSame(event.currentTarget.checked)}
        />
      </Group>
      {isCut && <Text size="sm">{words.cut(MOST_OBJECTS)}</Text>}
      {wanted.length === 0 && <Text c="dimmed">{words.nothing}</Text>}
      {wanted.length > 0 && (
        <Table.ScrollContainer minWidth={420}>
          <Table highlightOnHover verticalSpacing="xs" aria-label={words.title}>
            <TableHead titles={[words.name, words.standing]} />
            <Table.Tbody>
              {wanted.slice(0, MOST_ROWS).map(({ key, standing }) => (
                <Table.Tr key={key}>
                  <Table.Th scope="row">
                    <UnstyledButton
                      fz="sm"
                      td="underline"
                      aria-expanded={open === key}
                      onClick={() => choose(key)}
                    >
                      {key}
                    </UnstyledButton>
                  </Table.Th>
                  <Table.Td>
                    <Group gap={6} wrap="nowrap">
                      <Dot color={colors[standing]} />
                      <Text size="sm">{words.standings[standing]}</Text>
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {wanted.length > MOST_ROWS && <Text size="sm">{words.rows(MOST_ROWS, wanted.length)}</Text>}
    </Stack>
  )
}
