import { describe, expect, it } from 'vitest'
import {
  type CronFederatedHpa,
  type CronRule,
  type ExecutionHistory,
  histories,
} from '../../karmada/autoscaling/cron-scaling.js'

const rule = (name: string, rest: Partial<CronRule> = {}): CronRule => ({
  name,
  schedule: '* * * * *',
  targetReplicas: 4,
  ...rest,
})
const cron = (rules: readonly CronRule[], executionHistories: readonly ExecutionHistory[] = []) =>
  ({
    apiVersion: 'autoscaling.karmada.io/v1alpha1',
    kind: 'CronFederatedHPA',
    metadata: { namespace: 'default', name: 'c' },
    spec: { rules, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    status: { executionHistories },
  }) satisfies CronFederatedHpa
const NEXT = '2026-01-01T00:05:00Z'
const time = (minute: number) => `2026-01-01T00:0${minute}:00Z`
const execution = (minute: number) => ({ scheduleTime: time(minute), executionTime: time(minute) })

describe('the histories of a CronFederatedHPA', () => {
  it('begin with each rule, and end with it', () => {
    expect(histories(cron([rule('a'), rule('b')], [{ ruleName: 'old' }]), () => NEXT)).toEqual([
      { ruleName: 'a', nextExecutionTime: NEXT },
      { ruleName: 'b', nextExecutionTime: NEXT },
    ])
  })

  it('have no next time for a rule that is suspended', () => {
    const before = [{ ruleName: 'a', nextExecutionTime: NEXT }]
    expect(histories(cron([rule('a', { suspend: true })], before), () => undefined)).toEqual([
      { ruleName: 'a' },
    ])
  })

  it.each([
    [undefined, 3],
    [1, 1],
  ])('keep the last executions, with a limit of %s', (limit, kept) => {
    const limits = limit === undefined ? {} : { successfulHistoryLimit: limit, failedHistoryLimit: limit }
    let held: readonly ExecutionHistory[] = []
    for (const minute of [1, 2, 3, 4]) {
      const one = cron([rule('a', limits)], held)
      held = histories(one, () => NEXT, [
        { rule: 'a', ...execution(minute) },
        { rule: 'a', ...execution(minute), failure: 'no' },
        { rule: 'other', ...execution(minute) },
      ])
    }
    const last = [4, 3, 2].slice(0, kept)
    expect(held).toEqual([
      {
        ruleName: 'a',
        nextExecutionTime: NEXT,
        successfulExecutions: last.map(minute => ({ ...execution(minute), appliedReplicas: 4 })),
        failedExecutions: last.map(minute => ({ ...execution(minute), message: 'no' })),
      },
    ])
  })

  it('tell the limits that a FederatedHPA got', () => {
    const { targetReplicas: _, ...limits } = rule('a', { targetMinReplicas: 2, targetMaxReplicas: 9 })
    const [history] = histories(cron([limits]), () => NEXT, [{ rule: 'a', ...execution(1) }])
    expect(history?.successfulExecutions).toEqual([
      { ...execution(1), appliedMinReplicas: 2, appliedMaxReplicas: 9 },
    ])
  })
})
