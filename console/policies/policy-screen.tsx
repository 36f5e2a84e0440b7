import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import { YamlField } from '../editor/code/lazy.js'
import { readBase } from '../editor/edit-source.js'
import { Problem } from '../failures/problem.js'
import { KubeApi } from '../kube/kube-api.js'
import { KubeError } from '../kube/kube-error.js'
import type { ObjectAddress } from '../kube/object.js'
import { useLive } from '../live/use-live.js'
import { Freshness } from '../parts/freshness.js'
import { Trail } from '../parts/trail.js'
import { MayButton } from '../rights/may.js'
import { useNotYetWords } from '../words/not-yet.js'
import { usePolicyWords } from '../words/policies.js'
import { useWords } from '../words/use-words.js'
import { policies } from './policies.js'
import { isPolicyKind, NO_NAMESPACE, type PolicyKind, policyType } from './policy-kinds.js'
import { PreviewPanel } from './preview-panel.js'
import { RemovePolicy } from './remove-policy.js'

const route = getRouteApi('/instances/$name/policies/$kind/$namespace/$policy')

/** One policy, with the same preview of its effects as in the editor. */
export function PolicyScreen() {
  const { kind } = route.useParams()
  const { problem } = useWords()
  return isPolicyKind(kind) ? <Shown kind={kind} /> : <Title order={2}>{problem.notFound}</Title>
}

function Shown({ kind }: { readonly kind: PolicyKind }) {
  const { name: instance, namespace: given, policy: name } = route.useParams()
  const navigate = route.useNavigate()
  const words = usePolicyWords()
  const notYet = useNotYetWords()
  const [isRemoving, { open, close }] = useDisclosure()
  const namespace = given === NO_NAMESPACE ? '' : given
  const api = useMemo(() => new KubeApi(instance), [instance])
  const at = useMemo<ObjectAddress>(
    () => ({ type: policyType(kind), namespace, name }),
    [kind, namespace, name],
  )
  const live = useLive(() => policies(kind, { instance, find: name }), [kind, instance, name])
  const listed = live.items.find(
    ({ metadata }) => metadata?.name === name && metadata.namespace === namespace,
  )
  // The whole policy, read again for each version that the watch sends.
  const read = useQuery({
    queryKey: ['policy', instance, kind, namespace, name, listed?.metadata?.resourceVersion],
    queryFn: ({ signal }) => readBase(api, at, signal),
    placeholderData: before => before,
  })
  const { group, resource } = at.type
  const wanted = { instance, group, resource, namespace, name }
  const isGone = read.error instanceof KubeError && read.error.status === 404
  return (
    <Stack>
      <PolicyPath instance={instance} kind={kind} title={namespace ? `${namespace}/${name}` : name} />
      <Group justify="space-between">
        <Title order={2}>{name}</Title>
        <Group>
          <Freshness page={live} />
          {!isGone && (
            <>
              <MayButton
                wanted={{ ...wanted, verb: 'update' }}
                size="xs"
                onClick={() =>
                  void navigate({
                    to: '/instances/$name/policies/$kind/$namespace/$policy/edit',
                    params: { name: instance, kind, namespace: given, policy: name },
                  } as never)
                }
              >
                {words.edit}
              </MayButton>
              <MayButton
                wanted={{ ...wanted, verb: 'delete' }}
                size="xs"
                variant="default"
                notYet={read.data ? undefined : notYet.reading}
                onClick={open}
              >
                {words.remove}
              </MayButton>
            </>
          )}
        </Group>
      </Group>
      {isGone && <Text>{words.gone(name)}</Text>}
      {read.error && !isGone && <Problem error={read.error} retry={() => void read.refetch()} />}
      {read.data && !isGone && (
        <>
          <Paper withBorder p="lg">
            <PreviewPanel instance={instance} text={read.data.text} title={words.what} />
          </Paper>
          <Paper withBorder p="lg">
            <YamlField label={`YAML · ${name}`} text={read.data.text} />
          </Paper>
        </>
      )}
      {read.data && (
        <RemovePolicy
          api={api}
          at={at}
          uid={read.data.uid}
          kind={kind}
          isOpen={isRemoving}
          close={close}
          done={() =>
            void navigate({
              to: '/instances/$name/policies',
              params: { name: instance },
              search: kind === 'propagationpolicies' ? {} : { kind },
            } as never)
          }
        />
      )}
    </Stack>
  )
}

/** The breadcrumb from a policy to the list of its kind. */
export function PolicyPath({
  instance,
  kind,
  title,
}: {
  readonly instance: string
  readonly kind: PolicyKind
  readonly title: string
}) {
  const words = usePolicyWords()
  return (
    <Trail
      to="/instances/$name/policies"
      params={{ name: instance }}
      search={kind === 'propagationpolicies' ? {} : { kind }}
      from={`${words.title} · ${words.kinds[kind]}`}
      here={title}
    />
  )
}
