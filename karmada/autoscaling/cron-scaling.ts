import type { KubeObject } from '../../manifests/kube.js'

const autoscaling = (resource: string) =>
  ({ group: 'autoscaling.karmada.io', version: 'v1alpha1', resource }) as const

export const CRON_FEDERATED_HPAS = autoscaling('cronfederatedhpas')
export const FEDERATED_HPAS = autoscaling('federatedhpas')

/** autoscaling.karmada.io/v1alpha1 CronFederatedHPA: scales a workload or a FederatedHPA at set times. */
export interface CronFederatedHpa extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: ScaleTarget
    readonly rules: readonly CronRule[]
  }
  readonly status?: { readonly executionHistories?: readonly ExecutionHistory[] }
}

export interface ScaleTarget {
  readonly apiVersion?: string
  readonly kind: string
  readonly name: string
}

/** When, and to what. */
export interface CronRule {
  readonly name: string
  readonly schedule: string
  readonly timeZone?: string
  readonly suspend?: boolean
  /** For workloads. */
  readonly targetReplicas?: number
  /** For FederatedHPAs. */
  readonly targetMinReplicas?: number
  readonly targetMaxReplicas?: number
  readonly successfulHistoryLimit?: number
  readonly failedHistoryLimit?: number
}

export interface ExecutionHistory {
  readonly ruleName: string
  /** RFC 3339; absent while the rule is suspended. */
  readonly nextExecutionTime?: string
  /** The last one first. */
  readonly successfulExecutions?: readonly SuccessfulExecution[]
  readonly failedExecutions?: readonly FailedExecution[]
}

interface Execution {
  /** When it was due. */
  readonly scheduleTime: string
  readonly executionTime: string
}

interface SuccessfulExecution extends Execution {
  readonly appliedReplicas?: number
  readonly appliedMinReplicas?: number
  readonly appliedMaxReplicas?: number
}

interface FailedExecution extends Execution {
  readonly message: string
}

/** An execution that has just ended. */
export interface Executed extends Execution {
  readonly rule: string
  /** Why it failed; absent where it succeeded. */
  readonly failure?: string
}

/** Karmada's limit where a rule has none. */
const KEPT = 3

/**
 * The histories of the rules that there are, with what was just done (Karmada's CronFederatedHPA controller).
 * @param nextOf when a rule is due next, RFC 3339; undefined where it is suspended or cannot be
 */
export function histories(
  { spec, status }: CronFederatedHpa,
  nextOf: (rule: string) => string | undefined,
  executed: readonly Executed[] = [],
): readonly ExecutionHistory[] {
  const before = status?.executionHistories ?? []
  const kept = before.filter(one => spec.rules.some(({ name }) => name === one.ruleName))
  const missing = spec.rules.filter(({ name }) => !kept.some(one => one.ruleName === name))
  const all: readonly ExecutionHistory[] = [...kept, ...missing.map(({ name }) => ({ ruleName: name }))]
  return all.map(({ nextExecutionTime: _, ...history }) => {
    const rule = spec.rules.find(({ name }) => name === history.ruleName)
    const ended = executed.filter(one => one.rule === history.ruleName)
    const next = nextOf(history.ruleName)
    const recorded = rule ? ended.reduce((one, what) => withExecution(one, rule, what), history) : history
    return { ...recorded, ...(next !== undefined && { nextExecutionTime: next }) }
  })
}

function withExecution(history: ExecutionHistory, rule: CronRule, executed: Executed): ExecutionHistory {
  const { scheduleTime, executionTime, failure } = executed
  const { successfulExecutions = [], failedExecutions = [] } = history
  const { successfulHistoryLimit = KEPT, failedHistoryLimit = KEPT } = rule
  if (failure !== undefined) {
    const failed = { scheduleTime, executionTime, message: failure }
    return { ...history, failedExecutions: [failed, ...failedExecutions].slice(0, failedHistoryLimit) }
  }
  const { targetReplicas, targetMinReplicas, targetMaxReplicas } = rule
  const succeeded = {
    scheduleTime,
    executionTime,
    ...(targetReplicas !== undefined && { appliedReplicas: targetReplicas }),
    ...(targetMinReplicas !== undefined && { appliedMinReplicas: targetMinReplicas }),
    ...(targetMaxReplicas !== undefined && { appliedMaxReplicas: targetMaxReplicas }),
  }
  return {
    ...history,
    successfulExecutions: [succeeded, ...successfulExecutions].slice(0, successfulHistoryLimit),
  }
}
