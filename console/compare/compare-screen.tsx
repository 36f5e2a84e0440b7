import {
  Badge,
  Group,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Table,
  Text,
  TextInput,
  Title,
  UnstyledButton,
} from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Document } from 'yaml'
import { YamlComparison } from '../editor/code/lazy.js'
import { writtenOf } from '../editor/manifest.js'
import { Problem } from '../failures/problem.js'
import { Dot } from '../parts/dot.js'
import { TableHead } from '../tables/table-head.js'
import { useCompareWords } from '../words/compare.js'
import { comparedTo, type Pair, type Standing } from './comparison.js'
import { comparedTypes, MOST_OBJECTS, readSide, sideIn, sideText } from './side.js'
import { SideChoice } from './side-choice.js'

const route = getRouteApi('/compare')

/** The most rows that are rendered. The search finds the others. */
const MOST_ROWS = 200
/** The pause after typing before the address changes, milliseconds. */
const TYPING_MS = 300

const colors: Readonly<Record<Standing, string>> = {
  differs: 'orange',
  left: 'red',
  right: 'blue',
  same: 'green',
}

/** Compares the objects of two control planes or members. */
export function CompareScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const words = useCompareWords()
  const [left, right] = [sideIn(search.left), sideIn(search.right)]
  const { type: resource = 'deployments', namespace = '', object } = search
  const type = comparedTypes[resource]
  const [typed, setTyped] = useState(namespace)
  const change = (part: object) =>
    void navigate({ search: before => ({ ...before, ...part }), replace: true })
  const findSoon = useDebouncedCallback(
    (text: string) => change({ namespace: text || undefined, object: undefined }),
    TYPING_MS,
  )
  const read = useQuery({
    queryKey: ['compare', search.left, search.right, resource, namespace],
    enabled: left !== undefined && right !== undefined && type !== undefined,
    queryFn: async ({ signal }) => {
      if (!left || !right || !type) throw new Error('two sides are compared')
      const [one, other] = await Promise.all([
        readSide(left, type, namespace, signal),
        readSide(right, type, namespace, signal),
      ])
      return { pairs: comparedTo(one.objects, other.objects), isCut: one.isCut || other.isCut }
    },
    // A comparison is a snapshot, and its screen shows its time.
    staleTime: 0,
    gcTime: 0,
  })
  const shown = read.data?.pairs.find(({ key }) => key === object)
  return (
    <Stack>
      <Title order={1} size="h2">
        {words.title}
      </Title>
      <Text size="sm">{words.how}</Text>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <SideChoice label={words.left} side={left} change={side => change({ left: sideText(side) })} />
        <SideChoice label={words.right} side={right} change={side => change({ right: sideText(side) })} />
      </SimpleGrid>
      <Group align="end">
        <Select
          label={words.type}
          allowDeselect={false}
          data={Object.entries(comparedTypes).map(([value, { kind }]) => ({ value, label: kind }))}
          value={resource}
          onChange={next => change({ type: next ?? undefined, object: undefined })}
        />
        <TextInput
          label={words.namespace}
          placeholder={words.all}
          value={typed}
          onChange={event => {
            setTyped(event.currentTarget.value)
            findSoon(event.currentTarget.value)
          }}
        />
      </Group>
      {read.error && <Problem error={read.error} retry={() => void read.refetch()} />}
      {read.isFetching && (
        <Text size="sm" role="status">
          {words.reading}
        </Text>
      )}
      {read.data && (
        <Pairs
          pairs={read.data.pairs}
          isCut={read.data.isCut}
          open={shown?.key}
          choose={key => change({ object: key === object ? undefined : key })}
        />
      )}
      {shown && <Difference pair={shown} left={search.left ?? ''} right={search.right ?? ''} />}
    </Stack>
  )
}

function Pairs({
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

function Difference({
  pair,
  left,
  right,
}: {
  readonly pair: Pair
  readonly left: string
  readonly right: string
}) {
  const texts = useMemo(() => [yamlOf(pair.left), yamlOf(pair.right)] as const, [pair])
  return (
    <Paper withBorder p="md" component="section" aria-label={pair.key}>
      <Title order={2} size="h4" mb="sm">
        {pair.key}
      </Title>
      <YamlComparison
        key={pair.key}
        before={{ label: left, text: texts[0] }}
        after={{ label: right, text: texts[1] }}
      />
    </Paper>
  )
}

const yamlOf = (object: object | undefined): string => (object ? writtenOf(new Document(object)) : '')
