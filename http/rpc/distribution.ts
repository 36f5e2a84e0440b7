import type { MessageInitShape } from '@bufbuild/protobuf'
import { bindingName } from '../../karmada/names.js'
import type { Cluster } from '../../karmada/objects/cluster.js'
import type { KubeObject } from '../../manifests/kube.js'
import { StatusError } from '../../manifests/status-error.js'
import { ClusterProvider, type ClusterProviderSummarySchema } from '../../proto/gen/kairship/types_pb.js'
import type { ObjectType, Place } from '../objects/object-type.js'
import type { ObjectCall, Objects } from '../objects/objects.js'

/** What became of one namespaced template. */
export const RESOURCE_BINDING: ObjectType = {
  ...{ group: 'work.karmada.io', version: 'v1alpha2', resource: 'resourcebindings' },
  ...{ kind: 'ResourceBinding', namespaced: true },
}
/** What became of one template without a namespace. */
export const CLUSTER_RESOURCE_BINDING: ObjectType = {
  ...{ group: 'work.karmada.io', version: 'v1alpha2', resource: 'clusterresourcebindings' },
  ...{ kind: 'ClusterResourceBinding', namespaced: false },
}
/** The members of a control plane. */
export const CLUSTER: ObjectType = {
  ...{ group: 'cluster.karmada.io', version: 'v1alpha1', resource: 'clusters' },
  ...{ kind: 'Cluster', namespaced: false },
}

/** A binding, as far as it says where its template went. */
export interface BindingView extends KubeObject {
  readonly spec?: {
    readonly resource?: { readonly apiVersion?: string; readonly kind?: string; readonly name?: string }
    readonly clusters?: readonly { readonly name: string; readonly replicas?: number }[]
    readonly replicas?: number
  }
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    readonly aggregatedStatus?: readonly {
      readonly clusterName: string
      readonly applied?: boolean
      readonly appliedMessage?: string
      readonly health?: string
      readonly status?: Readonly<Record<string, unknown>>
    }[]
  }
}

/** Where one object went: its binding, if it has one, and who runs the clusters that it names. */
export interface Distribution {
  readonly binding?: BindingView
  readonly clusters: readonly MessageInitShape<typeof ClusterProviderSummarySchema>[]
}

/** Of an object that nothing propagates, and of those of a member. */
export const NOWHERE: Distribution = { clusters: [] }

/**
 * Reads where the objects of a page went: one list of bindings and one of clusters, whatever the page holds, both as the
 * caller. What the caller may not read is not shown.
 */
export async function distributionOf<T extends KubeObject>(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  items: readonly T[],
): Promise<(object: T) => Distribution> {
  if (place.cluster !== undefined || items.length === 0) return () => NOWHERE
  const bindings = await bindingsOf(objects, call, place, items)
  const placed = [...bindings.values()].flatMap(({ spec }) => spec?.clusters ?? [])
  const providers =
    placed.length === 0 ? new Map<string, ClusterProvider>() : await providersOf(objects, call, place)
  return object => {
    const binding = bindings.get(
      keyOf(object.metadata.namespace, bindingName(object.kind, object.metadata.name)),
    )
    if (!binding || !isOf(binding, object)) return NOWHERE
    const applied = new Set(
      binding.status?.aggregatedStatus
        ?.filter(({ applied }) => applied)
        .map(({ clusterName }) => clusterName),
    )
    const clusters = (binding.spec?.clusters ?? []).map(({ name }) => ({
      name,
      provider: providers.get(name) ?? ClusterProvider.GENERIC,
      applied: applied.has(name),
    }))
    return { binding, clusters }
  }
}

const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`

/** Kinds of one name in two groups share a binding's name, and only one of them has the binding. */
const isOf = ({ spec }: BindingView, { apiVersion, kind }: KubeObject): boolean =>
  spec?.resource?.kind === kind && groupOf(spec.resource.apiVersion ?? '') === groupOf(apiVersion)

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''

async function bindingsOf(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  items: readonly KubeObject[],
): Promise<ReadonlyMap<string, BindingView>> {
  const namespaces = [...new Set(items.map(({ metadata }) => metadata.namespace ?? ''))]
  const [namespace = ''] = namespaces
  const names = [...new Set(items.map(({ kind, metadata }) => bindingName(kind, metadata.name)))]
  const type = namespace === '' ? CLUSTER_RESOURCE_BINDING : RESOURCE_BINDING
  const found = await readable(() =>
    objects.list<BindingView>(call, place, type, {
      names,
      ...(namespaces.length === 1 && { namespace }),
      // The instance finds one by its name; it has no other way to select by names.
      ...(names.length === 1 && { fieldSelector: `metadata.name=${names[0]}` }),
      page: 1,
      pageSize: 0,
    }),
  )
  return new Map(found.map(binding => [keyOf(binding.metadata.namespace, binding.metadata.name), binding]))
}

/** Who runs each member. */
async function providersOf(
  objects: Objects,
  call: ObjectCall,
  place: Place,
): Promise<ReadonlyMap<string, ClusterProvider>> {
  const found = await readable(() =>
    objects.list<Cluster & KubeObject>(call, { instance: place.instance }, CLUSTER, { page: 1, pageSize: 0 }),
  )
  return new Map(found.map(({ metadata, spec }) => [metadata.name, providerOf(spec?.provider)]))
}

/** Karmada has any text as a provider; the API has names for some, in whatever case and with whatever dashes. */
export function providerOf(provider = ''): ClusterProvider {
  const name = provider.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
  const found = (ClusterProvider as unknown as Readonly<Record<string, unknown>>)[name]
  return typeof found === 'number' ? found : ClusterProvider.GENERIC
}

/** Nothing where the caller may not read, or the type is not served. */
async function readable<T>(read: () => Promise<{ readonly items: readonly T[] }>): Promise<readonly T[]> {
  try {
    return (await read()).items
  } catch (error) {
    if (error instanceof StatusError && (error.code === 403 || error.code === 404)) return []
    throw error
  }
}
