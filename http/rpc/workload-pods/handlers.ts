import { EventType } from '../../../proto/gen/kairship/core_pb.js'
import type {
  StreamWorkloadLogsRequest,
  WorkloadPodsService,
} from '../../../proto/gen/kairship/workload_pods_pb.js'
import type { Call } from '../../call/call.js'
import { type FieldViolation, invalidFields } from '../../errors/failure.js'
import type { Objects } from '../../objects/objects.js'
import { pageOf } from '../../objects/paging.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { problemsOfNames } from '../../operation/path-segment.js'
import { afterFirstItem } from '../concurrency/after-first-item.js'
import { typeOfWhole } from '../core/workloads.js'
import { placedOn } from '../distribution/members-of.js'
import { PageTokens } from '../kind/page-token.js'
import type { WorkloadAt } from './pods-in.js'
import { watchedEvents } from './watched-events.js'
import { NEWEST_FIRST, workloadEvents } from './workload-events.js'
import { workloadLogs } from './workload-logs.js'

/** Clusters, and containers, that one request may name: each cluster is asked again and again while logs are followed. */
const MOST_NAMES = 100

/** What the pods of workloads write and what happens to them, over all members. */
export function workloadPodsHandlers(objects: Objects): ServiceHandlers<typeof WorkloadPodsService> {
  /** @throws StatusError 403 where none are named and the caller may not read where the workload is; 404 for no such workload */
  const clustersOf = async (request: WorkloadAt & { readonly clusters: readonly string[] }, call: Call) => {
    const { instance, namespace, kind, name } = request
    const type = typeOfWhole(kind)
    if (request.clusters.length > 0) return [...new Set(request.clusters)].sort()
    const key = { namespace, name }
    await objects.get(call, { instance }, type, key)
    return placedOn(objects, call, { instance }, type, key)
  }
  return {
    async streamWorkloadLogs(request, call) {
      const { instance, namespace, name, containers, previous, follow } = request
      check(request)
      const { kind } = typeOfWhole(request.kind)
      const clusters = await clustersOf(request, call)
      const messages = workloadLogs(objects, call, {
        workload: { instance, namespace, kind, name },
        ...{ clusters, follow, choice: { containers, previous } },
        wanted: {
          previous,
          ...(request.tailLines !== undefined && { tailLines: Number(request.tailLines) }),
          ...(request.sinceSeconds > 0n && { sinceSeconds: Number(request.sinceSeconds) }),
          ...(request.sinceTime && { sinceTime: request.sinceTime }),
        },
      })
      return afterFirstItem(messages)
    },

    async listWorkloadEvents(request, call) {
      const { instance, namespace, name } = request
      const { kind } = typeOfWhole(request.kind)
      const tokens = new PageTokens(request, call)
      checkClusters(request)
      const clusters = await clustersOf(request, call)
      const types = typesOf(request.type)
      const control = request.clusters.length === 0
      const workload = { instance, namespace, kind, name }
      const { items, unread } = await workloadEvents(objects, call, workload, { clusters, control, types })
      const found = pageOf(items, tokens.request, NEWEST_FIRST)
      return {
        items: found.items.map(({ message }) => message),
        pagination: tokens.pagination(found),
        unread: unread.map(one => ({ ...one })),
      }
    },

    async watchWorkloadEvents(request, call) {
      const { instance, namespace, name, clusters } = request
      const type = typeOfWhole(request.kind)
      checkClusters(request)
      const isNamed = clusters.length > 0
      if (!isNamed) await objects.get(call, { instance }, type, { namespace, name })
      const messages = watchedEvents(objects, call, {
        workload: { instance, namespace, kind: type.kind, name },
        ...(isNamed && { clusters: [...new Set(clusters)].sort() }),
        types: typesOf(request.type),
      })
      return afterFirstItem(messages)
    },
  }
}

const typesOf = (types: readonly EventType[]): ReadonlySet<string> =>
  new Set(types.filter(Boolean).map(type => EventType[type]))

/** @throws Failure INVALID_ARGUMENT for too many clusters, and for a name that no cluster can have */
function checkClusters({ clusters }: { readonly clusters: readonly string[] }): void {
  const violations = [...tooManyNames({ clusters }), ...problemsOfNames('clusters', clusters)]
  if (violations.length > 0) throw invalidFields(violations)
}

/** As a kubelet has it, but before anything is asked of one. @throws Failure INVALID_ARGUMENT */
function check(request: StreamWorkloadLogsRequest): void {
  const { tailLines = 0n, sinceSeconds, sinceTime, previous, follow, clusters, containers } = request
  const violations: FieldViolation[] = [
    ...tooManyNames({ clusters, containers }),
    ...problemsOfNames('clusters', clusters),
    ...(tailLines < 0n
      ? [{ field: 'tailLines', description: `is ${tailLines}, but must be at least 0` }]
      : []),
    ...(sinceSeconds < 0n
      ? [{ field: 'sinceSeconds', description: `is ${sinceSeconds}, but must be at least 0` }]
      : []),
    ...(sinceTime && !TIME.test(sinceTime)
      ? [{ field: 'sinceTime', description: 'is no time of RFC 3339' }]
      : []),
    ...(sinceTime && sinceSeconds
      ? [{ field: 'sinceTime', description: 'must be empty beside sinceSeconds' }]
      : []),
    ...(previous && follow
      ? [{ field: 'follow', description: 'must be false beside previous: nothing is written there any more' }]
      : []),
  ]
  if (violations.length > 0) throw invalidFields(violations)
}

const tooManyNames = (named: Readonly<Record<string, readonly string[]>>): readonly FieldViolation[] =>
  Object.entries(named)
    .filter(([, names]) => names.length > MOST_NAMES)
    .map(([field, names]) => ({
      field,
      description: `has ${names.length} names, but may have ${MOST_NAMES}`,
    }))

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/
