import type { Node, NodeSelectorTerm, Pod } from '../../objects/core.js'
import { NODES, PODS } from '../../objects/core-types.js'
import { mayRunOn } from '../scheduler/filters.js'
import type { ControllerRevision, DaemonSet } from '../workloads.js'
import type { Plan, World } from './plan.js'
import {
  availableIn,
  countPods,
  createPod,
  deletePods,
  hasFailed,
  hasFinished,
  isTerminating,
  nonZero,
  podOf,
  scaled,
} from './pods.js'
import { forgottenRevisions, hashOf, REVISION_LABEL, revisionsOf } from './revisions.js'

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

/** What every daemon pod tolerates: it belongs to its node, whatever state that is in. */
const TOLERATIONS = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
] as const

/** The DaemonSet controller: a pod on each node that may have one; the scheduler binds it there. */
export function planDaemonSet(set: DaemonSet, world: World): Plan {
  const revisions = revisionsOf(set, world)
  const hash = hashOf(revisions.present)
  const pods = world.owned<Pod>(PODS, set)
  const byNode = podsByNode(pods)
  const nodes = world.all<Node>(NODES)
  const wanted = nodes.filter(node => mayRunOn(daemonPod(set, hash, node.metadata.name), node))
  const { status, again } = statusOf(set, wanted, nodes, byNode, hash, world.now)
  if (set.metadata.deletionTimestamp) return { status }
  const created = wanted
    .filter(node => !byNode.has(node.metadata.name))
    .map(node => createPod(daemonPod(set, hash, node.metadata.name)))
  const deleted = deletePods([
    ...unwanted(pods, wanted, byNode),
    ...outdated(set, byNode, hash, wanted.length, world.now),
  ])
  const inUse = (one: ControllerRevision) =>
    hashOf(one) === hash || pods.some(({ metadata }) => metadata.labels?.[REVISION_LABEL] === hashOf(one))
  return {
    changes: [
      ...revisions.changes,
      ...created,
      ...deleted.changes,
      ...forgottenRevisions(set, revisions.all, inUse),
    ],
    status,
    notes: deleted.notes,
    ...(again !== undefined && { again }),
  }
}

/** The pod for one node: pinned there by name. */
function daemonPod(set: DaemonSet, hash: string, node: string): Pod {
  const pod = podOf(set, set.spec.template, { generateName: `${set.metadata.name}-` })
  const generation = set.metadata.annotations?.[TEMPLATE_GENERATION]
  const terms = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const pin = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }
  // The pin replaces what else was asked of the node's fields, and the node was chosen by the rest.
  const nodeSelectorTerms: readonly NodeSelectorTerm[] = terms
    ? terms.nodeSelectorTerms.map(term => ({ ...term, ...pin }))
    : [pin]
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        [REVISION_LABEL]: hash,
        ...(generation !== undefined && { 'pod-template-generation': generation }),
      },
    },
    spec: {
      ...pod.spec,
      affinity: {
        ...pod.spec?.affinity,
        nodeAffinity: {
          ...pod.spec?.affinity?.nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
        },
      },
      tolerations: [...(pod.spec?.tolerations ?? []), ...TOLERATIONS],
    },
  }
}

/** The node that a daemon pod is on, or is meant for. */
function nodeOf({ spec }: Pod): string {
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const pinned = terms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key }) => key === 'metadata.name')
  return spec?.nodeName ?? pinned?.values?.[0] ?? ''
}

/** The oldest first on each node. */
function podsByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const byNode = new Map<string, Pod[]>()
  const age = ({ metadata }: Pod) => metadata.creationTimestamp ?? ''
  for (const pod of [...pods].sort((one, other) => (age(one) < age(other) ? -1 : 1))) {
    const node = nodeOf(pod)
    byNode.set(node, [...(byNode.get(node) ?? []), pod])
  }
  return byNode
}

/** Pods on nodes that should have none, failed ones, and all but the oldest of several. */
function unwanted(
  pods: readonly Pod[],
  wanted: readonly Node[],
  byNode: ReadonlyMap<string, readonly Pod[]>,
): readonly Pod[] {
  const names = new Set(wanted.map(({ metadata }) => metadata.name))
  return pods.filter(pod => {
    if (isTerminating(pod)) return false
    const running = (byNode.get(nodeOf(pod)) ?? []).filter(one => !hasFinished(one) && !isTerminating(one))
    return !names.has(nodeOf(pod)) || hasFailed(pod) || (running.length > 1 && running[0] !== pod)
  })
}

/** Pods of an older template that may go now: those that are not available, and others within `maxUnavailable`. */
function outdated(
  set: DaemonSet,
  byNode: ReadonlyMap<string, readonly Pod[]>,
  hash: string,
  wanted: number,
  now: number,
): readonly Pod[] {
  if (set.spec.updateStrategy?.type === 'OnDelete') return []
  const most = Math.max(1, scaled(set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, wanted, 'up'))
  const isAvailable = (pod: Pod) => availableIn(pod, set.spec.minReadySeconds ?? 0, now) === 0
  const gone: Pod[] = []
  const candidates: Pod[] = []
  let missing = 0
  for (const pods of byNode.values()) {
    const [pod] = pods.filter(one => !isTerminating(one))
    const isOld = pod && pod.metadata.labels?.[REVISION_LABEL] !== hash
    if (!pod || !isAvailable(pod)) missing++
    if (pod && isOld) (isAvailable(pod) ? candidates : gone).push(pod)
  }
  return [...gone, ...candidates.slice(0, Math.max(0, most - missing))]
}

function statusOf(
  set: DaemonSet,
  wanted: readonly Node[],
  nodes: readonly Node[],
  byNode: ReadonlyMap<string, readonly Pod[]>,
  hash: string,
  now: number,
) {
  const oldest = wanted.flatMap(({ metadata }) => byNode.get(metadata.name)?.slice(0, 1) ?? [])
  const { ready, available, again } = countPods(oldest, set.spec.minReadySeconds ?? 0, now)
  const status = {
    currentNumberScheduled: oldest.length,
    numberMisscheduled: nodes.filter(node => !wanted.includes(node) && byNode.has(node.metadata.name)).length,
    desiredNumberScheduled: wanted.length,
    numberReady: ready,
    observedGeneration: set.metadata.generation ?? 0,
    ...nonZero({
      updatedNumberScheduled: oldest.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === hash)
        .length,
      numberAvailable: available,
      numberUnavailable: wanted.length - available,
    }),
  }
  return { status, again }
}
