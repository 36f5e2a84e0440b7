import { bindingName } from '../../../karmada/names.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import { targetsOf } from '../../../karmada/propagation/work-of.js'
import { isNotFound } from '../../../manifests/status-error.js'
import { toFailure } from '../../errors/to-failure.js'
import { apiVersionOf, type ObjectKey, type ObjectType, type Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { someAtOnce } from '../concurrency/some-at-once.js'
import { askMember } from '../concurrency/within-patience.js'
import { CLUSTER_RESOURCE_BINDING, RESOURCE_BINDING } from '../kind/object-types.js'
import { isOf } from './binding-of.js'

/** A member that could not be read, and why. */
export interface UnreadMember {
  readonly cluster: string
  readonly message: string
}

/** How many members are read at once for one call. */
const AT_ONCE = 8
/** What one member may take: several that hang must leave time for the answer, which has 60 s. */
const MEMBER_PATIENCE_MS = 5_000

/**
 * The clusters that a template is placed on, sorted, as its binding says to the caller; none where nothing places it.
 * @throws StatusError 403 where the caller may not read bindings
 */
export async function placedOn(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  type: ObjectType,
  { namespace, name }: ObjectKey,
): Promise<readonly string[]> {
  const bindings = type.namespaced ? RESOURCE_BINDING : CLUSTER_RESOURCE_BINDING
  const key = { name: bindingName(type.kind, name), ...(namespace && { namespace }) }
  const template = { apiVersion: apiVersionOf(type), kind: type.kind }
  try {
    const binding = await objects.get<Binding>(sideCall(call), place, bindings, key)
    return isOf(binding, template)
      ? targetsOf(binding)
          .map(target => target.name)
          .sort()
      : []
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}

/**
 * Does some work in each member, a few at a time. A member that fails, or takes too long, is named and does not hold the others.
 * @throws only the reason of the call's signal
 */
export async function inEachMember<R>(
  call: ObjectCall,
  clusters: readonly string[],
  work: (cluster: string, call: ObjectCall) => Promise<R>,
): Promise<{ readonly results: readonly R[]; readonly unread: readonly UnreadMember[] }> {
  const unread: UnreadMember[] = []
  const outcomes = await someAtOnce(clusters, AT_ONCE, async (cluster): Promise<R[]> => {
    try {
      return [await askMember(sideCall(call), MEMBER_PATIENCE_MS, inMember => work(cluster, inMember))]
    } catch (error) {
      call.signal.throwIfAborted()
      unread.push({ cluster, message: toFailure(error).message })
      return []
    }
  })
  unread.sort((a, b) => (a.cluster < b.cluster ? -1 : 1))
  return { results: outcomes.flat(), unread }
}
