import type { ObjectType, Place } from '../../../../http/objects/object-type.js'
import type { LogQuery, ObjectCall, ObjectEvent, Objects } from '../../../../http/objects/objects.js'
import { workloadLogs } from '../../../../http/rpc/workload-pods/workload-logs.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import { StreamWorkloadLogsResponse_Type as Type } from '../../../../proto/gen/kairship/workload_pods_pb.js'
import { aloneAnswers } from '../../fakes/answers.js'

/** The second of all lines. */
export const T = '2026-11-20T10:00:00'
export const refusal = (code: number, reason: string) =>
  new StatusError({
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
    ...{ code, reason, message: `it is ${reason}` },
  } as never)
export const noCluster = (name: string) =>
  new StatusError({
    ...bareStatus(404, `clusters "${name}" not found`),
    ...{ reason: 'NotFound', details: { name, group: 'cluster.karmada.io', kind: 'clusters' } },
  })
const set: KubeObject = {
  ...{ apiVersion: 'apps/v1', kind: 'DaemonSet' },
  metadata: { name: 'agent', namespace: 'shop', uid: 'set' },
}
export const pod = (name: string, state: object = { running: {} }) => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: {
    ...{ name, namespace: 'shop', uid: name },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'set', controller: true },
    ],
  },
  status: { containerStatuses: [{ name: 'main', containerID: `x://${name}`, state }] },
})

/** What a member's kubelet says to a request for a log. */
type Says = (pod: string, query: LogQuery) => readonly (string | Error)[]

/** Members with pods, whose followed logs stay open, as those of kubelets do. */
export function reading(
  members: Readonly<Record<string, readonly KubeObject[] | Error>>,
  says: Says,
  {
    events,
    ...more
  }: { readonly events?: readonly ObjectEvent<KubeObject>[]; readonly [more: string]: unknown } = {},
  pause?: (ms: number, signal: AbortSignal) => Promise<void>,
) {
  const open = new Set<string>()
  const asked: (LogQuery & { pod: string })[] = []
  const gone = new AbortController()
  const silence = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  const podsIn = ({ cluster = '' }: Place) => {
    const pods = members[cluster]
    if (pods instanceof Error) throw pods
    return pods ?? []
  }
  const objects = {
    async get(_call: ObjectCall, place: Place) {
      podsIn(place)
      return set
    },
    async list(_call: ObjectCall, place: Place) {
      return { items: podsIn(place) }
    },
    async *watch(call: ObjectCall, place: Place, { resource }: ObjectType) {
      open.add(`${resource} of ${place.cluster}`)
      try {
        yield { type: 'RESET', total: 0 }
        if (events) yield* events
        else for (const object of podsIn(place)) yield { type: 'ADDED', object, total: 1 }
        await silence(call.signal)
      } finally {
        open.delete(`${resource} of ${place.cluster}`)
      }
    },
    async *log(call: ObjectCall, { cluster }: Place, { name }: { name: string }, query: LogQuery) {
      asked.push({ ...query, pod: name })
      open.add(`log of ${name} in ${cluster}`)
      try {
        for (const part of says(name, query)) {
          if (part instanceof Error) throw part
          yield Buffer.from(part)
        }
        if (query.follow) await silence(call.signal)
      } finally {
        open.delete(`log of ${name} in ${cluster}`)
      }
    },
  } as unknown as Objects
  const call: ObjectCall = {
    ...{ caller: { user: 'me', groups: [], extra: {} }, signal: gone.signal, answered: () => undefined },
    answers: aloneAnswers(true),
  }
  const request = {
    workload: { instance: 'i', namespace: 'shop', kind: 'DaemonSet', name: 'agent' },
    clusters: Object.keys(members),
    choice: { containers: [], previous: false },
    ...{ wanted: { tailLines: 2 }, follow: false, ...more },
  }
  const messages = workloadLogs(objects, call, request, pause)
  return { messages, objects, call, open, asked, gone }
}

/** What is sent until the end: type, cluster, pod, and the line or the message. */
export async function all(messages: ReturnType<typeof workloadLogs>) {
  const found: unknown[][] = []
  for await (const { type = 0, cluster, pod, text, message } of messages)
    found.push([Type[type], cluster, pod, text ?? message])
  return found
}
