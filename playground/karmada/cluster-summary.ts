import type { NodeSummary, ResourceModel, ResourceSummary } from '../../karmada/objects/cluster.js'
import {
  addQuantities,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
  ResourceSum,
  wholeUnits,
  ZERO,
} from '../../manifests/quantity.js'
import type { Node, Pod } from '../objects/core.js'
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

/**
 * The effective requests of pods by resource, with `pods` as their number: containers summed, an init container's larger
 * request instead, overhead on top. Karmada counts cpu in thousandths and all else in whole units, each request rounded up.
 */
export function requested(pods: readonly Pod[]): Record<string, string> {
  const total = new ResourceSum()
  for (const pod of pods) {
    for (const [name, value] of podRequest(pod)) total.addQuantity(name, value)
  }
  if (pods.length > 0)
    total.addQuantity('pods', { nano: BigInt(pods.length) * 1_000_000_000n, format: 'DecimalSI' })
  const list = total.toResourceList()
  return Object.fromEntries(Object.entries(list).filter(([, value]) => value !== '0'))
}

function podRequest({ spec }: Pod): Map<string, Quantity> {
  const sums = new Map<string, Quantity>()
  const add = (requests: Readonly<Record<string, string>> = {}) => {
    for (const [name, value] of counted(requests))
      sums.set(name, addQuantities(sums.get(name) ?? ZERO, value))
  }
  for (const { resources } of spec?.containers ?? []) add(resources?.requests)
  for (const { resources } of spec?.initContainers ?? []) {
    for (const [name, value] of counted(resources?.requests ?? {}))
      if (value.nano > (sums.get(name) ?? ZERO).nano) sums.set(name, value)
  }
  add(spec?.overhead)
  return sums
}

/** The resources Karmada counts: native ones and extended ones (`nvidia.com/gpu`), in its units. */
function* counted(requests: Readonly<Record<string, string>>): Generator<[string, Quantity]> {
  for (const [name, value] of Object.entries(requests)) {
    const quantity = parseQuantity(value)
    if (name === 'cpu') yield [name, roundedUp(quantity, 1_000_000n, 'DecimalSI')]
    else yield [name, roundedUp(quantity, 1_000_000_000n, isBytes(name) ? 'BinarySI' : 'DecimalSI')]
  }
}

const isBytes = (name: string): boolean =>
  name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')

function roundedUp({ nano, format }: Quantity, unit: bigint, as: QuantityFormat): Quantity {
  if (unit === 1_000_000_000n) return { nano: wholeUnits({ nano, format }) * unit, format: as }
  return { nano: ((nano + unit - 1n) / unit) * unit, format: as }
}
