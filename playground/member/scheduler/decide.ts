import type { KubeObject } from '../../../manifests/kube.js'
import type { Node, Pod } from '../../objects/core.js'
import { NODES, PERSISTENT_VOLUME_CLAIMS, PODS } from '../../objects/core-types.js'
import type { World } from '../controllers/plan.js'
import { hasFinished } from '../controllers/pods.js'
import type { PersistentVolumeClaim } from '../workloads.js'
import { type Occupied, refusals } from './filters.js'

/** Where a pod goes, or why it goes nowhere. */
export type Decision = { readonly node: string } | { readonly unschedulable: string }

/** kube-scheduler's decision: the node with the fewest pods among those that will do. */
export function decide(pod: Pod, world: World): Decision {
  const nodes = occupiedNodes(world)
  const missing = missingClaim(pod, world)
  if (missing)
    return { unschedulable: `0/${nodes.length} nodes are available: ${missing}. ${notHelpful(nodes.length)}` }
  if (nodes.length === 0) return { unschedulable: 'no nodes available to schedule pods' }
  const refused = nodes.map(one => ({ one, reasons: refusals(pod, one, nodes) }))
  const candidates = refused.filter(({ reasons }) => reasons.length === 0).map(({ one }) => one)
  const [best] = candidates.sort(
    (one, other) =>
      one.pods.length - other.pods.length || (one.node.metadata.name < other.node.metadata.name ? -1 : 1),
  )
  return best
    ? { node: best.node.metadata.name }
    : { unschedulable: explain(refused.map(({ reasons }) => reasons)) }
}

function occupiedNodes(world: World): readonly Occupied[] {
  const byNode = new Map<string, Pod[]>()
  for (const pod of world.all<Pod>(PODS)) {
    const name = pod.spec?.nodeName
    if (!name || hasFinished(pod)) continue
    const there = byNode.get(name)
    if (there) there.push(pod)
    else byNode.set(name, [pod])
  }
  return world.all<Node>(NODES).map(node => ({ node, pods: byNode.get(node.metadata.name) ?? [] }))
}

function missingClaim(pod: Pod, world: World): string | undefined {
  for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
    if (!persistentVolumeClaim) continue
    const { claimName } = persistentVolumeClaim
    const claim = world.get<PersistentVolumeClaim & KubeObject>(
      PERSISTENT_VOLUME_CLAIMS,
      `${pod.metadata.namespace}/${claimName}`,
    )
    if (!claim) return `persistentvolumeclaim "${claimName}" not found`
    if (claim.metadata.deletionTimestamp) return `persistentvolumeclaim "${claimName}" is being deleted`
    if (claim.status?.phase !== 'Bound') return 'pod has unbound immediate PersistentVolumeClaims'
  }
  return undefined
}

/** `0/3 nodes are available: 1 Too many pods, 2 Insufficient cpu. …`: the reasons with their numbers, sorted as text. */
function explain(refused: readonly (readonly string[])[]): string {
  const total = refused.length
  // Making room helps where a node is full, and nowhere else.
  const isFull = (reason: string) => /^(Insufficient|Too many|node\(s\) didn't have free ports)/.test(reason)
  const preemption = refused.map(reasons =>
    reasons.every(isFull)
      ? 'No preemption victims found for incoming pod'
      : 'Preemption is not helpful for scheduling',
  )
  return `0/${total} nodes are available: ${counted(refused.flat())}. preemption: 0/${total} nodes are available: ${counted(preemption)}.`
}

const notHelpful = (total: number): string =>
  `preemption: 0/${total} nodes are available: ${total} Preemption is not helpful for scheduling.`

function counted(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ')
}
