import {
  Group,
  Pagination,
  SegmentedControl,
  Select,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { Problem } from '../failures/problem.js'
import { useClusterNames } from '../instance/names.js'
import { ROWS } from '../live/pages.js'
import { MayButton, RefusalNotice } from '../rights/may.js'
import { TableHead } from '../tables/table-head.js'
import { usePromoteWords } from '../words/promote.js'
import { useWords } from '../words/use-words.js'
import { type MemberObject, memberObjects } from './promoted.js'
import { isPromotedKind, promotedKinds, promotedTypes } from './promoted-kind.js'
import { PromotionDialog } from './promotion-dialog.js'

const route = getRouteApi('/instances/$name/promote')

/** The pause after typing before the address changes, milliseconds. */
const TYPING_MS = 300

/** Objects of a member that come from no template. Promoting one creates its template; its pods keep running. */
export function PromoteScreen() {
  const { name: instance } = route.useParams()
  const { cluster, kind = 'deployments', find, page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const queries = useQueryClient()
  const words = usePromoteWords()
  const { list } = useWords()
  const [chosen, setChosen] = useState<MemberObject>()
  const [done, setDone] = useState('')
  const [typed, setTyped] = useState(find ?? '')
  const change = (part: object) =>
    void navigate({ search: before => ({ ...before, ...part }), replace: true })
  const findSoon = useDebouncedCallback(
    (text: string) => change({ find: text || undefined, page: undefined }),
    TYPING_MS,
  )
  const names = useClusterNames(instance)
  const key = ['member objects', instance, cluster, kind, find, page]
  const read = useQuery({
    queryKey: key,
    enabled: cluster !== undefined,
    queryFn: ({ signal }) =>
      memberObjects(kind, { instance, cluster: cluster ?? '' }, { page, ...(find && { find }) }, signal),
    staleTime: 0,
    gcTime: 0,
  })
  const pages = Math.ceil((read.data?.total ?? 0) / ROWS)
  return (
    <Stack>
      <Title order={2}>{words.title}</Title>
      <Text size="sm">{words.how}</Text>
      <RefusalNotice wanted={{ instance, verb: 'create', ...promotedTypes[kind] }} />
      <Group align="end">
        <Select
          label={words.cluster}
          searchable
          allowDeselect={false}
          data={[...new Set([...names, ...(cluster ? [cluster] : [])])]}
          value={cluster ?? null}
          onChange={next => change({ cluster: next ?? undefined, page: undefined })}
        />
        <SegmentedControl
          aria-label={words.kind}
          value={kind}
          onChange={next => {
            if (isPromotedKind(next)) change({ kind: next, page: undefined })
          }}
          data={Object.entries(promotedKinds).map(([value, label]) => ({ value, label }))}
        />
        <TextInput
          aria-label={list.find}
          placeholder={list.find}
          value={typed}
          onChange={event => {
            setTyped(event.currentTarget.value)
            findSoon(event.currentTarget.value)
          }}
        />
      </Group>
      {read.error && <Problem error={read.error} retry={() => void read.refetch()} />}
      <Text size="sm" role="status">
        {cluster ? done : words.choose}
      </Text>
      {read.data && read.data.items.length === 0 && <Text c="dimmed">{words.none}</Text>}
      {read.data && read.data.items.length > 0 && (
        <Table.ScrollContainer minWidth={420}>
          <Table highlightOnHover verticalSpacing="xs" aria-label={words.title}>
            <TableHead titles={[words.name, words.namespace, words.becomes]} />
            <Table.Tbody>
              {read.data.items.map(one => (
                <Table.Tr key={`${one.namespace}/${one.name}`}>
                  <Table.Th scope="row">{one.name}</Table.Th>
                  <Table.Td>{one.namespace}</Table.Td>
                  <Table.Td>
                    {one.isManaged ? (
                      <Text size="sm" c="dimmed">
                        {words.managed}
                      </Text>
                    ) : (
                      <MayButton
                        wanted={{
                          instance,
                          verb: 'create',
                          namespace: one.namespace,
                          ...promotedTypes[kind],
                        }}
                        size="xs"
                        variant="default"
                        aria-label={words.promoteOne(one.name)}
                        onClick={() => setChosen(one)}
                      >
                        {words.promote}
                      </MayButton>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {pages > 1 && (
        <Pagination
          total={pages}
          value={page}
          onChange={next => change({ page: next })}
          getItemProps={number => ({ 'aria-label': `${list.page} ${number}` })}
        />
      )}
      {chosen && cluster && (
        <PromotionDialog
          kind={kind}
          of={{ instance, cluster, ...chosen }}
          close={() => setChosen(undefined)}
          done={() => {
            setDone(words.done(`${promotedKinds[kind]} ${chosen.namespace}/${chosen.name}`))
            setChosen(undefined)
            void queries.invalidateQueries({ queryKey: key })
          }}
        />
      )}
    </Stack>
  )
}
