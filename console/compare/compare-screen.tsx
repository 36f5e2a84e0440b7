import { Group, Paper, Select, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Document } from 'yaml'
import { YamlComparison } from '../editor/code/lazy.js'
import { writtenOf } from '../editor/manifest.js'
import { Problem } from '../failures/problem.js'
import { useCompareWords } from '../words/compare.js'
import { comparedTo, type Pair } from './comparison.js'
import { Pairs } from './pairs.js'
import { comparedTypes, readSide, sideIn, sideText } from './side.js'
import { SideChoice } from './side-choice.js'

const route = getRouteApi('/compare')

/** The pause after typing before the address changes, milliseconds. */
const TYPING_MS = 300

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
