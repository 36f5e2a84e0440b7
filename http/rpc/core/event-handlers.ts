import { type CoreService, EventType } from '../../../proto/gen/kairship/core_pb.js'
import { SortBy } from '../../../proto/gen/kairship/types_pb.js'
import type { Call } from '../../call/call.js'
import { invalidFields } from '../../errors/failure.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { kindHandlers } from '../kind/kind-handlers.js'
import { inCluster, type ListFields, placeOf } from '../kind/request-fields.js'
import { watchKind } from '../kind/watch-kind.js'
import { type Event, events, lastSeen } from './event.js'

/** Whose events are listed. Empty texts mean any. */
interface About {
  readonly kind: string
  readonly name: string
}

/** Events of instances and their members. */
export function eventHandlers(objects: Objects) {
  const of = kindHandlers(objects, events)
  const watch = watchKind(of, 'event')

  const list = async (
    whole: ListFields & { readonly type: readonly EventType[] },
    call: Call,
    { kind, name }: About,
  ) => {
    const { name: _, ...request } = whole
    const more = {
      fieldSelector: selectorOf({ kind, name }, request.type),
      ...(unsorted(request) && { sort: { key: lastSeen, descending: true } }),
    }
    return of.list(inCluster(request), call, more, whole)
  }

  return {
    listInstanceEvents: (request, call) => list(request, call, request),

    listEvents: (request, call) => list(request, call, { kind: request.kind, name: request.kindName }),

    async watchEvents({ kind, name, kindName, type, ...request }, call) {
      if (name && kindName && name !== kindName)
        throw invalidFields([
          {
            field: 'kindName',
            description: `is ${JSON.stringify(kindName)}, but must be as name, ${JSON.stringify(name)}, or empty`,
          },
        ])
      return watch(request, call, { fieldSelector: selectorOf({ kind, name: name || kindName }, type) })
    },

    async listInstanceEventKinds(request, call) {
      const { items } = await objects.list<Event>(call, placeOf(inCluster(request)), events.type, {
        page: 1,
        pageSize: 0,
      })
      return { data: [...new Set(items.flatMap(({ involvedObject }) => involvedObject?.kind || []))].sort() }
    },
  } satisfies Partial<ServiceHandlers<typeof CoreService>>
}

const unsorted = ({ sortBy = SortBy.SORT_BY_UNSPECIFIED }: ListFields): boolean =>
  sortBy === SortBy.SORT_BY_UNSPECIFIED

function selectorOf({ kind, name }: About, given: readonly EventType[]): string {
  const types = given.filter(type => type !== EventType.EVENT_TYPE_UNSPECIFIED)
  const [type] = types
  return fieldSelector({
    'involvedObject.kind': kind,
    'involvedObject.name': name,
    // There are two types, so both are all.
    type: types.length === 1 && type !== undefined ? EventType[type] : '',
  })
}

/** As `fields.Set` of Kubernetes writes it; what is empty is left out. */
const fieldSelector = (wanted: Readonly<Record<string, string>>): string =>
  Object.entries(wanted)
    .filter(([, value]) => value !== '')
    .map(([field, value]) => `${field}=${value.replaceAll(/[\\,=]/g, '\\$&')}`)
    .join(',')
