import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import {
  addQuantities,
  parseQuantity,
  type Quantity,
  ResourceSum,
  ZERO,
} from '../../../manifests/quantity.js'
import { objectKey } from '../../../streams/object-store.js'
import type { Container, Pod } from '../../objects/core.js'
import { PERSISTENT_VOLUME_CLAIMS, PODS, RESOURCE_QUOTAS, SERVICES } from '../../objects/core-types.js'
import type { Plan, World } from './plan.js'

type Resources = Readonly<Record<string, string>>

/** core/v1 ResourceQuota, as far as its controller reads it. */
export interface ResourceQuota extends KubeObject {
  readonly spec?: {
    readonly hard?: Resources
    readonly scopes?: readonly string[]
    readonly scopeSelector?: object
  }
}

const ONE: Quantity = { nano: 1_000_000_000n, format: 'DecimalSI' }

/** Kinds of which the objects are counted. */
const COUNTED: Readonly<Record<string, GroupVersionResource>> = {
  services: SERVICES,
  persistentvolumeclaims: PERSISTENT_VOLUME_CLAIMS,
}

/**
 * Reports what a namespace uses of its quota: what its pods request and may use at most, how many pods, Services and
 * claims there are. Other resources, and quotas with scopes, get no `used`. Nothing is refused.
 */
export function planResourceQuota({ metadata, spec = {} }: ResourceQuota, world: World): Plan {
  const { hard = {}, scopes = [], scopeSelector } = spec
  const used = scopes.length > 0 || scopeSelector ? {} : usedIn(metadata.namespace ?? '', world)
  const counted = Object.entries(used).filter(([name]) => name in hard)
  return { status: { hard, used: Object.fromEntries(counted) } }
}

/** The quotas of the namespace of what has changed. */
export const quotasOf = ({ metadata }: KubeObject, world: World): readonly string[] =>
  world
    .all<ResourceQuota>(RESOURCE_QUOTAS)
    .filter(quota => quota.metadata.namespace === metadata.namespace)
    .map(objectKey)

function usedIn(namespace: string, world: World): Resources {
  const inside = <T extends KubeObject>(type: GroupVersionResource): readonly T[] =>
    world.all<T>(type).filter(({ metadata }) => metadata.namespace === namespace)
  const total = new ResourceSum()
  // What is not used is reported too.
  for (const name of [
    'cpu',
    'memory',
    'requests.cpu',
    'requests.memory',
    'limits.cpu',
    'limits.memory',
    'pods',
  ])
    total.addQuantity(name, ZERO)
  const pods = inside<Pod>(PODS)
  for (const pod of pods) {
    if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') continue
    total.addQuantity('pods', ONE)
    for (const [name, amount] of effective(pod, 'requests')) {
      total.addQuantity(`requests.${name}`, amount)
      if (name === 'cpu' || name === 'memory') total.addQuantity(name, amount)
    }
    for (const [name, amount] of effective(pod, 'limits')) total.addQuantity(`limits.${name}`, amount)
  }
  const count = (name: string, objects: readonly KubeObject[]) =>
    total.addQuantity(name, { ...ONE, nano: ONE.nano * BigInt(objects.length) })
  count('count/pods', pods)
  for (const [name, type] of Object.entries(COUNTED)) {
    count(name, inside(type))
    count(`count/${name}`, inside(type))
  }
  return total.toResourceList()
}

/** Containers summed, an init container's larger amount instead. */
function effective({ spec }: Pod, field: 'requests' | 'limits'): ReadonlyMap<string, Quantity> {
  const sums = new Map<string, Quantity>()
  const each = (containers: readonly Container[] = [], merge: (a: Quantity, b: Quantity) => Quantity) => {
    for (const { resources } of containers)
      for (const [name, amount] of Object.entries(resources?.[field] ?? {}))
        sums.set(name, merge(sums.get(name) ?? ZERO, parseQuantity(amount)))
  }
  each(spec?.containers, addQuantities)
  each(spec?.initContainers, (sum, one) => (one.nano > sum.nano ? one : sum))
  return sums
}
