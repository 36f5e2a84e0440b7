import { describe, expect, it } from 'vitest'
import type { OverridePolicy, Overriders } from '../../karmada/objects/override-policy.js'
import { applyOverrides } from '../../karmada/overrides/apply-overrides.js'
import { OverrideError } from '../../karmada/overrides/json-edit.js'
import { overridden, overrideOutcome } from './overridden.js'
import { overrideScenarios } from './override-scenarios.js'
import { recordedAnswers, sampled } from './recorded.js'

it('overrides change 300 recorded objects as Karmada did', () => {
  const ours = sampled(overrideScenarios, 300).map(scenario => overrideOutcome(overridden(scenario)))
  expect(ours).toEqual(recordedAnswers('overrides'))
})

describe('an override', () => {
  const cluster = {
    apiVersion: 'cluster.karmada.io/v1alpha1' as const,
    kind: 'Cluster' as const,
    metadata: { name: 'member1' },
    spec: { syncMode: 'Push' as const },
  }
  const web = (image = 'nginx:1.27') => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: { template: { spec: { containers: [{ name: 'web', image, args: ['a', 'b'] }] } } },
  })
  const policy = (name: string, overriders: Overriders): OverridePolicy => ({
    metadata: { name, namespace: 'default' },
    spec: { overrideRules: [{ overriders }] },
  })
  const by = (...namespaced: readonly OverridePolicy[]) =>
    applyOverrides(web(), cluster, { clusterWide: [], namespaced }).object.spec.template.spec.containers[0]
  const image = (value: string): Overriders => ({
    imageOverrider: [{ component: 'Registry', operator: 'replace', value }],
  })

  it('does not change the template', () => {
    const template = web()
    applyOverrides(template, cluster, { clusterWide: [], namespaced: [policy('a', image('mirror.io'))] })
    expect(template).toEqual(web())
  })

  it('is applied after one with an earlier name', () =>
    expect(by(policy('b', image('b.io')), policy('a', image('a.io')))?.image).toBe('b.io/nginx:1.27'))

  it('of a namespace is applied after cluster overrides', () => {
    const policies = { clusterWide: [policy('z', image('z.io'))], namespaced: [policy('a', image('a.io'))] }
    const { object, clusterOverrides, overrides } = applyOverrides(web(), cluster, policies)
    expect(object.spec.template.spec.containers[0]?.image).toBe('a.io/nginx:1.27')
    expect([clusterOverrides, overrides].map(all => all.map(({ policyName }) => policyName))).toEqual([
      ['z'],
      ['a'],
    ])
  })

  it('of a field that is YAML takes the last of a key that stands twice, as Karmada does', () => {
    const edit = { subPath: '/more', operator: 'add', value: 3 } as const
    const fields = policy('a', { fieldOverrider: [{ fieldPath: '/data/a', yaml: [edit] }] })
    const config = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', namespace: 'default' },
      data: { a: 'k: 1\nk: 2\n' },
    }
    const { object } = applyOverrides(config, cluster, { clusterWide: [], namespaced: [fields] })
    expect(object.data.a).toBe('k: 2\nmore: 3\n')
  })

  it.each([
    ['add', { labelsOverrider: [{ operator: 'add', value: { a: 'b' } }] }, { a: 'b' }],
    ['replace', { labelsOverrider: [{ operator: 'replace', value: { app: 'b' } }] }, { app: 'a', one: 1 }],
    ['remove', { labelsOverrider: [{ operator: 'remove', value: { app: 'a' } }] }, { app: 'a', one: 1 }],
  ] as const)('that would %s a label finds none where an earlier one wrote a number', (_, second, labels) => {
    const first = { path: '/metadata/labels', operator: 'add', value: { app: 'a', one: 1 } } as const
    const policies = [policy('a', { plaintext: [first] }), policy('b', second)]
    const { object } = applyOverrides(web(), cluster, { clusterWide: [], namespaced: policies })
    expect(object.metadata).toHaveProperty('labels', labels)
  })

  it.each<[string, string, unknown, Overriders]>([
    ['container', '/0', 1, { argsOverrider: [{ containerName: 'web', operator: 'add' }] }],
    ['container', '/0', null, image('x')],
    ['list', '', 'x', image('x')],
    ['list', '/0/args', 'x', { argsOverrider: [{ containerName: 'web', operator: 'add', value: ['y'] }] }],
  ])('of containers is refused where an earlier one left no %s at %s', (thing, at, value, second) => {
    const path = `/spec/template/spec/containers${at}`
    const first = policy('a', { plaintext: [{ path, operator: 'replace', value }] })
    expect(() => by(first, policy('b', second))).toThrow(new OverrideError(`${path} holds no ${thing}`))
  })

  it('that cannot be applied is reported with its path and the reason', () =>
    expect(() =>
      by(policy('a', { plaintext: [{ path: '/spec/gone/x', operator: 'add', value: 1 }] })),
    ).toThrow(new OverrideError('add "/spec/gone/x" cannot be applied: there is nothing at its path')))

  it('removes and adds words of a command', () =>
    expect(
      by(
        policy('a', {
          argsOverrider: [
            { containerName: 'web', operator: 'remove', value: ['a'] },
            { containerName: 'web', operator: 'add', value: ['c'] },
          ],
        }),
      )?.args,
    ).toEqual(['b', 'c']))
})
