import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCron } from '../../karmada/admission/cron-format.js'
import { mutated } from '../../karmada/admission/mutate.js'
import { writeRefusal } from '../../karmada/admission/validate.js'
import type { KubeObject } from '../../manifests/kube.js'

const of = (apiVersion: string, kind: string, spec: unknown, name = 'web'): KubeObject =>
  ({ apiVersion, kind, metadata: { namespace: 'default', name }, spec }) as unknown as KubeObject
const web = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
}

const hpa = (spec: object) =>
  of('autoscaling.karmada.io/v1alpha1', 'FederatedHPA', {
    scaleTargetRef: web,
    maxReplicas: 3,
    metrics: [cpu],
    ...spec,
  })
const metric = (one: object) => hpa({ metrics: [one] })
const cron = (rule: object, target: object = web) =>
  of('autoscaling.karmada.io/v1alpha1', 'CronFederatedHPA', {
    scaleTargetRef: target,
    rules: [{ name: 'up', schedule: '0 8 * * *', ...rule }],
  })
const limits = { apiVersion: 'autoscaling.karmada.io/v1alpha1', kind: 'FederatedHPA', name: 'web' }
const mcs = (spec: object, name?: string) =>
  of('networking.karmada.io/v1alpha1', 'MultiClusterService', { types: ['CrossCluster'], ...spec }, name)
const mci = (spec: object) => of('networking.karmada.io/v1alpha1', 'MultiClusterIngress', spec)
const service = { service: { name: 'web', port: { number: 80 } } }
const path = (one: object) =>
  mci({ rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: service, ...one }] } }] })

describe('Karmada’s webhooks refuse', () => {
  it.each<[string, KubeObject, string]>([
    [
      'no maximum',
      hpa({ maxReplicas: 0 }),
      '[spec.maxReplicas: Invalid value: 0: must be greater than 0, spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`]',
    ],
    [
      'a maximum below the minimum',
      hpa({ minReplicas: 5 }),
      'spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`',
    ],
    [
      'scaling to zero',
      hpa({ minReplicas: 0 }),
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
    ],
    [
      'a target without a kind',
      hpa({ scaleTargetRef: { kind: '', name: 'web' } }),
      'spec.scaleTargetRef.kind: Required value',
    ],
    [
      'a target that is a path',
      hpa({ scaleTargetRef: { ...web, name: 'a/b' } }),
      `spec.scaleTargetRef.name: Invalid value: "a/b": may not contain '/'`,
    ],
    [
      'a long window',
      hpa({ behavior: { scaleUp: { stabilizationWindowSeconds: 9_999 } } }),
      'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 9999: must be less than or equal to 3600',
    ],
    [
      'policies that change nothing',
      hpa({ behavior: { scaleDown: { policies: [{ type: 'Pods', value: 0, periodSeconds: 1_801 }] } } }),
      '[spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero, spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800]',
    ],
    [
      'an unknown choice of policies',
      hpa({ behavior: { scaleUp: { selectPolicy: 'Any' } } }),
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Any": supported values: "Disabled", "Max", "Min"',
    ],
    [
      'external metrics',
      metric({ type: 'External' }),
      'spec.metrics[0].type: Unsupported value: "External": supported values: "ContainerResource", "Object", "Pods", "Resource"',
    ],
    [
      'a metric without its source',
      metric({ type: 'Resource' }),
      'spec.metrics[0].resource: Required value: must populate information for the given metric source',
    ],
    [
      'a metric with two sources',
      metric({
        ...cpu,
        pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '1' } },
      }),
      'spec.metrics[0].pods: Forbidden: must populate the given metric source only',
    ],
    [
      'a metric without a target',
      metric({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }),
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
    ],
    [
      'a schedule that is none',
      cron({ schedule: 'at noon', targetReplicas: 1 }),
      'spec.rules[0].schedule: Invalid value: "at noon": invalid cron format',
    ],
    [
      'an unknown time zone',
      cron({ timeZone: 'Mars/Base', targetReplicas: 1 }),
      'spec.rules[0].timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base',
    ],
    [
      'a rule without replicas',
      cron({}),
      'spec.rules[0].targetReplicas: Invalid value: "": targetReplicas cannot be nil if you want to scale Deployment',
    ],
    [
      'a rule without limits',
      cron({}, limits),
      'spec.rules[0].targetMaxReplicas: Invalid value: "": targetMinReplicas and targetMaxReplicas cannot be nil at the same time if you want to scale FederatedHPA',
    ],
    [
      'limits the wrong way around',
      cron({ targetMinReplicas: 3, targetMaxReplicas: 2 }, limits),
      'spec.rules[0].targetMinReplicas: Invalid value: "": targetMaxReplicas should be larger than or equal to targetMinReplicas',
    ],
    [
      'another kind of autoscaling.karmada.io',
      cron({}, { ...limits, kind: 'CronFederatedHPA' }),
      'spec.scaleTargetRef.kind: Invalid value: "CronFederatedHPA": invalid scaleTargetRef kind: CronFederatedHPA, only support FederatedHPA',
    ],
    [
      'a type of Services that there is not',
      mcs({ types: ['Local'] }),
      'spec.types[0]: Invalid value: "Local": ExposureType Error',
    ],
    [
      'both types',
      mcs({ types: ['CrossCluster', 'LoadBalancer'] }),
      'spec.types: Invalid value: ["CrossCluster","LoadBalancer"]: MultiClusterService types should not contain more than one type',
    ],
    [
      'a port out of range',
      mcs({ ports: [{ port: 0 }] }),
      'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
    [
      'ports of one name',
      mcs({
        ports: [
          { name: 'a', port: 1 },
          { name: 'a', port: 2 },
        ],
      }),
      'spec.ports[1].name: Duplicate value: "a"',
    ],
    [
      'a cluster without a name',
      mcs({ providerClusters: [{ name: '' }] }),
      'spec.range.providerClusters[0]: Invalid value: "": must be not empty',
    ],
    [
      'an ingress to nowhere',
      mci({}),
      'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified',
    ],
    [
      'a relative path',
      path({ path: 'a' }),
      'spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path',
    ],
    [
      'a path that goes up',
      path({ path: '/a/..' }),
      `spec.rules[0].http.paths[0].path: Invalid value: "/a/..": cannot end with '/..'`,
    ],
    [
      'an unknown type of path',
      path({ pathType: 'Regex' }),
      'spec.rules[0].http.paths[0].pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ],
    [
      'a backend without a port',
      path({ backend: { service: { name: 'web' } } }),
      'spec.rules[0].http.paths[0].backend: Required value: port name or number is required',
    ],
    [
      'no backend',
      mci({ defaultBackend: {} }),
      'spec.defaultBackend: Invalid value: "": resource or service backend is required',
    ],
    [
      'an address as host',
      mci({ rules: [{ host: '1.2.3.4' }] }),
      'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    ],
  ])('%s', (_, object, message) => {
    // As an API server asks them: what is missing is filled in before.
    const { kind } = object
    expect(writeRefusal(mutated(object, () => 'id'))).toEqual({
      webhook: `${kind.toLowerCase()}.karmada.io`,
      message,
    })
  })

  it('another type of a MultiClusterService', () => {
    expect(writeRefusal(mcs({ types: ['LoadBalancer'] }), mcs({}))?.message).toBe(
      'spec.types: Invalid value: ["CrossCluster"]: MultiClusterService types are immutable',
    )
  })
})

describe('Karmada’s webhooks allow', () => {
  it.each<[string, KubeObject]>([
    ['a FederatedHPA', hpa({ behavior: { scaleUp: {}, scaleDown: {} } })],
    ['a FederatedHPA without metrics', hpa({ metrics: undefined })],
    ['a CronFederatedHPA of a workload', cron({ targetReplicas: 0, timeZone: 'Europe/Berlin' })],
    ['a CronFederatedHPA of limits', cron({ targetMaxReplicas: 4 }, limits)],
    [
      'a MultiClusterService',
      mcs({ ports: [{ name: 'http', port: 80 }], providerClusters: [{ name: 'm1' }] }),
    ],
    ['a MultiClusterIngress', path({})],
    ['a MultiClusterIngress with a wildcard', mci({ rules: [{ host: '*.example.com' }] })],
    ['what is no spec, which the CRD refuses', of('autoscaling.karmada.io/v1alpha1', 'Other', 'x')],
  ])('%s', (_, object) => {
    expect(writeRefusal(mutated(object, () => 'id'))).toBeUndefined()
  })

  it('leave a FederatedHPA whose spec is none to the CRD', () => {
    const wrong = of('autoscaling.karmada.io/v1alpha1', 'FederatedHPA', 'x')
    expect(mutated(wrong, () => 'id')).toBe(wrong)
  })
})

describe('a schedule', () => {
  it.each([
    '* * * * *',
    '*/5 0-6 1,15 JAN-MAR mon',
    '@daily',
    '0 0 L * 5L',
    '0 0 15W * 5#2',
    '0 0 0 1 1 *',
    '0 0 1 1 * 2027',
  ])('`%s` is one', text => expect(isCron(text)).toBe(true))
  it.each([
    '',
    '* * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '*/0 * * * *',
    '5-1 * * * *',
    '* * * * funday',
    '@never',
    '* * * * * * * *',
  ])('`%s` is none', text => expect(isCron(text)).toBe(false))
  it('of numbers within their bounds is one', () => {
    const number = (least: number, most: number) => fc.integer({ min: least, max: most }).map(String)
    const fields = fc.tuple(number(0, 59), number(0, 23), number(1, 31), number(1, 12), number(0, 7))
    fc.assert(
      fc.property(fields, words => {
        expect(isCron(words.join(' '))).toBe(true)
      }),
    )
  })
})
