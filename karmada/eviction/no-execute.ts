import type { Cluster, Taint } from '../objects/cluster.js'
import type { Placement, Toleration } from '../objects/placement.js'
import { APPLIED_PLACEMENT, type Binding } from '../objects/resource-binding.js'
import { tolerates } from '../scheduling/tolerations.js'
import type { EvictionOptions } from './evict.js'
import { preservedState } from './preserved-state.js'

/** How long a binding may stay in a cluster with NoExecute taints. */
export type Tolerance =
  /** It must leave now. */
  | 'none'
  | 'forever'
  /** Milliseconds, more than 0. */
  | { readonly forMs: number }

/** The taints of a cluster that take away what runs there. */
export const noExecuteTaints = ({ spec: { taints = [] } }: Cluster): readonly Taint[] =>
  taints.filter(({ effect }) => effect === 'NoExecute')

/**
 * How long tolerations cover the NoExecute taints of a cluster, from when each taint was added (Karmada's taint manager).
 * @param now milliseconds
 */
export function toleranceOf(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  now: number,
): Tolerance {
  const used: Toleration[] = []
  for (const taint of taints) {
    const toleration = tolerations.find(one => tolerates(one, taint))
    if (!toleration) return 'none'
    used.push(toleration)
  }
  // Karmada counts a toleration for each taint that it covers, also where another one was found first.
  const ends = used.flatMap(toleration => {
    const { tolerationSeconds } = toleration
    if (tolerationSeconds === undefined) return []
    return taints
      .filter(taint => taint.timeAdded !== undefined && tolerates(toleration, taint))
      .map(({ timeAdded }) => Date.parse(timeAdded ?? '') + tolerationSeconds * 1_000)
  })
  if (ends.length === 0) return 'forever'
  const left = Math.min(...ends) - now
  return left <= 0 ? 'none' : { forMs: left }
}

/** The placement that a binding was last scheduled for; undefined before that, or where it cannot be read. */
export function appliedPlacement({ metadata }: Binding): Placement | undefined {
  const text = metadata.annotations?.[APPLIED_PLACEMENT]
  if (!text) return undefined
  try {
    return JSON.parse(text) as Placement
  } catch {
    return undefined
  }
}

/**
 * How the taint manager evicts a binding from a cluster: as its policy says, and gracefully where that says nothing.
 * @throws StatePreservationError
 */
export function untoleratedTaint(binding: Binding, cluster: string): EvictionOptions {
  const behavior = binding.spec.failover?.cluster
  const preservedLabelState = preservedState(binding, cluster, behavior?.statePreservation)
  return {
    purgeMode: behavior?.purgeMode ?? 'Gracefully',
    reason: 'TaintUntolerated',
    producer: 'TaintManager',
    ...(preservedLabelState && { preservedLabelState }),
  }
}
