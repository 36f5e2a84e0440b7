import { Anchor, Group, SegmentedControl, Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ResourceSelector } from '../../proto/gen/kairship/policy_spec_pb.js'
import { useLive } from '../live/use-live.js'
import { Ago } from '../parts/time.js'
import { MayButton } from '../rights/may.js'
import type { Column } from '../tables/live-rows.js'
import { LiveTable } from '../tables/live-table.js'
import { usePolicyWords } from '../words/policies.js'
import { type Policy, policies, policyKey } from './policies.js'
import { isPolicyKind, NO_NAMESPACE, type PolicyKind, policyKinds, policyType } from './policy-kinds.js'

const route = getRouteApi('/instances/$name/policies')

/** The policies of an instance: their selectors, and their clusters or rules. */
export function PoliciesScreen() {
  const { name: instance } = route.useParams()
  const { kind = 'propagationpolicies', ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const words = usePolicyWords()
  const { isNamespaced, isOverride } = policyKinds[kind]
  const live = useLive(() => policies(kind, { instance, ...search }), [kind, instance, search.find])
  const columns: readonly Column<Policy>[] = [
    {
      title: words.columns.name,
      cell: ({ metadata }) => (
        <Anchor
          component={Link}
          to="/instances/$name/policies/$kind/$namespace/$policy"
          params={
            {
              name: instance,
              kind,
              namespace: metadata?.namespace || NO_NAMESPACE,
              policy: metadata?.name,
            } as never
          }
          size="sm"
        >
          {metadata?.name}
        </Anchor>
      ),
    },
    ...(isNamespaced
      ? [{ title: words.columns.namespace, cell: ({ metadata }: Policy) => metadata?.namespace }]
      : []),
    { title: words.columns.selects, cell: ({ selectors }) => <Selected selectors={selectors} /> },
    {
      title: words.columns.clusters,
      cell: ({ clusters }) => <Text size="sm">{clusters.join(', ') || words.anyCluster}</Text>,
    },
    ...(isOverride
      ? [{ title: words.columns.changes, cell: ({ rules = 0 }: Policy) => words.rules(rules) }]
      : [
          {
            title: words.columns.division,
            cell: ({ division }: Policy) => division && words.division[division],
          },
          { title: words.columns.priority, cell: ({ priority }: Policy) => priority },
        ]),
    {
      title: words.columns.created,
      cell: ({ metadata }) => metadata && <Ago time={Number(metadata.creationTimestamp)} />,
    },
  ]
  return (
    <LiveTable
      key={kind}
      label={words.title}
      live={live}
      keyOf={policyKey}
      search={search}
      change={next =>
        void navigate({ search: { ...(kind !== 'propagationpolicies' && { kind }), ...next }, replace: true })
      }
      empty={words.empty}
      tools={
        <>
          <SegmentedControl
            aria-label={words.kind}
            value={kind}
            onChange={next => {
              if (isPolicyKind(next))
                void navigate({ search: next === 'propagationpolicies' ? {} : { kind: next } })
            }}
            data={Object.keys(policyKinds)
              .filter(isPolicyKind)
              .map(value => ({ value, label: words.kinds[value] }))}
          />
          <CreateButton instance={instance} kind={kind} />
        </>
      }
      columns={columns}
    />
  )
}

function CreateButton({ instance, kind }: { readonly instance: string; readonly kind: PolicyKind }) {
  const navigate = route.useNavigate()
  const words = usePolicyWords()
  const create = () =>
    void navigate({ to: '/instances/$name/policies/$kind/new', params: { name: instance, kind } } as never)
  const { group, resource } = policyType(kind)
  return (
    <MayButton wanted={{ instance, verb: 'create', group, resource }} size="xs" onClick={create}>
      {words.create}
    </MayButton>
  )
}

/** Selectors of a policy that are shown. */
const SHOWN = 3

function Selected({ selectors }: { readonly selectors: readonly ResourceSelector[] }) {
  const words = usePolicyWords()
  if (selectors.length === 0) return <Text size="sm">{words.everything}</Text>
  return (
    <Group gap="xs">
      {selectors.slice(0, SHOWN).map(({ apiVersion, kind, namespace, name, labelSelector }) => (
        <Text
          key={`${apiVersion} ${kind} ${namespace} ${name} ${JSON.stringify(labelSelector?.matchLabels)}`}
          size="sm"
        >
          {kind} {[namespace, name].filter(Boolean).join('/')}
          {Object.entries(labelSelector?.matchLabels ?? {})
            .map(([key, value]) => `${key}=${value}`)
            .join(',')}
        </Text>
      ))}
      {selectors.length > SHOWN && <Text size="sm">+{selectors.length - SHOWN}</Text>}
    </Group>
  )
}
