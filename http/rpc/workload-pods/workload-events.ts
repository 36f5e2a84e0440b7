import type { MessageInitShape } from '@bufbuild/protobuf'
import type { EventSchema } from '../../../proto/gen/kairship/core_pb.js'
import { compareKeys, type Order } from '../../objects/cursor.js'
import type { Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { type Event, eventMessage, events, lastSeen } from '../core/event.js'
import { inEachMember, type UnreadMember } from '../distribution/members-of.js'
import { podsIn, type WorkloadAt } from './pods-in.js'

/** An event of a workload, and its place in the order. */
interface WorkloadEvent {
  readonly keys: readonly string[]
  readonly message: MessageInitShape<typeof EventSchema>
}

/** Whether an event is of one of these types; of any where there are none. */
export const isOfTypes = ({ type = '' }: Event, types: ReadonlySet<string>): boolean =>
  types.size === 0 || types.has(type)

/** Whether an event is about a workload, by its name, or about what belongs to it, by its uid. */
export const isAbout = (
  { involvedObject = {} }: Event,
  { kind, name }: Pick<WorkloadAt, 'kind' | 'name'>,
  uids: ReadonlySet<string>,
): boolean =>
  uids.has(involvedObject.uid ?? '-') || (involvedObject.kind === kind && involvedObject.name === name)

/** The events of a workload in the control plane and in members, the newest first. */
export async function workloadEvents(
  objects: Objects,
  call: ObjectCall,
  workload: WorkloadAt,
  {
    clusters,
    control,
    types,
  }: { readonly clusters: readonly string[]; readonly control: boolean; readonly types: ReadonlySet<string> },
): Promise<{ readonly items: readonly WorkloadEvent[]; readonly unread: readonly UnreadMember[] }> {
  const { instance, namespace } = workload
  const read = async (inPlace: ObjectCall, place: Place, uids: ReadonlySet<string>) => {
    const where = (event: Event): boolean => isOfTypes(event, types) && isAbout(event, workload, uids)
    const query = { namespace, where, page: 1, pageSize: 0 }
    const { items } = await objects.list<Event>(inPlace, place, events.type, query)
    return items.map(event => ({ event, place }))
  }
  const [own, { results, unread }] = await Promise.all([
    control ? read(call, { instance }, new Set()) : [],
    inEachMember(call, clusters, async (cluster, inMember) => {
      const { place, belonging, pods } = await podsIn(objects, inMember, { ...workload, cluster })
      const uids = new Set([
        ...(belonging?.owners ?? []),
        ...pods.flatMap(({ metadata }) => metadata.uid ?? []),
      ])
      return read(inMember, place, uids)
    }),
  ])
  const items = [...own, ...results.flat()]
    .map(({ event, place }) => ({ keys: keysOf(event, place), message: eventMessage(event, place) }))
    .sort((a, b) => compareKeys(a.keys, b.keys, NEWEST_FIRST.descending))
  return { items, unread }
}

/** Times have whole seconds or microseconds, so they are compared in milliseconds, of which all have as many digits. */
const keysOf = (event: Event, { cluster = '' }: Place): readonly string[] => [
  String(Date.parse(lastSeen(event)) || 0).padStart(16, '0'),
  cluster,
  event.metadata.name,
]

/** The newest first. */
export const NEWEST_FIRST: Order<WorkloadEvent> = { keysOf: ({ keys }) => keys, descending: 1 }
