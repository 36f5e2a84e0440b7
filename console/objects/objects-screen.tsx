import { Anchor, Loader, SegmentedControl, Stack, Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useLive } from '../live/use-live.js'
import { Ago } from '../parts/time.js'
import { Trail } from '../parts/trail.js'
import { Distribution } from '../propagation/distribution.js'
import { MayButton } from '../rights/may.js'
import type { Column } from '../tables/live-rows.js'
import { LiveTable } from '../tables/live-table.js'
import { useObjectWords } from '../words/objects.js'
import { useWords } from '../words/use-words.js'
import { isObjectKind, objectKinds } from './kinds.js'
import { NoKind } from './no-kind.js'
import { type ObjectKind, objectsOf, rowKey } from './object-kind.js'
import { useKind } from './use-kind.js'

const route = getRouteApi('/instances/$name/objects/$kind')

/** The objects of one kind of an instance, with a choice of kinds. */
export function ObjectsScreen() {
  const { name: instance, kind: given } = route.useParams()
  const words = useObjectWords()
  const { live } = useWords()
  const navigate = route.useNavigate()
  const { kind, error } = useKind(instance, given)
  return (
    <Stack>
      <SegmentedControl
        aria-label={words.kind}
        value={isObjectKind(given) ? given : 'customresourcedefinitions'}
        onChange={next => void navigate({ params: { name: instance, kind: next }, search: {} } as never)}
        data={Object.keys(objectKinds).map(value => ({
          value,
          label: words.kinds[value as keyof typeof objectKinds],
        }))}
      />
      {error && <NoKind instance={instance} name={given} error={error} />}
      {!kind && !error && <Loader aria-label={live.loading} />}
      {kind && <ObjectList key={given} instance={instance} name={given} kind={kind} />}
    </Stack>
  )
}

function ObjectList({
  instance,
  name,
  kind,
}: {
  readonly instance: string
  readonly name: string
  readonly kind: ObjectKind
}) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const words = useObjectWords()
  const { workloads, list } = useWords()
  const page = useLive(() => objectsOf(kind, { instance, ...search }), [kind, instance, search.find])
  const { isNamespaced } = kind.type
  const showsClusters =
    kind.isPlaced && [...page.pages.values()].some(({ rows }) => rows.some(({ clusters }) => clusters))
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      {
        title: workloads.columns.name,
        cell: ({ metadata }) => (
          <Anchor
            component={Link}
            to="/instances/$name/objects/$kind/$namespace/$object"
            params={
              {
                name: instance,
                kind: name,
                namespace: metadata?.namespace || '-',
                object: metadata?.name,
              } as never
            }
            size="sm"
          >
            {metadata?.name}
          </Anchor>
        ),
      },
      ...(isNamespaced
        ? [{ title: workloads.columns.namespace, cell: ({ metadata }: Row) => metadata?.namespace }]
        : []),
      ...kind.facts.map((fact, index) => ({
        title: words.facts[fact],
        cell: ({ facts }: Row) => <Text size="sm">{facts[index] || '–'}</Text>,
      })),
      ...(showsClusters
        ? [
            {
              title: workloads.columns.clusters,
              cell: ({ clusters = [] }: Row) => <Distribution clusters={clusters} />,
            },
          ]
        : []),
      {
        title: workloads.columns.created,
        cell: ({ metadata }) => metadata && <Ago time={Number(metadata.creationTimestamp)} />,
      },
    ],
    [instance, name, kind, isNamespaced, showsClusters, words, workloads],
  )
  return (
    <>
      {!isObjectKind(name) && (
        <Trail
          to="/instances/$name/objects/$kind"
          params={{ name: instance, kind: 'customresourcedefinitions' }}
          from={words.kinds.customresourcedefinitions}
          here={words.resourcesOf(kind.type.kind)}
        />
      )}
      <LiveTable
        label={kind.type.kind}
        live={page}
        keyOf={rowKey}
        search={search}
        change={next => void navigate({ search: next, replace: true } as never)}
        empty={words.empty}
        tools={
          <MayButton
            wanted={{ instance, verb: 'create', group: kind.type.group, resource: kind.type.resource }}
            onClick={() =>
              void navigate({
                to: '/instances/$name/objects/$kind/new',
                params: { name: instance, kind: name },
              } as never)
            }
          >
            {words.createTitle(kind.type.kind)}
          </MayButton>
        }
        columns={columns}
      />
      {page.state === 'loading' && <Loader aria-label={list.find} size="sm" />}
    </>
  )
}

type Row = Parameters<typeof rowKey>[0]
