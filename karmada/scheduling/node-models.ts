import { parseQuantity, wholeUnits } from '../../manifests/quantity.js'
import type { ResourceModel } from '../objects/cluster.js'
import { milliUnits } from './milli-units.js'

/** What a node of any grade holds (`maxPodsCountPerNode` of Karmada's general estimator). */
export const PODS_PER_NODE = 110n

/** How many nodes of a grade have room, as the cluster reports it. */
export interface GradeCount {
  readonly grade: number
  readonly count: number
}

/**
 * How many replicas fit on nodes of which only grades are known: each node is as small as its grade allows. A replica stays
 * on one node, so nodes are counted one by one and not summed up.
 * @returns undefined when the models cannot be used: the caller falls back to the cluster's summary
 */
export function replicasByModels(
  models: readonly ResourceModel[],
  counts: readonly GradeCount[],
  request: Readonly<Record<string, string | number>>,
): bigint | undefined {
  if (models.length === 0 || counts.some(({ count }) => count < 0)) return
  const byGrade = new Map(models.map(model => [model.grade, model]))
  let total = 0n
  for (const [grade, model] of byGrade) {
    const nodes = counts.filter(one => one.grade === grade).reduce((sum, { count }) => sum + count, 0)
    total += BigInt(nodes) * replicasOnNode(model, request)
  }
  return total
}

function replicasOnNode(
  { ranges }: ResourceModel,
  request: Readonly<Record<string, string | number>>,
): bigint {
  const holds = new Map(ranges?.map(({ name, min }) => [name, min]))
  let most = PODS_PER_NODE
  for (const [name, text] of Object.entries(request)) {
    if (!isScheduledResource(name)) continue
    const requested = amountOf(name, text)
    if (requested <= 0n) continue
    const replicas = amountOf(name, holds.get(name) ?? 0) / requested
    if (replicas < most) most = replicas
  }
  return most
}

/** CPU in thousandths, everything else in whole units. */
export const amountOf = (name: string, text: string | number): bigint =>
  name === 'cpu' ? milliUnits(parseQuantity(text)) : wholeUnits(parseQuantity(text))

/** Whether Karmada's simulation looks at a resource (`lifted.IsScalarResourceName` and the three native ones). */
export const isScheduledResource = (name: string): boolean =>
  name === 'cpu' ||
  name === 'memory' ||
  name === 'ephemeral-storage' ||
  name.startsWith('hugepages-') ||
  name.startsWith('attachable-volumes-') ||
  (name.includes('/') && !name.startsWith('requests.'))
