import {
  FleetScope,
  type FleetService,
  type ListFleetObjectsRequest,
  type WatchFleetObjectsRequest,
} from '../../../proto/gen/kairship/fleet_pb.js'
import { Code } from '../../../transcoding/code.js'
import { type FieldViolation, failedPrecondition, invalidFields } from '../../errors/failure.js'
import type { InstanceFeed } from '../../instances/instance-feed.js'
import type { InstanceReading } from '../../instances/instance-reading.js'
import type { Objects } from '../../objects/objects.js'
import { type PageRequest, paginationOf } from '../../objects/paging.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { problemsOfNames } from '../../operation/path-segment.js'
import { afterFirstItem } from '../concurrency/after-first-item.js'
import { seenBy } from '../instance/seen-by.js'
import { PageTokens } from '../kind/page-token.js'
import { fleetChanges, logInternal } from './fleet-changes.js'
import { fleetList } from './fleet-list.js'
import { fleetOrder } from './fleet-order.js'
import { type FleetQuery, MOST_COUNTED, type PlaceAnswer } from './fleet-query.js'
import { checkType } from './fleet-type.js'
import { followFleet } from './fleet-watch.js'
import { PlaceGate } from './place-gate.js'
import { duplicates, placeOf, unknown } from './places-of.js'

const DEFAULT_PAGE_SIZE = 50
const LARGEST_PAGE = 1_000
/** A page ends among so many: as many objects as are sorted here at most. */
const DEEPEST = 10_000
/** Instances and clusters that one request names. */
const MOST_NAMES = 1_000
/** Places of one stream whose lists are read at once: each takes the memory of its list. */
const LISTED_AT_ONCE = { atOnce: 4, ofOne: 2 }

/** What all instances have together. */
export function fleetHandlers({
  objects,
  instances,
  feed,
}: {
  readonly objects: Objects
  readonly feed: Pick<InstanceFeed, 'read'>
  readonly instances: Pick<InstanceReading, 'all'>
}): ServiceHandlers<typeof FleetService> {
  return {
    async listFleetObjects(request, call) {
      checkRequest(request)
      const tokens = new PageTokens(request, call)
      const page = Math.max(1, request.page)
      const pageSize = request.pageSize || DEFAULT_PAGE_SIZE
      const { after } = tokens.request
      if (!after && !isOnePlace(request) && page * pageSize > DEEPEST) throw tooDeep(page, pageSize)
      const usable = await seenBy(call, await instances.all(call))
      const named = usable.filter(
        ({ name }) => request.instances.length === 0 || request.instances.includes(name),
      )
      const refused = duplicates(named)
      const wanted = named
        .map(({ name }) => name)
        .filter(name => !refused.some(({ place }) => place.instance === name))
      const list = await fleetList(
        objects,
        call,
        wanted,
        queryOf(request, { page, pageSize, ...(after && { after }) }),
      )
      const absent = unknown(
        request.instances,
        usable.map(({ name }) => name),
      )
      refuseWrong([...list.places, ...absent])
      const places = [...list.places, ...refused, ...absent]
      for (const place of places) logInternal(call.log, place)
      const total = Math.min(
        places.reduce((sum, one) => sum + one.total, 0),
        MOST_COUNTED,
      )
      return {
        items: list.page.map(({ item }) => item),
        pagination: tokens.pagination({
          pagination: paginationOf({ total, start: list.start, page: after ? undefined : page, pageSize }),
          ...(list.next && { next: list.next }),
        }),
        places: places.map(placeOf),
      }
    },

    watchFleetObjects(request, call) {
      checkRequest(request)
      const query = { ...selectionOf(request), changesOnly: request.changesOnly }
      const gate = new PlaceGate(LISTED_AT_ONCE)
      const followed = { objects, call, query, gate, named: request.instances, instances, feed }
      return afterFirstItem(fleetChanges(followFleet(followed), call.log))
    },
  }
}

/** A list of one place sorts nothing here, and its index finds a page at any depth. */
const isOnePlace = ({ instances, scope }: ListFleetObjectsRequest): boolean =>
  instances.length === 1 && scope === FleetScope.CONTROL_PLANES

function checkRequest(request: ListFleetObjectsRequest | WatchFleetObjectsRequest): void {
  checkType(request)
  const { instances, clusters } = request
  const { page = 0, pageSize = 0 } = 'page' in request ? request : {}
  const violations: FieldViolation[] = []
  if (page < 0) violations.push({ field: 'page', description: `is ${page}: pages count from 1` })
  if (pageSize < 0 || pageSize > LARGEST_PAGE)
    violations.push({
      field: 'pageSize',
      description: `is ${pageSize}, but must be from 1 to ${LARGEST_PAGE}, or 0 for ${DEFAULT_PAGE_SIZE}`,
    })
  for (const [field, names] of Object.entries({ instances, clusters })) {
    if (names.length > MOST_NAMES)
      violations.push({ field, description: `has ${names.length} names, but may have ${MOST_NAMES}` })
    violations.push(...problemsOfNames(field, names))
  }
  if (violations.length > 0) throw invalidFields(violations)
}

const tooDeep = (page: number, pageSize: number) =>
  failedPrecondition(
    `page ${page} of ${pageSize} ends after the first ${DEEPEST} objects, the most that are sorted over the fleet: give a namespace, a name, a label selector or instances, or go on by page tokens`,
    { reason: 'ListTooLarge' },
  )

function queryOf(request: ListFleetObjectsRequest, { page, pageSize, after }: PageRequest): FleetQuery {
  return {
    ...selectionOf(request),
    order: fleetOrder(request.sortBy, request.sortDir),
    ...{ start: (page - 1) * pageSize, size: pageSize, end: page * pageSize + 1 },
    ...(after && { after }),
  }
}

/** What a list and a watch have in common. */
function selectionOf(
  request: ListFleetObjectsRequest | WatchFleetObjectsRequest,
): Pick<FleetQuery, 'resource' | 'scope' | 'clusters' | 'filter' | 'withData'> {
  const { group, version, resource, scope, clusters, withData } = request
  const { namespace, name, labelSelector, fieldSelector } = request
  return {
    resource: { group, version, resource },
    scope: {
      controlPlanes: scope !== FleetScope.MEMBERS,
      members: scope === FleetScope.MEMBERS || scope === FleetScope.EVERYWHERE,
    },
    clusters,
    filter: {
      ...(namespace && { namespace }),
      ...(labelSelector && { labelSelector }),
      ...(fieldSelector && { fieldSelector }),
      nameContains: name ? [name] : [],
    },
    withData,
  }
}

/** @throws Failure INVALID_ARGUMENT where every place finds the request wrong: it is */
function refuseWrong(places: readonly PlaceAnswer[]): void {
  const [first] = places
  if (first?.failure && places.every(({ failure }) => failure?.code === Code.INVALID_ARGUMENT))
    throw first.failure
}
