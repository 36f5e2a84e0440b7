import type { KubeObject } from '../../../manifests/kube.js'
import { quantityValue } from '../../apimachinery/quantity-value.js'
import { type ContainerUsage, together, type Usage } from '../../metrics/measured.js'
import type { Container, Node, Pod } from '../../objects/core.js'
import { NODES, PODS } from '../../objects/core-types.js'
import type { World } from '../controllers/plan.js'
import { loads } from './load.js'

const [MILLI, MIB, BILLION] = [1_000_000n, 1_048_576n, 1_000_000_000n]

/** What a container uses that has nothing to do. */
const IDLE: Usage = { cpu: MILLI, memory: 24n * MIB }
/** What a node uses besides its pods. */
const SYSTEM: Usage = { cpu: 50n * MILLI, memory: 400n * MIB }

/** What the containers of one pod use. */
export interface PodUsage {
  readonly pod: Pod
  readonly containers: readonly ContainerUsage[]
}

/** What one node and all on it use. */
export interface NodeUsage {
  readonly node: KubeObject
  readonly usage: Usage
}

/** What all running pods of a member use. Nothing is measured in a playground: pods idle, and do what `load.ts` finds for them. */
export function podUsages(world: World): readonly PodUsage[] {
  const running = world.all<Pod>(PODS).filter(isRunning)
  const shares = loads(running, world)
  return running.map(pod => ({ pod, containers: containersOf(pod, shares.get(pod.metadata.uid ?? '')) }))
}

/** What the nodes of a member use. @param pods what their pods use */
export function nodeUsages(world: World, pods: readonly PodUsage[]): readonly NodeUsage[] {
  const byNode = new Map<string, ContainerUsage[]>()
  for (const { pod, containers } of pods) {
    const name = pod.spec?.nodeName ?? ''
    byNode.set(name, [...(byNode.get(name) ?? []), ...containers])
  }
  return world.all<Node>(NODES).map(node => {
    const usage = together([SYSTEM, ...(byNode.get(node.metadata.name) ?? [])])
    return { node, usage }
  })
}

const isRunning = ({ status }: Pod): boolean =>
  status?.phase === 'Running' && (status.containerStatuses?.some(({ state }) => state.running) ?? false)

/** Containers share what their pod has to do. None uses more than its limit. */
function containersOf(
  { spec, status }: Pod,
  share: Usage = { cpu: 0n, memory: 0n },
): readonly ContainerUsage[] {
  const running = (spec?.containers ?? []).filter(({ name }) =>
    status?.containerStatuses?.some(one => one.name === name && one.state.running !== undefined),
  )
  const count = BigInt(running.length)
  return running.map(container => {
    const [cpu, memory] = [limitOf(container, 'cpu'), bytes(limitOf(container, 'memory'))]
    const idle = { cpu: least(IDLE.cpu, cpu, 20n), memory: least(IDLE.memory, memory, 2n) }
    return {
      name: container.name,
      cpu: least(idle.cpu + share.cpu / count, cpu),
      memory: least(idle.memory + share.memory / count, memory),
    }
  })
}

const limitOf = ({ resources }: Container, name: string): bigint | undefined =>
  quantityValue(resources?.limits?.[name] ?? '')

const bytes = (nano: bigint | undefined): bigint | undefined => nano && nano / BILLION

/** The amount, or a part of the limit where that is less. */
const least = (amount: bigint, limit: bigint | undefined, part = 1n): bigint =>
  limit === undefined || amount < limit / part ? amount : limit / part
