import { List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ClusterProviderSummary } from '../../proto/gen/kairship/types_pb.js'
import { KubeApi } from '../kube/kube-api.js'
import { KubeError } from '../kube/kube-error.js'
import type { ObjectAddress } from '../kube/object.js'
import { useObjectWords } from '../words/objects.js'
import { useWords } from '../words/use-words.js'
import { Dialog } from './dialog.js'
import { RemovalForm } from './removal-form.js'
import { useWrite } from './use-write.js'

/** Asks before an object is deleted, and lists what is deleted with it. */
export function DeleteDialog({
  instance,
  at,
  uid,
  clusters,
  takes = [],
  mustType = false,
  close,
  done,
}: {
  readonly instance: string
  readonly at: ObjectAddress
  /** The uid of the shown object; empty where it is not known. */
  readonly uid: string
  /** The clusters where it is placed. */
  readonly clusters: readonly Pick<ClusterProviderSummary, 'name'>[]
  /** What else is deleted, a sentence for each. */
  readonly takes?: readonly string[]
  /** The user must type its name, because much is deleted with it. */
  readonly mustType?: boolean
  readonly close: () => void
  readonly done: () => void
}) {
  const words = useObjectWords()
  const { joint } = useWords()
  const api = new KubeApi(instance)
  const { busy: isBusy, error: problem, run: start } = useWrite()
  const kept = useQuery({
    queryKey: ['kept', instance, at],
    queryFn: ({ signal }) => isKept(api, at, signal),
    enabled: clusters.length > 0,
    staleTime: 0,
  })
  const names = joint.names(clusters.map(({ name }) => name))
  const title = `${at.type.kind} ${at.namespace ? `${at.namespace}/` : ''}${at.name}`
  return (
    <Dialog onClose={close} title={words.deleteTitle(title)} centered>
      <RemovalForm
        {...(mustType && { name: at.name })}
        words={{ ...words, remove: words.delete }}
        error={problem}
        busy={isBusy}
        remove={() => void start(() => api.delete(at, uid), done)}
        close={close}
      >
        <Text size="sm">{words.deleteHow}</Text>
        <List size="sm">
          {names !== '' && (
            <List.Item>
              {kept.data === true ? words.staysIn(names) : words.goesFrom(names)}
              {kept.error && ` ${words.keptUnread(kept.error.message)}`}
            </List.Item>
          )}
          {takes.map(sentence => (
            <List.Item key={sentence}>{sentence}</List.Item>
          ))}
        </List>
      </RemovalForm>
    </Dialog>
  )
}

/** Whether Karmada leaves the object in the members when the template is deleted (`preserveResourcesOnDeletion` of its binding). */
async function isKept(
  api: KubeApi,
  { type, namespace, name }: ObjectAddress,
  signal: AbortSignal,
): Promise<boolean> {
  const kind = type.isNamespaced ? 'ResourceBinding' : 'ClusterResourceBinding'
  try {
    const binding = await api.get(
      {
        type: {
          group: 'work.karmada.io',
          version: 'v1alpha2',
          resource: `${kind.toLowerCase()}s`,
          kind,
          isNamespaced: type.isNamespaced,
        },
        namespace,
        name: `${name}-${type.kind.toLowerCase()}`.replaceAll(':', '.'),
      },
      signal,
    )
    const spec = binding.spec as { preserveResourcesOnDeletion?: boolean } | undefined
    return spec?.preserveResourcesOnDeletion === true
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return false
    throw error
  }
}
