import { type KubeList, resourcePath } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import { type ApiServer, startApiServer } from '../apiserver/server.js'
import { setUp } from '../apiserver/set-up.js'
import { ensure } from '../client/write.js'
import { metricsApi } from '../metrics/metrics-api.js'
import type { Node } from '../objects/core.js'
import { NODES, STORAGE_CLASSES } from '../objects/core-types.js'
import { ControllerManager } from './controllers/controller-manager.js'
import { STORAGE_CLASS } from './controllers/volume-claims.js'
import type { Pace } from './kubelet/pod-runner.js'
import { SimulatedKubelet } from './kubelet/simulated-kubelet.js'
import { metricsServer } from './metrics/metrics-server.js'
import { type NodeShape, NodeSimulation } from './node-simulation.js'

/** How an embedded member cluster is started. */
export interface MemberOptions {
  /** Unique within the process. */
  readonly name: string
  readonly port?: number
  readonly dataDir?: string
  readonly log: Log
  readonly clock?: () => number
  /** Its nodes; two of 4 CPUs and 16Gi unless given. A cluster that was started with nodes of other names keeps those. */
  readonly nodes?: readonly NodeShape[]
  /** Milliseconds from a pod's binding until it is ready. */
  readonly podStartMs?: number
  /** Milliseconds that a pod of a Job runs whose program is not known here. */
  readonly podRunMs?: number
  /** Milliseconds from a pod's deletion until it is gone. */
  readonly podStopMs?: number
}

/** A running member cluster: a Kubernetes API server with simulated nodes, and the controllers that make it live. */
export interface Member {
  readonly name: string
  readonly server: ApiServer
  readonly nodes: NodeSimulation
  close(): Promise<void>
}

/** Two nodes. */
export const DEFAULT_NODES: readonly NodeShape[] = [1, 2].map(number => ({
  name: `node-${number}`,
  cpu: '4',
  memory: '16Gi',
  pods: '110',
}))

/** Fast enough to wait for, slow enough to see. Milliseconds. */
const DEFAULT_PACE: Pace = { start: 300, run: 1_000, stop: 200 }

/** Starts a member cluster in this process. */
export async function startMember(options: MemberOptions): Promise<Member> {
  const { name, log, clock = Date.now } = options
  const kubelet = new SimulatedKubelet(clock)
  const server = await startApiServer({
    name,
    log,
    kubelet: kubelet.connect,
    ...(options.port !== undefined && { port: options.port }),
    ...(options.dataDir !== undefined && { dataDir: options.dataDir }),
    ...(options.clock && { clock: options.clock }),
  })
  const nodes = new NodeSimulation(server.local, clock)
  await setUp(server, async () => {
    await ensureNodes(server.local, nodes, options.nodes ?? DEFAULT_NODES)
    await ensure(server.local, STORAGE_CLASSES, STORAGE_CLASS)
  })
  const controllers = new ControllerManager({
    cluster: { api: server.local, follow: server.follow },
    log,
    now: clock,
    pace: {
      start: options.podStartMs ?? DEFAULT_PACE.start,
      run: options.podRunMs ?? DEFAULT_PACE.run,
      stop: options.podStopMs ?? DEFAULT_PACE.stop,
    },
    startProcess: kubelet.startProcess,
    podGone: uid => kubelet.forget(uid),
  })
  const close = async () => {
    await controllers.close()
    await server.close()
  }
  const source = metricsServer(controllers.world, clock)
  const service = { namespace: 'kube-system', name: 'metrics-server' }
  await setUp({ close }, () => server.aggregate(metricsApi(source, service)))
  return { name, server, nodes, close }
}

/** An older playground's folder has nodes of other names: with ours too the cluster would be twice as large. */
async function ensureNodes(
  api: KubeApi,
  simulation: NodeSimulation,
  shapes: readonly NodeShape[],
): Promise<void> {
  const { items } = await api.request<KubeList<Node>>({ method: 'GET', path: resourcePath(NODES) })
  const names = new Set(shapes.map(({ name }) => name))
  if (items.length === 0 || items.some(({ metadata }) => names.has(metadata.name)))
    await simulation.ensure(shapes)
}
