import type { KubeObject } from '../../../manifests/kube.js'
import { objectKey } from '../../../streams/object-store.js'
import { quantityValue } from '../../apimachinery/quantity-value.js'
import type { Usage } from '../../metrics/measured.js'
import type { Container, Pod } from '../../objects/core.js'
import {
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  REPLICA_SETS,
  SERVICES,
  STATEFUL_SETS,
} from '../../objects/core-types.js'
import { backendsOf } from '../controllers/endpoints.js'
import type { World } from '../controllers/plan.js'
import { isReady, isTerminating } from '../controllers/pods.js'
import { ownerOf } from '../controllers/sources.js'
import type { Service } from '../workloads.js'

/**
 * What the pods of a workload have to do, on the workload itself: `cpu=1500m,memory=2Gi`. Its ready pods share it evenly, so that
 * each has less to do when there are more of them.
 */
export const LOAD_ANNOTATION = 'playground.kairship.io/load'

/** What one container that calls a Service in its command line gives the Service's pods to do, in billionths of a core. */
const CALLER_LOAD = 100_000_000n

const BILLION = 1_000_000_000n

const OWNERS = {
  ReplicaSet: REPLICA_SETS,
  Deployment: DEPLOYMENTS,
  StatefulSet: STATEFUL_SETS,
  DaemonSet: DAEMON_SETS,
  Job: JOBS,
  CronJob: CRON_JOBS,
} as const

/** What each running pod has to do, by uid: its share of its workload's load, and of the calls to its Services. */
export function loads(pods: readonly Pod[], world: World): ReadonlyMap<string, Usage> {
  const shares = new Map<string, Usage>()
  const give = (workers: readonly Pod[], { cpu, memory }: Usage) => {
    const count = BigInt(workers.length)
    for (const { metadata } of workers) {
      const { uid = '' } = metadata
      const before = shares.get(uid) ?? { cpu: 0n, memory: 0n }
      shares.set(uid, { cpu: before.cpu + cpu / count, memory: before.memory + memory / count })
    }
  }
  for (const [workload, workers] of byWorkload(pods, world)) give(workers, loadOf(workload))
  for (const [service, callers] of calls(pods, world)) {
    const workers = backendsOf(service, pods).flatMap(({ pod, isReady: ready }) => (ready ? [pod] : []))
    give(workers, { cpu: CALLER_LOAD * BigInt(callers), memory: 0n })
  }
  return shares
}

/** The ready pods of each workload that has something to do. */
function byWorkload(pods: readonly Pod[], world: World): ReadonlyMap<KubeObject, readonly Pod[]> {
  const workers = new Map<KubeObject, Pod[]>()
  for (const pod of pods) {
    if (!isReady(pod) || isTerminating(pod)) continue
    const workload = workloadOf(pod, world)
    if (workload.metadata.annotations?.[LOAD_ANNOTATION] === undefined) continue
    const known = workers.get(workload)
    if (known) known.push(pod)
    else workers.set(workload, [pod])
  }
  return workers
}

/** The object that a person wrote for the sake of a pod. A Deployment's annotations are also its ReplicaSets', and these do not count. */
function workloadOf(object: KubeObject, world: World): KubeObject {
  const owner = ownerOf(object)
  const type = owner && Object.hasOwn(OWNERS, owner.kind) && OWNERS[owner.kind as keyof typeof OWNERS]
  const found = type ? world.get(type, `${object.metadata.namespace}/${owner.name}`) : undefined
  return found ? workloadOf(found, world) : object
}

/** What an annotation asks for; parts that cannot be read ask for nothing. */
function loadOf({ metadata }: KubeObject): Usage {
  const parts = (metadata.annotations?.[LOAD_ANNOTATION] ?? '').split(',').map(part => part.split('='))
  const amount = (name: string) => {
    const [, text = ''] = parts.find(([key]) => key?.trim() === name) ?? []
    const value = quantityValue(text.trim()) ?? 0n
    return value < 0n ? 0n : value
  }
  return { cpu: amount('cpu'), memory: amount('memory') / BILLION }
}

/** How many running containers call each Service. */
function calls(pods: readonly Pod[], world: World): ReadonlyMap<Service, number> {
  const callers = new Map<Service, number>()
  for (const pod of pods) {
    const { namespace = '' } = pod.metadata
    const running = pod.status?.containerStatuses?.filter(({ state }) => state.running !== undefined) ?? []
    for (const container of pod.spec?.containers ?? []) {
      if (!running.some(({ name }) => name === container.name)) continue
      for (const key of new Set(calledBy(container, namespace))) {
        const service = world.get<Service>(SERVICES, key)
        if (service) callers.set(service, (callers.get(service) ?? 0) + 1)
      }
    }
  }
  return callers
}

/** The Services whose addresses a command line has, such as `http://web` and `http://web.shop.svc:80`. */
const calledBy = ({ command = [], args = [] }: Container, namespace: string): readonly string[] =>
  [
    ...[...command, ...args]
      .join(' ')
      .matchAll(/https?:\/\/([a-z][a-z0-9-]*)(?:\.([a-z0-9-]+))?(?=[.:/\s;"']|$)/g),
  ].map(([, name = '', elsewhere]) =>
    objectKey({ metadata: { name, namespace: elsewhere ?? namespace } } as KubeObject),
  )
