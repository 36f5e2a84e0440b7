import { parseQuantity } from '../../../manifests/quantity.js'
import type { Json } from '../../apimachinery/json.js'
import { selectorFromObject } from '../../apimachinery/label-selector.js'
import type {
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  NodeTaint,
  Pod,
  PodAffinityTerm,
  PodToleration,
} from '../../objects/core.js'
import { requested } from '../../objects/pod-requests.js'

/** A node and the pods on it that have not ended. */
export interface Occupied {
  readonly node: Node
  readonly pods: readonly Pod[]
}

/** kube-scheduler's word for why a node will not do; undefined where a rule has nothing against it. */
type Refusal = string | undefined

/** One rule. @param all every node, for rules that look beyond one */
type Filter = (pod: Pod, on: Occupied, all: readonly Occupied[]) => Refusal | readonly string[]

/** kube-scheduler's filters, in its order: the first that refuses gives the reason. */
const FILTERS: readonly Filter[] = [
  (pod, { node }) => unschedulable(pod, node),
  (pod, { node }) => untolerated(pod, node),
  (pod, { node }) =>
    matchesNodeSelector(pod, node) ? undefined : "node(s) didn't match Pod's node affinity/selector",
  (pod, { pods }) =>
    portsClash(pod, pods) ? "node(s) didn't have free ports for the requested pod ports" : undefined,
  (pod, { node, pods }) => insufficient(pod, node, pods),
  (pod, on, all) => interPod(pod, on, all),
]

/** Why a pod may not go to a node, in kube-scheduler's words; empty for a node that will do. */
export function refusals(pod: Pod, on: Occupied, all: readonly Occupied[]): readonly string[] {
  for (const filter of FILTERS) {
    const reasons = filter(pod, on, all)
    if (typeof reasons === 'string') return [reasons]
    if (reasons && reasons.length > 0) return reasons
  }
  return []
}

/** True for a node that a daemon may have a pod on, full or not. */
export const mayRunOn = (pod: Pod, node: Node): boolean =>
  matchesNodeSelector(pod, node) && untolerated(pod, node) === undefined

const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable'

function unschedulable({ spec }: Pod, node: Node): Refusal {
  if (!node.spec?.unschedulable) return undefined
  const taint = { key: UNSCHEDULABLE, effect: 'NoSchedule' }
  return spec?.tolerations?.some(one => tolerates(one, taint)) ? undefined : 'node(s) were unschedulable'
}

function untolerated({ spec }: Pod, node: Node): Refusal {
  const taint = node.spec?.taints?.find(
    ({ effect, ...rest }) =>
      (effect === 'NoSchedule' || effect === 'NoExecute') &&
      !spec?.tolerations?.some(one => tolerates(one, { effect, ...rest })),
  )
  return taint && `node(s) had untolerated taint(s)`
}

/** True when a toleration covers a taint. */
export function tolerates(
  { key, operator = 'Equal', value = '', effect }: PodToleration,
  taint: NodeTaint,
): boolean {
  if (effect && effect !== taint.effect) return false
  if (key && key !== taint.key) return false
  return operator === 'Exists' || (key !== undefined && value === (taint.value ?? ''))
}

function matchesNodeSelector({ spec }: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {}
  if (Object.entries(spec?.nodeSelector ?? {}).some(([key, value]) => labels[key] !== value)) return false
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || required.nodeSelectorTerms.some(term => matchesTerm(term, node))
}

/** A term that asks nothing matches nothing. */
function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false
  const labels = node.metadata.labels ?? {}
  const fields: Readonly<Record<string, string>> = { 'metadata.name': node.metadata.name }
  return (
    matchExpressions.every(one => matchesRequirement(one, labels[one.key])) &&
    matchFields.every(one => matchesRequirement(one, fields[one.key]))
  )
}

function matchesRequirement(
  { operator, values = [] }: NodeSelectorRequirement,
  value: string | undefined,
): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0])
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0])
    default:
      return false
  }
}

const hostPorts = ({ spec }: Pod): readonly string[] =>
  (spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, protocol = 'TCP' }) => (hostPort ? [`${protocol}/${hostPort}`] : [])),
  )

function portsClash(pod: Pod, pods: readonly Pod[]): boolean {
  const wanted = hostPorts(pod)
  if (wanted.length === 0) return false
  const taken = new Set(pods.flatMap(hostPorts))
  return wanted.some(port => taken.has(port))
}

/** Every resource that there is too little of. */
function insufficient(pod: Pod, node: Node, pods: readonly Pod[]): readonly string[] {
  const allocatable = node.status?.allocatable ?? {}
  const sums = requested([...pods, pod])
  const own = requested([pod])
  return Object.keys(own)
    .filter(name => parseQuantity(sums[name] ?? '0').nano > parseQuantity(allocatable[name] ?? '0').nano)
    .map(name => (name === 'pods' ? 'Too many pods' : `Insufficient ${name}`))
}

const selects = (term: PodAffinityTerm, pod: Pod, namespace: string): boolean =>
  (term.namespaces?.length ? term.namespaces : [namespace]).includes(pod.metadata.namespace ?? '') &&
  selectorFromObject(term.labelSelector as Json | undefined).matches(pod.metadata.labels ?? {})

/** Pods in the same part of the cluster, as a term draws it. */
function neighbours(term: PodAffinityTerm, { node }: Occupied, all: readonly Occupied[]): readonly Pod[] {
  const part = node.metadata.labels?.[term.topologyKey]
  if (part === undefined) return []
  return all.filter(one => one.node.metadata.labels?.[term.topologyKey] === part).flatMap(({ pods }) => pods)
}

function interPod(pod: Pod, on: Occupied, all: readonly Occupied[]): Refusal {
  const namespace = pod.metadata.namespace ?? ''
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {}
  const together = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  const everyone = all.flatMap(({ pods }) => pods)
  const meets = (term: PodAffinityTerm) =>
    neighbours(term, on, all).some(one => selects(term, one, namespace)) ||
    // The first pod of its kind has no other to be near.
    (selects(term, pod, namespace) && !everyone.some(one => selects(term, one, namespace)))
  if (!together.every(meets)) return "node(s) didn't match pod affinity rules"
  const apart = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  if (apart.some(term => neighbours(term, on, all).some(one => selects(term, one, namespace))))
    return "node(s) didn't match pod anti-affinity rules"
  const isShunned = everyone.some(other =>
    (other.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(
      term => selects(term, pod, other.metadata.namespace ?? '') && neighbours(term, on, all).includes(other),
    ),
  )
  return isShunned ? "node(s) didn't satisfy existing pods anti-affinity rules" : undefined
}
