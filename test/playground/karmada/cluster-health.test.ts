import { describe, expect, it } from 'vitest'
import type { Taint } from '../../../karmada/objects/cluster.js'
import {
  apiEnablementsCondition,
  ReadinessThreshold,
  readyCondition,
  taintsFor,
} from '../../../playground/karmada/cluster-health.js'

const up = readyCondition('healthy')
const down = readyCondition('unreachable')

describe('the Ready condition', () => {
  it.each([
    ['healthy', 'True', 'ClusterReady'],
    ['unhealthy', 'False', 'ClusterNotReady'],
    ['unreachable', 'False', 'ClusterNotReachable'],
    [{ uncollectable: 'secrets "x" not found' }, 'False', 'StatusCollectionFailed'],
  ] as const)('of a member that is %j becomes %s / %s', (health, status, reason) =>
    expect(readyCondition(health)).toMatchObject({ status, reason }),
  )

  it('follows the first observation at once', () => {
    expect(new ReadinessThreshold({ success: 30, failure: 30 }).adjust(down, undefined, 0)).toBe(down)
  })

  it('changes only after the observation has lasted', () => {
    const threshold = new ReadinessThreshold({ success: 30, failure: 10 })
    threshold.adjust(up, undefined, 0)
    expect(threshold.adjust(down, up, 100)).toBe(up)
    expect(threshold.adjust(down, up, 109)).toBe(up)
    expect(threshold.adjust(down, up, 110)).toBe(down)
    expect(threshold.adjust(up, down, 111)).toBe(down)
    expect(threshold.adjust(up, down, 141)).toBe(up)
  })

  it('restarts its waiting time when the observation wavers', () => {
    const threshold = new ReadinessThreshold({ success: 10, failure: 10 })
    threshold.adjust(up, undefined, 0)
    threshold.adjust(down, up, 5)
    threshold.adjust(up, up, 12)
    expect(threshold.adjust(down, up, 16)).toBe(up)
  })

  it('changes its reason at once while it stays False', () => {
    const threshold = new ReadinessThreshold({ success: 30, failure: 30 })
    threshold.adjust(down, undefined, 0)
    const unhealthy = readyCondition('unhealthy')
    expect(threshold.adjust(unhealthy, down, 1)).toBe(unhealthy)
  })
})

describe('API enablement', () => {
  it.each([
    [0, false, 'Empty'],
    [3, true, 'Partial'],
    [3, false, 'Complete'],
  ])('with %i group versions, partial %s, is %s', (count, partial, reason) =>
    expect(apiEnablementsCondition(count, partial).reason).toBe(reason),
  )
})

describe('taints', () => {
  const notReady: Taint = { key: 'cluster.karmada.io/not-ready', effect: 'NoSchedule' }
  const unreachable: Taint = { key: 'cluster.karmada.io/unreachable', effect: 'NoSchedule' }
  const cordon: Taint = { key: 'cluster.karmada.io/unschedulable', effect: 'NoSchedule' }

  it.each([
    ['nothing is known yet', undefined, [], [notReady]],
    ['it is not ready', 'False', [unreachable], [notReady]],
    ['its state is unknown', 'Unknown', [notReady], [unreachable]],
    ['it is ready', 'True', [notReady, unreachable], []],
    ['it is ready and cordoned', 'True', [cordon, notReady], [cordon]],
  ] as const)('are correct when %s', (_when, status, before, after) =>
    expect(taintsFor(status, before)).toEqual(after),
  )

  it('are unchanged when they are correct', () => {
    const taints = [cordon]
    expect(taintsFor('True', taints)).toBe(taints)
  })
})
