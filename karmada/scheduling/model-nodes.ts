import type { Component } from '../objects/binding.js'
import type { ResourceModel } from '../objects/cluster.js'
import { amountOf, type GradeCount, isScheduledResource, PODS_PER_NODE } from './node-models.js'

/** What is free on a node, by resource; `pods` is one of them. */
type Node = Map<string, bigint>

/**
 * Nodes of which only grades are known: each is as small as its grade allows.
 * @returns undefined when the models cannot be used
 */
export function modelNodes(
  models: readonly ResourceModel[],
  counts: readonly GradeCount[],
): readonly Node[] | undefined {
  if (models.length === 0 || counts.some(({ count }) => count < 0)) return
  const byGrade = [...new Map(models.map(model => [model.grade, model]))].sort(([a], [b]) => a - b)
  return byGrade.flatMap(([grade, { ranges }]) => {
    const nodes = counts.filter(one => one.grade === grade).reduce((sum, { count }) => sum + count, 0)
    const free = [...(ranges ?? []).map(({ name, min }) => [name, amountOf(name, min)] as const)]
    return Array.from({ length: nodes }, () => new Map([...free, ['pods', PODS_PER_NODE] as const]))
  })
}

/**
 * How many sets of components fit on nodes: pods go one after the other to the first node that has room (`SchedulingSimulator` of
 * Karmada). The nodes are filled.
 */
export function setsOnNodes(nodes: readonly Node[], components: readonly Component[], most: number): number {
  const wanted = components.map(({ replicas, replicaRequirements }) => ({
    replicas: BigInt(replicas),
    request: requestOf(replicaRequirements?.resourceRequest ?? {}),
  }))
  let sets = 0
  while (sets < most && wanted.every(({ replicas, request }) => placed(nodes, replicas, request))) sets++
  return sets
}

/** What a pod takes of a node, also its place among the pods. */
function requestOf(
  request: Readonly<Record<string, string | number>>,
): readonly (readonly [string, bigint])[] {
  const amounts = Object.entries(request)
    .filter(([name]) => isScheduledResource(name))
    .map(([name, text]) => [name, amountOf(name, text)] as const)
  return [...amounts.filter(([, amount]) => amount > 0n), ['pods', 1n]]
}

function placed(
  nodes: readonly Node[],
  replicas: bigint,
  request: readonly (readonly [string, bigint])[],
): boolean {
  let left = replicas
  for (const node of nodes) {
    let room = left
    for (const [name, amount] of request) {
      const fitting = (node.get(name) ?? 0n) / amount
      if (fitting < room) room = fitting
    }
    if (room <= 0n) continue
    for (const [name, amount] of request) node.set(name, (node.get(name) ?? 0n) - amount * room)
    left -= room
    if (left === 0n) return true
  }
  return left === 0n
}
