import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideScale, type HpaView } from '../../../karmada/autoscaling/hpa.js'
import { afterScaling, NO_MEMORY } from '../../../karmada/autoscaling/hpa-behavior.js'
import { type HpaSpec, type MetricSpec, withHpaDefaults } from '../../../karmada/autoscaling/hpa-spec.js'
import type { PodMetrics } from '../../../karmada/autoscaling/pod-metrics.js'
import type { ScaledPod } from '../../../karmada/autoscaling/replica-calculator.js'

const NOW = Date.parse('2026-01-01T12:00:00Z')
const at = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString()

/** A pod that requests 100m and 100Mi, ready for an hour. */
const pod = (name: string, status: ScaledPod['status'] = {}, rest: object = {}): ScaledPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name, ...rest },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu: '100m', memory: '100Mi' } } }] },
  status: {
    phase: 'Running',
    startTime: at(-3_600),
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(-3_600) }],
    ...status,
  },
})
const used = (name: string, cpu: string, memory = '10Mi'): PodMetrics => ({
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  metadata: { namespace: 'default', name },
  timestamp: at(0),
  window: '10s',
  containers: [{ name: 'c', usage: { cpu, memory } }],
})

const cpu = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})
const spec = (rest: Partial<HpaSpec> = {}): HpaSpec => ({
  scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
  minReplicas: 1,
  maxReplicas: 10,
  metrics: [cpu(50)],
  ...rest,
})
/** Two pods that use as much as is said, in the template and in one member. */
const view = (usages: readonly string[], rest: Partial<HpaView> = {}): HpaView => {
  const names = usages.map((_, index) => `p-${index}`)
  return {
    ...{ replicas: usages.length, scaled: usages.length, calibration: 1, now: NOW, memory: NO_MEMORY },
    pods: names.map(name => pod(name)),
    metrics: usages.map((usage, index) => used(`p-${index}`, usage)),
    ...rest,
  }
}
const conditionOf = (decision: ReturnType<typeof decideScale>, type: string) =>
  decision.conditions.find(one => one.type === type)

describe('the replicas that an autoscaler decides on', () => {
  it.each<[string, HpaSpec, HpaView, number]>([
    ['as they are at the target', spec(), view(['50m', '50m']), 2],
    ['as they are within a tenth of it', spec(), view(['54m', '54m']), 2],
    ['more above it', spec(), view(['100m', '50m']), 3],
    ['at most twice as many at once, or four', spec(), view(['500m', '500m']), 4],
    ['never more than the maximum', spec({ maxReplicas: 3 }), view(['500m', '500m']), 3],
    ['as they are below it: five minutes must pass', spec(), view(['5m', '5m']), 2],
    [
      'fewer where the window is over',
      spec({ behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } }),
      view(['5m', '5m']),
      1,
    ],
    [
      'never fewer than the minimum',
      spec({ minReplicas: 2, behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } }),
      view(['5m', '5m', '5m']),
      2,
    ],
    ['the maximum where there are more', spec({ maxReplicas: 1 }), view(['5m', '5m']), 1],
    ['the minimum where there are fewer', spec({ minReplicas: 5 }), view(['5m', '5m']), 5],
    ['none where there are none', spec({ minReplicas: 5 }), view([], { replicas: 0, scaled: 0 }), 0],
    ['by the metric that asks for most', spec({ metrics: [cpu(1_000), cpu(50)] }), view(['100m', '50m']), 3],
    [
      'by an average value',
      spec({
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '50m' } },
          },
        ],
      }),
      view(['100m', '50m']),
      3,
    ],
    [
      'by one container',
      spec({
        metrics: [
          {
            type: 'ContainerResource',
            containerResource: {
              name: 'cpu',
              container: 'c',
              target: { type: 'Utilization', averageUtilization: 50 },
            },
          },
        ],
      }),
      view(['100m', '50m']),
      3,
    ],
    ['80 percent of the CPU where no metric is named', { ...spec(), metrics: [] }, view(['160m', '160m']), 4],
    [
      'for the template, of which members have two each',
      spec(),
      view(['100m', '100m', '100m', '100m'], { replicas: 2, scaled: 4, calibration: 2 }),
      4,
    ],
  ])('are %s', (_, one, seen, replicas) => {
    expect(decideScale(one, seen).replicas).toBe(replicas)
  })

  it('count pods that start as idle on the way up, and pods without a metric as busy on the way down', () => {
    const starting = pod('p-2', {
      startTime: at(-20),
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(-5) }],
    })
    const pending = pod('p-3', { phase: 'Pending' })
    const up = view(['100m', '100m', '100m'], { replicas: 4, scaled: 4 })
    const pods = [pod('p-0'), pod('p-1'), starting, pending]
    // 200m of 200m would ask for eight; with two idle pods it is half of what is requested: the target.
    expect(decideScale(spec(), { ...up, pods }).replicas).toBe(4)
    const down = view(['5m', '5m'], {
      replicas: 3,
      scaled: 3,
      pods: ['p-0', 'p-1', 'p-2'].map(name => pod(name)),
    })
    const quick = spec({ behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } })
    expect(decideScale(quick, down).replicas).toBe(3)
  })

  it('do not follow pods that leave, or have failed', () => {
    const pods = [pod('p-0'), pod('p-1', {}, { deletionTimestamp: at(0) }), pod('p-2', { phase: 'Failed' })]
    const seen = view(['50m', '500m', '500m'], { replicas: 1, scaled: 1, pods })
    expect(decideScale(spec(), seen).replicas).toBe(1)
  })

  it('grow no faster than the rules allow, and shrink no faster', () => {
    const slow = { policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }], stabilizationWindowSeconds: 0 }
    const one = spec({ behavior: { scaleUp: slow, scaleDown: slow } })
    const up = decideScale(one, view(['500m', '500m']))
    expect([up.replicas, conditionOf(up, 'ScalingLimited')?.reason]).toEqual([3, 'ScaleUpLimit'])
    const memory = afterScaling(up.memory, 2, 3, NOW)
    const busy = view(['500m', '500m', '500m'], { memory, now: NOW + 30_000 })
    expect(decideScale(one, busy).replicas).toBe(3)
    expect(decideScale(one, { ...busy, now: NOW + 60_000 }).replicas).toBe(4)
    const idle = view(['1m', '1m', '1m', '1m'])
    expect(decideScale(one, idle).replicas).toBe(3)
    const off = spec({ behavior: { scaleUp: { selectPolicy: 'Disabled' } } })
    expect(decideScale(off, view(['500m', '500m'])).replicas).toBe(2)
  })

  it('wait for the lowest recommendation of the window on the way up', () => {
    const one = spec({ behavior: { scaleUp: { stabilizationWindowSeconds: 60 } } })
    const first = decideScale(one, view(['500m', '500m']))
    expect([first.replicas, conditionOf(first, 'AbleToScale')?.reason]).toEqual([2, 'ScaleUpStabilized'])
    const later = decideScale(one, view(['500m', '500m'], { memory: first.memory, now: NOW + 60_000 }))
    expect(later.replicas).toBe(6)
  })

  it('are always within the limits when they change, and change in the direction of the metric', () => {
    const usage = fc.integer({ min: 0, max: 1_000 })
    fc.assert(
      fc.property(
        fc.array(usage, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 0, max: 10 }),
        fc.option(fc.constant({ scaleDown: { stabilizationWindowSeconds: 0 } }), { nil: undefined }),
        (usages, minReplicas, more, behavior) => {
          const maxReplicas = minReplicas + more
          const one = { ...spec({ minReplicas, maxReplicas }), ...(behavior && { behavior }) }
          const { replicas } = decideScale(one, view(usages.map(cpus => `${cpus}m`)))
          expect(replicas).toBeGreaterThanOrEqual(minReplicas)
          expect(replicas).toBeLessThanOrEqual(maxReplicas)
          const before = usages.length
          if (before < minReplicas || before > maxReplicas) return
          const utilization = Math.trunc(usages.reduce((sum, cpus) => sum + cpus, 0) / before)
          if (utilization > 54) expect(replicas).toBeGreaterThanOrEqual(before)
          else if (utilization >= 45) expect(replicas).toBe(before)
          else expect(replicas).toBeLessThanOrEqual(before)
        },
      ),
    )
  })
})

describe('what an autoscaler says', () => {
  it('of a scaling: why, and what the metrics are', () => {
    const decision = decideScale(spec(), view(['100m', '50m']))
    expect(decision.reason).toBe('cpu resource utilization (percentage of request) above target')
    expect(decision.currentMetrics).toEqual([
      {
        type: 'Resource',
        resource: { name: 'cpu', current: { averageUtilization: 75, averageValue: '75m' } },
      },
    ])
    expect(conditionOf(decision, 'ScalingActive')).toMatchObject({
      status: 'True',
      reason: 'ValidMetricFound',
    })
    expect(conditionOf(decision, 'ScalingLimited')).toMatchObject({
      status: 'False',
      reason: 'DesiredWithinRange',
    })
  })

  it.each<[string, Partial<HpaView>, string]>([
    [
      'no pods',
      { pods: [] },
      'failed to get cpu utilization: no pods returned by selector while calculating replica count',
    ],
    [
      'no metrics',
      { metrics: [] },
      'failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API',
    ],
    [
      'metrics that cannot be read',
      { metrics: { failure: 'service unavailable' } },
      'failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: service unavailable',
    ],
    [
      'pods that only start',
      { pods: [pod('p-0', { phase: 'Pending' })] },
      'failed to get cpu utilization: did not receive metrics for any ready pods',
    ],
    [
      'pods without requests',
      { pods: [{ ...pod('p-0'), spec: { containers: [{ name: 'c' }] } }] },
      'failed to get cpu utilization: missing request for cpu in container c of Pod p-0',
    ],
  ])('of %s: nothing scales, and what is wrong', (_, rest, cause) => {
    const decision = decideScale(spec(), view(['50m'], rest))
    expect(decision).toMatchObject({ replicas: 1, hasFailed: true })
    expect(conditionOf(decision, 'ScalingActive')).toEqual({
      ...{ type: 'ScalingActive', status: 'False', reason: 'FailedGetResourceMetric' },
      message: `the HPA was unable to compute the replica count: ${cause}`,
    })
    expect(decision.notes).toEqual([
      { type: 'Warning', reason: 'FailedGetResourceMetric', message: cause },
      {
        ...{ type: 'Warning', reason: 'FailedComputeMetricsReplicas' },
        message: `invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${cause}`,
      },
    ])
  })

  it('of metrics that are not served: it scales up by the others alone', () => {
    const pods: MetricSpec = {
      type: 'Pods',
      pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '1' } },
    }
    const one = spec({ metrics: [pods, cpu(50)] })
    expect(decideScale(one, view(['100m', '50m'])).replicas).toBe(3)
    const idle = decideScale(
      { ...one, behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
      view(['1m', '1m']),
    )
    expect(idle).toMatchObject({ replicas: 2, hasFailed: true })
    expect(conditionOf(idle, 'ScalingActive')?.reason).toBe('FailedGetPodsMetric')
  })
})

it('defaults leave what is written as it is', () => {
  const written = spec({
    behavior: { scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 5 }] } },
  })
  const { behavior, minReplicas, metrics } = withHpaDefaults(written)
  expect({ minReplicas, metrics }).toEqual({ minReplicas: 1, metrics: [cpu(50)] })
  expect(behavior).toEqual({
    scaleUp: {
      ...{ stabilizationWindowSeconds: 0, selectPolicy: 'Max' },
      policies: [{ type: 'Pods', value: 1, periodSeconds: 5 }],
    },
    scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
  })
})
