import { parseQuantity } from '../../manifests/quantity.js'
import { requested } from '../karmada/cluster-summary.js'
import type { Node, Pod, PodSpec } from '../objects/core.js'

const isReady = (node: Node): boolean =>
  !node.spec?.unschedulable &&
  (node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false)

/** The ready node with the fewest pods among those with room for the pod; undefined when none has. */
export function chooseNode(
  spec: PodSpec | undefined,
  nodes: readonly Node[],
  pods: readonly Pod[],
): string | undefined {
  const newcomer: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: '' }, ...(spec && { spec }) }
  const candidates = nodes.filter(isReady).flatMap(node => {
    const there = pods.filter(
      ({ spec: placed, status }) =>
        placed?.nodeName === node.metadata.name &&
        status?.phase !== 'Succeeded' &&
        status?.phase !== 'Failed',
    )
    return fits(node, [...there, newcomer]) ? [{ name: node.metadata.name, load: there.length }] : []
  })
  candidates.sort((one, other) => one.load - other.load || (one.name < other.name ? -1 : 1))
  return candidates[0]?.name
}

function fits(node: Node, pods: readonly Pod[]): boolean {
  const allocatable = node.status?.allocatable ?? {}
  return Object.entries(requested(pods)).every(
    ([resource, sum]) => parseQuantity(sum).nano <= parseQuantity(allocatable[resource] ?? '0').nano,
  )
}
