import { setMaxListeners } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { isNoCluster } from '../../../manifests/status-error.js'
import { joined } from '../../../ports/cancellation.js'
import {
  type StreamWorkloadLogsResponseSchema,
  StreamWorkloadLogsResponse_Type as Type,
} from '../../../proto/gen/kairship/workload_pods_pb.js'
import { failedPrecondition } from '../../errors/failure.js'
import { toFailure } from '../../errors/to-failure.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { LiveMerge } from '../concurrency/live-merge.js'
import { pods } from '../core/pod.js'
import { inEachMember } from '../distribution/members-of.js'
import { type ContainerAt, ContainerLogs, type Wanted } from './container-log.js'
import { mergeByTime } from './merge-by-time.js'
import { type ContainerChoice, containerNames, type LoggedPod, loggedContainers } from './pod-containers.js'
import { type PodsIn, podsIn, type WorkloadAt } from './pods-in.js'

/** What of a workload's logs is wanted. */
export interface LogRequest {
  readonly workload: WorkloadAt
  readonly clusters: readonly string[]
  readonly choice: ContainerChoice
  readonly wanted: Wanted
  readonly follow: boolean
}

type Message = MessageInitShape<typeof StreamWorkloadLogsResponseSchema>

/** Containers whose logs are read at once for one call: each holds a stream of the instance, and memory for one line. */
export const MOST_CONTAINERS = 100
/** Until a member that cannot be read, or does not have the workload, is tried again: twice as long each time. */
const FIRST_PAUSE_MS = 5_000
/** The longest such pause. Who was followed for as long begins with the first one again. */
const LONGEST_PAUSE_MS = 60_000

/** Waits milliseconds. @throws the reason of the signal, or an AbortError */
type Wait = (ms: number, signal: AbortSignal) => Promise<void>

const wait: Wait = (ms, signal) => setTimeout(ms, undefined, { signal })

/** The logs of a workload over members: the past by time, and then what comes. Ends with the call's signal, whose reason it throws. */
export async function* workloadLogs(
  objects: Objects,
  call: ObjectCall,
  request: LogRequest,
  pause: Wait = wait,
): AsyncGenerator<Message, void> {
  const over = new AbortController()
  const { signal, clear } = joined([call.signal, over.signal])
  setMaxListeners(0, signal) // every open log listens
  const own = { ...call, signal }
  const logs = new ContainerLogs(objects, own, request.wanted)
  const absent = new Set<string>()
  const names = new Set<string>()
  try {
    const { results, unread } = await inEachMember(own, request.clusters, async (cluster, inMember) => {
      const found = await podsIn(objects, inMember, { ...request.workload, cluster }).catch(error => {
        if (isNoCluster(error)) absent.add(cluster)
        throw error
      })
      for (const name of found.pods.flatMap(containerNames)) names.add(name)
      return found.pods.flatMap(pod => containersOf(request, cluster, pod))
    })
    for (const { cluster, message } of unread) yield { type: Type.UNREAD, cluster, message }
    if (unread.length === 0 && names.size > 0)
      for (const container of request.choice.containers.filter(name => !names.has(name)))
        yield {
          type: Type.UNREAD,
          container,
          message: `no pod of the workload has this container: they have ${[...names].sort().join(', ')}`,
        }
    const present = results.flat()
    if (present.length > MOST_CONTAINERS) throw tooMany(present.length)
    for await (const step of mergeByTime(present.map(of => logs.past(of))))
      yield 'line' in step ? lineMessage(step.of, step.line) : unreadMessage(step.of, step.error)
    if (!request.follow) return
    yield { type: Type.FOLLOWING }
    const clusters = request.clusters.filter(cluster => !absent.has(cluster))
    const told = new Set(unread.map(({ cluster }) => cluster))
    yield* follow(objects, own, { ...request, clusters, told }, logs, present, pause)
  } finally {
    over.abort(new Error('the logs are not read any more'))
    clear()
  }
}

const tooMany = (count: number) =>
  failedPrecondition(
    `the workload has ${count} containers with logs, and ${MOST_CONTAINERS} are read at once: choose clusters or containers`,
    { reason: 'TooManyContainers' },
  )

/** What is followed. */
interface FollowRequest extends LogRequest {
  /** Clusters of which it was just said that they cannot be read. */
  readonly told: ReadonlySet<string>
}

/** Follows the pods of each member, and the logs of their containers. */
function follow(
  objects: Objects,
  call: ObjectCall,
  request: FollowRequest,
  logs: ContainerLogs,
  present: readonly ContainerAt[],
  pause: Wait,
): AsyncGenerator<Message, void> {
  const merge = new LiveMerge<Message>()
  const begun = new Set(present.filter(({ isOver }) => isOver).map(({ run }) => run))
  const before = new Set(present.map(({ run }) => run))
  let count = 0

  async function* container(of: ContainerAt): AsyncGenerator<Message, void> {
    count += 1
    try {
      const isNew = !before.has(of.run)
      if (isNew) yield { type: Type.JOINED, ...nameOf(of) }
      for await (const step of logs.follow(of, isNew, call.signal))
        yield 'line' in step ? lineMessage(of, step.line) : unreadMessage(of, step.error)
      yield { type: Type.ENDED, ...nameOf(of), message: of.end || 'its log has ended' }
    } finally {
      count -= 1
    }
  }

  async function* member(cluster: string): AsyncGenerator<Message, void> {
    let pauseMs = FIRST_PAUSE_MS
    if (request.told.has(cluster)) {
      await pause(pauseMs, call.signal)
      pauseMs *= 2
    }
    for (; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const since = performance.now()
      try {
        for await (const { type, pod } of followedPods(objects, call, { ...request.workload, cluster })) {
          const found = containersOf(request, cluster, pod).filter(({ run }) => !begun.has(run))
          for (const of of found) {
            if (count >= MOST_CONTAINERS) {
              yield unreadMessage(of, tooMany(count + 1))
              break
            }
            begun.add(of.run)
            merge.add(container(of))
          }
          if (type === 'DELETED')
            yield { type: Type.ENDED, cluster, pod: pod.metadata.name, message: 'the pod is gone' }
        }
      } catch (error) {
        call.signal.throwIfAborted()
        yield { type: Type.UNREAD, cluster, message: toFailure(error).message }
        if (isNoCluster(error)) return
      }
      if (performance.now() - since > LONGEST_PAUSE_MS) pauseMs = FIRST_PAUSE_MS
      await pause(pauseMs, call.signal)
    }
  }

  for (const cluster of request.clusters) merge.add(member(cluster))
  return merge.items()
}

/** The pods of a workload in a member as they come and go; none until the workload is there. */
async function* followedPods(
  objects: Objects,
  call: ObjectCall,
  at: WorkloadAt & { readonly cluster: string },
): AsyncGenerator<{ readonly type: 'PRESENT' | 'DELETED'; readonly pod: LoggedPod }, void> {
  const { belonging, place }: PodsIn = await podsIn(objects, call, at)
  if (!belonging) return
  const { where, learn } = belonging
  const query = { ...(learn && { learn }), where, namespace: at.namespace, page: 1, pageSize: 0 }
  for await (const event of objects.watch<LoggedPod>(call, place, pods.type, query)) {
    if (!('object' in event)) continue
    const isGone = event.type === 'DELETED' || event.type === 'LEFT'
    yield { type: isGone ? 'DELETED' : 'PRESENT', pod: event.object }
  }
}

function containersOf(
  { workload, choice }: LogRequest,
  cluster: string,
  pod: LoggedPod,
): readonly ContainerAt[] {
  const { instance, namespace } = workload
  return loggedContainers(pod, choice).map(found => ({
    ...found,
    ...{ place: { instance, cluster }, namespace, pod: pod.metadata.name },
  }))
}

const nameOf = ({ place: { cluster }, pod, name }: ContainerAt) => ({ cluster, pod, container: name })

const lineMessage = (of: ContainerAt, line: { time: string; text: string; truncated: boolean }): Message => ({
  type: Type.LINE,
  ...nameOf(of),
  ...{ time: line.time, text: line.text, truncated: line.truncated },
})

const unreadMessage = (of: ContainerAt, error: unknown): Message => ({
  type: Type.UNREAD,
  ...nameOf(of),
  message: toFailure(error).message,
})
