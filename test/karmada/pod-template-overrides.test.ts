import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../karmada/objects/cluster.js'
import type { OverridePolicy, Overriders } from '../../karmada/objects/override-policy.js'
import { podTemplateOverrides } from '../../karmada/overrides/pod-template.js'

const workload = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
  metadata: { name: 'web', namespace: 'shop', labels: { a: 'b' } },
  spec: { replicas: 1, template: { spec: { containers: [{ name: 'main', image: 'eu.test/nginx:1' }] } } },
}
const eu = { metadata: { name: 'eu' }, spec: {} } as unknown as Cluster
const policy = (overriders: Overriders, more: object = {}): OverridePolicy => ({
  metadata: { name: 'p', namespace: 'shop' },
  spec: { overrideRules: [{ overriders, ...more }] },
})
const found = (one: OverridePolicy) =>
  podTemplateOverrides(workload, eu, { clusterWide: [], namespaced: [one] })

const tag = { component: 'Tag', operator: 'replace', value: '2' } as const
const args = { argsOverrider: [{ containerName: 'main', operator: 'add', value: ['-v'] }] } as const
const at = (path: string, value: unknown, operator: 'add' | 'replace' = 'add') => ({
  plaintext: [{ path, operator, value }],
})

describe('override policies that change pod templates', () => {
  it.each<[string, Overriders]>([
    [
      'writes the image that is there already',
      { imageOverrider: [{ component: 'Registry', operator: 'replace', value: 'eu.test' }] },
    ],
    [
      'changes one image',
      { imageOverrider: [{ ...tag, predicate: { path: '/spec/template/spec/containers/0/image' } }] },
    ],
    ['adds arguments', args],
    ['adds a command', { commandOverrider: [{ containerName: 'main', operator: 'add', value: ['sh'] }] }],
    ['changes a field in it', at('/spec/template/spec/hostNetwork', true)],
    ['replaces the whole spec', at('/spec', workload.spec, 'replace')],
  ])('include one that %s', (_, overriders) => {
    expect(found(policy(overriders))).toEqual(['OverridePolicy p'])
  })

  it.each<[string, OverridePolicy]>([
    ['changes the replicas', policy(at('/spec/replicas', 3, 'replace'))],
    ['changes what only begins like it', policy(at('/spec/templateX', 3))],
    ['labels the workload', policy({ labelsOverrider: [{ operator: 'add', value: { x: 'y' } }] })],
    ['is for another cluster', policy(args, { targetCluster: { clusterNames: ['us'] } })],
    [
      'is for another workload',
      {
        ...policy({}),
        spec: {
          resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' }],
          overrideRules: [{ overriders: args }],
        },
      },
    ],
  ])('leave out one that %s', (_, one) => {
    expect(found(one)).toEqual([])
  })

  it('name both kinds, and one policy once', () => {
    const rule = { overriders: { imageOverrider: [tag] } }
    const twice = { ...policy({}), spec: { overrideRules: [rule, rule] } }
    const wide = { ...twice, metadata: { name: 'all' } }
    expect(podTemplateOverrides(workload, eu, { clusterWide: [wide], namespaced: [twice] })).toEqual([
      'ClusterOverridePolicy all',
      'OverridePolicy p',
    ])
  })
})
