import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Reasons } from '../../../ports/cancellation.js'
import type { FleetPlaceSchema } from '../../../proto/gen/kairship/fleet_pb.js'
import { deadlineExceeded, Failure, failedPrecondition, notFound, reasonOf } from '../../errors/failure.js'
import { toFailure } from '../../errors/to-failure.js'
import { duplicateRefusal } from '../../instances/duplicate.js'
import type { ShownInstance } from '../../instances/instance-reading.js'
import type { Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { someAtOnce } from '../concurrency/some-at-once.js'
import { withinPatience } from '../concurrency/within-patience.js'
import { CLUSTER } from '../kind/object-types.js'
import { sourceOf } from './fleet-item.js'
import type { FleetQuery, PlaceAnswer } from './fleet-query.js'

/** Places that are asked at once. */
export const AT_ONCE = 8
/** The reason of a place that did not answer in time. */
export const PLACE_TIMEOUT = 'PlaceTimeout'
/** The reason of a place that a list had no time for. */
export const LIST_TIMEOUT = 'ListTimeout'
/** How long one place has to answer: one that hangs costs this much, and its error says so. */
export const PLACE_MS = 5_000
/** How long all places have. Those that were not asked by then have an error, too. */
export const ALL_MS = 20_000

/** The reason of an instance that was asked for by name, and that the caller may not use. */
export const INSTANCE_NOT_FOUND = 'InstanceNotFound'

/** The member that stands for all members of an instance that could not be listed. */
export const ALL_MEMBERS = '*'

/** Names a place: no instance and no member has a slash in its name. */
export const nameOf = ({ instance, cluster = '' }: Place): string => `${instance}/${cluster}`

/** The places that a list is about, and those whose members could not be listed. */
export async function placesOf(
  objects: Objects,
  within: ObjectCall,
  instances: readonly string[],
  query: Pick<FleetQuery, 'scope' | 'clusters'>,
): Promise<{ readonly places: readonly Place[]; readonly failed: readonly PlaceAnswer[] }> {
  const failed: PlaceAnswer[] = []
  const members = query.scope.members
    ? await someAtOnce(instances, AT_ONCE, async instance => {
        const found = await attempt(within, quick => membersOf(objects, quick, instance, query))
        if ('value' in found) return found.value
        failed.push({ place: { instance, cluster: ALL_MEMBERS }, total: 0, failure: found.failure })
        return []
      })
    : []
  const controlPlanes = query.scope.controlPlanes ? instances.map((instance): Place => ({ instance })) : []
  return { places: [...controlPlanes, ...members.flat()], failed }
}

/** The outcome of some work for one place, within the place's time, also where the work does not heed its signal. */
export async function attempt<T>(
  call: ObjectCall,
  work: (call: ObjectCall) => Promise<T>,
): Promise<{ readonly value: T } | { readonly failure: Failure }> {
  let wasAsked = false
  const reasons: Reasons = {
    late: () => deadlineExceeded(`no answer within ${PLACE_MS / 1_000} s`, { reason: PLACE_TIMEOUT }),
    // The time of the list was over: this place was asked before.
    caller: reason =>
      wasAsked && reason instanceof Failure && reason.details.reason === LIST_TIMEOUT
        ? deadlineExceeded(`no answer within the ${ALL_MS / 1_000} s that one list has`, {
            reason: PLACE_TIMEOUT,
          })
        : reason,
  }
  try {
    const value = await withinPatience(call, PLACE_MS, reasons, quick => {
      wasAsked = true
      return work(quick)
    })
    return { value }
  } catch (error) {
    return { failure: toFailure(error) }
  }
}

async function membersOf(
  objects: Objects,
  call: ObjectCall,
  instance: string,
  { clusters }: Pick<FleetQuery, 'clusters'>,
): Promise<readonly Place[]> {
  const all = { page: 1, pageSize: 0, names: clusters }
  const { items } = await objects.list(call, { instance }, CLUSTER, all)
  return items.map(({ metadata }) => ({ instance, cluster: metadata.name }))
}

/** Instances that were asked for by name: one that the caller may not use is as one that is not there. */
export const unknown = (named: readonly string[], usable: readonly string[]): PlaceAnswer[] =>
  [...new Set(named)]
    .filter(name => !usable.includes(name))
    .sort()
    .map(instance => ({
      ...{ place: { instance }, total: 0 },
      failure: notFound(`there is no instance ${JSON.stringify(instance)} whose objects you may list`, {
        reason: INSTANCE_NOT_FOUND,
      }),
    }))

/** Instances whose objects an older one has, under which they are read: else they would count twice. */
export const duplicates = (instances: readonly ShownInstance[]): PlaceAnswer[] =>
  instances.flatMap(one => {
    const refusal = duplicateRefusal(one)
    if (!refusal) return []
    const { reason, message } = refusal
    return [{ place: { instance: one.name }, total: 0, failure: failedPrecondition(message, { reason }) }]
  })

/** What a place answered, as the API shows it. */
export function placeOf({
  place,
  total,
  from,
  failure,
}: PlaceAnswer): MessageInitShape<typeof FleetPlaceSchema> {
  return {
    ...{ instance: place.instance, cluster: place.cluster ?? '', total },
    ...(from && { source: sourceOf(from) }),
    ...(failure && {
      error: { code: failure.code, reason: reasonOf(failure), message: failure.message },
    }),
  }
}
