import type { Taint } from '../objects/cluster.js'
import type { Toleration } from '../objects/placement.js'

/** The first taint that keeps new work away and that no toleration covers; `PreferNoSchedule` keeps nothing away. */
export const untoleratedTaint = (
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): Taint | undefined =>
  taints
    .filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute')
    .find(taint => !tolerations.some(toleration => tolerates(toleration, taint)))

/** `Toleration.ToleratesTaint` of Kubernetes, without the comparisons `Lt` and `Gt`, which Karmada switches off. */
export function tolerates({ key, operator, value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false
  if (key && key !== taint.key) return false
  if (!operator || operator === 'Equal') return value === (taint.value ?? '')
  return operator === 'Exists'
}

/** A taint as kubectl writes it: `key=value:effect`. */
export const taintText = ({ key, value, effect }: Taint): string =>
  `${key}${value ? `=${value}` : ''}:${effect}`
