import type { TargetCluster } from '../../karmada/objects/binding.js'
import type { Decision } from '../../karmada/scheduling/schedule.js'

/** Karmada's answer to a scheduling scenario, as `test/real/karmada-oracle` gives it. */
export interface OracleSchedule {
  readonly clusters: readonly TargetCluster[]
  readonly reason?: string
  readonly message?: string
  /** The reason of the first filter that refused each cluster. */
  readonly refused?: Readonly<Record<string, readonly string[]>>
  readonly problem?: string
}

/** A schedule in one line: `member1=3 member2=1`, or the reason and message of the failure. */
export function outcomeOf(decided: Decision | OracleSchedule): string {
  if ('problem' in decided) return `problem: ${decided.problem}`
  const failure = 'verdicts' in decided ? decided.failure : decided.reason ? decided : undefined
  if (!failure) return decided.clusters.map(({ name, replicas = 0 }) => `${name}=${replicas}`).join(' ')
  // The message counts the first refusal of each cluster, and Karmada runs its filters in no particular order.
  return failure.reason === 'NoClusterFit' ? 'NoClusterFit' : `${failure.reason}: ${failure.message}`
}
