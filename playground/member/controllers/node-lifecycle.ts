import type { Node, NodeTaint, Pod, PodToleration } from '../../objects/core.js'
import { NODES, PODS } from '../../objects/core-types.js'
import { timestamp } from '../../objects/timestamp.js'
import { tolerates } from '../scheduler/filters.js'
import type { Change, Note, Plan, World } from './plan.js'
import { hasFinished, isTerminating, note, warning } from './pods.js'

const NOT_READY = 'node.kubernetes.io/not-ready'
const UNREACHABLE = 'node.kubernetes.io/unreachable'
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable'
const OURS: readonly string[] = [NOT_READY, UNREACHABLE, UNSCHEDULABLE]

/**
 * What pods tolerate that do not say so, seconds: kube-apiserver's admission plugin DefaultTolerationSeconds writes it into
 * each pod.
 */
const DEFAULT_TOLERATION_SECONDS = 300

/** The node lifecycle controller: taints a node by its condition, and a cordoned one. A node that has not reported yet is left alone. */
export function planNode(node: Node, world: World): Plan {
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready')
  if (!ready) return {}
  const present = node.spec?.taints ?? []
  const wanted = taintsOf(node, ready.status)
  const isPresent = (taint: NodeTaint) => present.some(one => isSame(one, taint))
  const kept = present.filter(one => !OURS.includes(one.key) || wanted.some(taint => isSame(one, taint)))
  const added = wanted
    .filter(taint => !isPresent(taint))
    .map(taint => ({ ...taint, timeAdded: timestamp(world.now) }))
  if (added.length === 0 && kept.length === present.length) return {}
  const { taints: _, ...spec } = node.spec ?? {}
  const taints = [...kept, ...added]
  const object = { ...node, spec: { ...spec, ...(taints.length > 0 && { taints }) } }
  return { changes: [{ update: NODES, object }], notes: nodeNotes(node, added) }
}

function taintsOf({ spec }: Node, ready: string): readonly NodeTaint[] {
  const key = ready === 'False' ? NOT_READY : UNREACHABLE
  return [
    ...(ready === 'True'
      ? []
      : [
          { key, effect: 'NoSchedule' },
          { key, effect: 'NoExecute' },
        ]),
    ...(spec?.unschedulable ? [{ key: UNSCHEDULABLE, effect: 'NoSchedule' }] : []),
  ]
}

const isSame = (one: NodeTaint, other: NodeTaint): boolean =>
  one.key === other.key && one.effect === other.effect

const nodeNotes = ({ metadata }: Node, added: readonly NodeTaint[]): readonly Note[] =>
  added.some(({ effect }) => effect === 'NoExecute')
    ? [note('NodeNotReady', `Node ${metadata.name} status is now: NodeNotReady`)]
    : []

/**
 * What becomes of a pod on a node that is not ready: it is no longer ready, and is deleted when its tolerations of the node's taints
 * are over. Its kubelet is away, so that it stays Terminating until the node is back.
 */
export function planPodOnNode(pod: Pod, world: World): Plan {
  const { nodeName } = pod.spec ?? {}
  const node = nodeName === undefined ? undefined : world.get<Node>(NODES, nodeName)
  if (!node || hasFinished(pod)) return {}
  const { status, notes } = notReady(pod, node, world.now)
  const eviction = isTerminating(pod) ? {} : evictionOf(pod, node, world.now)
  return { ...(status && { status }), ...eviction, notes: [...notes, ...(eviction.notes ?? [])] }
}

function notReady(
  pod: Pod,
  node: Node,
  now: number,
): { readonly status?: object; readonly notes: readonly Note[] } {
  const conditions = pod.status?.conditions ?? []
  const isNodeReady = node.status?.conditions?.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  )
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  if (isNodeReady || !isReady) return { notes: [] }
  const changed = conditions.map(one =>
    one.type === 'Ready' ? { ...one, status: 'False', lastTransitionTime: timestamp(now) } : one,
  )
  return {
    status: { ...pod.status, conditions: changed },
    notes: [warning('NodeNotReady', 'Node is not ready')],
  }
}

function evictionOf(
  pod: Pod,
  node: Node,
  now: number,
): { readonly changes?: readonly Change[]; readonly notes?: readonly Note[]; readonly again?: number } {
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')
  const left = Math.min(...taints.map(taint => millisecondsLeft(pod.spec?.tolerations ?? [], taint, now)))
  if (left === Number.POSITIVE_INFINITY) return {}
  if (left > 0) return { again: left }
  const { namespace, name } = pod.metadata
  return {
    changes: [{ remove: PODS, object: pod }],
    notes: [note('TaintManagerEviction', `Marking for deletion Pod ${namespace}/${name}`)],
  }
}

/** How long a pod still tolerates a taint; 0 or less where it does not. */
function millisecondsLeft(
  own: readonly PodToleration[],
  { timeAdded, ...taint }: NodeTaint,
  now: number,
): number {
  const matching = own.filter(one => tolerates(one, taint))
  const isDefault = matching.length === 0 && (taint.key === NOT_READY || taint.key === UNREACHABLE)
  const seconds = isDefault
    ? [DEFAULT_TOLERATION_SECONDS]
    : matching.flatMap(({ tolerationSeconds }) =>
        tolerationSeconds === undefined ? [] : [tolerationSeconds],
      )
  if (matching.length === 0 && !isDefault) return 0
  if (seconds.length === 0) return Number.POSITIVE_INFINITY
  return (Date.parse(timeAdded ?? '') || now) + Math.max(0, Math.min(...seconds)) * 1_000 - now
}
