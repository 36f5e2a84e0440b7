import type { NodeSummary, ResourceModel, ResourceSummary } from '../../karmada/objects/cluster.js'
import { ResourceSum } from '../../manifests/quantity.js'
import type { Node, Pod } from '../objects/core.js'
import { requested } from '../objects/pod-requests.js'
import { allocatableModelings } from './resource-models.js'

/** How many nodes there are and how many are Ready; zeros are left out of the JSON. */
export function nodeSummary(nodes: readonly Node[]): NodeSummary {
  const readyNum = nodes.filter(isNodeReady).length
  return { ...(nodes.length > 0 && { totalNum: nodes.length }), ...(readyNum > 0 && { readyNum }) }
}

const isNodeReady = (node: Node): boolean =>
  node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false

/**
 * What the nodes offer and what pods ask for, summed exactly. Allocatable counts every node, ready or not; allocating
 * counts pods without a node, allocated those on a node that have not finished.
 */
export function resourceSummary(
  nodes: readonly Node[],
  pods: readonly Pod[],
  models: readonly ResourceModel[] = [],
): ResourceSummary {
  const allocatable = new ResourceSum()
  for (const node of nodes) allocatable.add(node.status?.allocatable ?? {})
  const waiting = pods.filter(pod => !pod.spec?.nodeName)
  const running = pods.filter(pod => pod.spec?.nodeName && !hasFinished(pod))
  return {
    ...(!allocatable.isEmpty && { allocatable: allocatable.toResourceList() }),
    ...listed('allocating', requested(waiting)),
    ...listed('allocated', requested(running)),
    ...(models.length > 0 && { allocatableModelings: modelings(models, nodes, running) }),
  }
}

const hasFinished = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed'

const listed = (name: string, list: Readonly<Record<string, string>>): Record<string, unknown> =>
  Object.keys(list).length > 0 ? { [name]: list } : {}

function modelings(models: readonly ResourceModel[], nodes: readonly Node[], running: readonly Pod[]) {
  const byNode = new Map<string, Pod[]>()
  for (const pod of running) {
    const node = pod.spec?.nodeName ?? ''
    const pods = byNode.get(node)
    if (pods) pods.push(pod)
    else byNode.set(node, [pod])
  }
  const loads = nodes.map(node => {
    const pods = byNode.get(node.metadata.name)
    return { allocatable: node.status?.allocatable ?? {}, ...(pods && { taken: requested(pods) }) }
  })
  return allocatableModelings(models, loads)
}
