import { KubeApi } from '../kube/kube-api.js'
import { collectionPath, type KubeObject, type ObjectType } from '../kube/object.js'

/** A side of a comparison: a control plane, or one of its members. */
export interface Side {
  readonly instance: string
  readonly cluster?: string
}

const object = (group: string, version: string, resource: string, kind: string, isNamespaced = true) => ({
  ...{ group, version, resource, kind, isNamespaced },
})

/** The types that can be compared. Secrets are excluded, because their values would be shown. */
export const comparedTypes: Readonly<Record<string, ObjectType>> = {
  deployments: object('apps', 'v1', 'deployments', 'Deployment'),
  statefulsets: object('apps', 'v1', 'statefulsets', 'StatefulSet'),
  daemonsets: object('apps', 'v1', 'daemonsets', 'DaemonSet'),
  cronjobs: object('batch', 'v1', 'cronjobs', 'CronJob'),
  services: object('', 'v1', 'services', 'Service'),
  ingresses: object('networking.k8s.io', 'v1', 'ingresses', 'Ingress'),
  configmaps: object('', 'v1', 'configmaps', 'ConfigMap'),
  namespaces: object('', 'v1', 'namespaces', 'Namespace', false),
  propagationpolicies: object('policy.karmada.io', 'v1alpha1', 'propagationpolicies', 'PropagationPolicy'),
  clusterpropagationpolicies: object(
    ...([
      'policy.karmada.io',
      'v1alpha1',
      'clusterpropagationpolicies',
      'ClusterPropagationPolicy',
      false,
    ] as const),
  ),
  overridepolicies: object('policy.karmada.io', 'v1alpha1', 'overridepolicies', 'OverridePolicy'),
  clusteroverridepolicies: object(
    ...([
      'policy.karmada.io',
      'v1alpha1',
      'clusteroverridepolicies',
      'ClusterOverridePolicy',
      false,
    ] as const),
  ),
}

/** Objects of one request, and the most objects of a side: the browser holds both sides. */
const PAGE = 250
export const MOST_OBJECTS = 2_000

/** The objects of a side. */
export interface SideObjects {
  readonly objects: readonly KubeObject[]
  /** There are more objects than are compared. */
  readonly isCut: boolean
}

/**
 * Reads the objects of a type that the signed-in user may list.
 * @param api of the side's instance unless given
 * @throws the errors of `KubeApi.request`
 */
export async function readSide(
  { instance, cluster }: Side,
  type: ObjectType,
  namespace: string,
  signal: AbortSignal,
  api: Pick<KubeApi, 'request'> = new KubeApi(instance),
): Promise<SideObjects> {
  const inside = cluster
    ? `/apis/cluster.karmada.io/v1alpha1/clusters/${encodeURIComponent(cluster)}/proxy`
    : ''
  const objects: KubeObject[] = []
  let next = ''
  do {
    const { text } = await api.request('GET', inside + collectionPath(type, namespace), {
      query: { limit: String(PAGE), ...(next && { continue: next }) },
      signal,
    })
    const { items = [], metadata } = JSON.parse(text) as {
      readonly items?: readonly KubeObject[]
      readonly metadata?: { readonly continue?: string }
    }
    // Items of a list have no kind of their own.
    for (const item of items) objects.push({ ...item, kind: type.kind })
    next = metadata?.continue ?? ''
  } while (next !== '' && objects.length < MOST_OBJECTS)
  return { objects: objects.slice(0, MOST_OBJECTS), isCut: next !== '' || objects.length > MOST_OBJECTS }
}

/** A side in an address: `eu-west`, `eu-west/member1`. */
export const sideText = ({ instance, cluster }: Side): string =>
  cluster ? `${instance}/${cluster}` : instance

export function sideIn(text: unknown): Side | undefined {
  if (typeof text !== 'string' || text === '') return undefined
  const [instance = '', cluster] = text.split('/')
  return { instance, ...(cluster && { cluster }) }
}
