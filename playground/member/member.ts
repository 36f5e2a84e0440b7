import type { Log } from '../../ports/log.js'
import { type ApiServer, startApiServer } from '../apiserver/server.js'
import { setUp } from '../apiserver/set-up.js'
import { SimulatedKubelet } from './kubelet/simulated-kubelet.js'
import { type NodeShape, NodeSimulation } from './node-simulation.js'
import { WorkloadSimulation } from './workload-simulation.js'

/** How an embedded member cluster is started. */
export interface MemberOptions {
  /** Unique within the process. */
  readonly name: string
  readonly port?: number
  readonly dataDir?: string
  readonly log: Log
  readonly clock?: () => number
  /** Its nodes; two of 4 CPUs and 16Gi unless told. */
  readonly nodes?: readonly NodeShape[]
  /** Milliseconds from a pod's binding until it is ready. */
  readonly podStartMs?: number
}

/** A running member cluster: a Kubernetes API server with simulated nodes and workloads. */
export interface Member {
  readonly name: string
  readonly server: ApiServer
  readonly nodes: NodeSimulation
  close(): Promise<void>
}

const DEFAULT_NODES: readonly NodeShape[] = [1, 2].map(number => ({
  name: `node-${number}`,
  cpu: '4',
  memory: '16Gi',
  pods: '110',
}))

/** Starts a member cluster in this process. */
export async function startMember(options: MemberOptions): Promise<Member> {
  const { name, log, clock = Date.now, podStartMs = 300 } = options
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
  await setUp(server, () => nodes.ensure(options.nodes ?? DEFAULT_NODES))
  const workloads = new WorkloadSimulation(server.local, {
    log,
    now: clock,
    podStartMs,
    podGone: pod => kubelet.forget(pod),
  })
  return {
    name,
    server,
    nodes,
    async close() {
      await workloads.close()
      await server.close()
    },
  }
}
