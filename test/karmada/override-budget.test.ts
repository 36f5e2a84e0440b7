import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../karmada/objects/cluster.js'
import type { OverrideRule } from '../../karmada/objects/override-policy.js'
import { applyOverrides } from '../../karmada/overrides/apply-overrides.js'
import { OverrideBudget } from '../../karmada/overrides/budget.js'
import { OverrideError } from '../../karmada/overrides/json-edit.js'

const cluster: Cluster = {
  apiVersion: 'cluster.karmada.io/v1alpha1',
  kind: 'Cluster',
  metadata: { name: 'm' },
  spec: { syncMode: 'Push' },
}
const configMap = (data: object) => ({
  apiVersion: 'v1',
  ...{ kind: 'ConfigMap', metadata: { name: 'x', namespace: 'shop', labels: { a: 'b' } }, data },
})
const STEPS = 1_000
const tried = (rules: readonly OverrideRule[], data: object = {}, budget?: OverrideBudget) =>
  applyOverrides(configMap(data), cluster, {
    clusterWide: [{ metadata: { name: 'p' }, spec: { overrideRules: rules } }],
    namespaced: [],
    ...(budget && { budget }),
  })
const adding = (key: string): OverrideRule => ({
  overriders: { plaintext: [{ operator: 'add', path: `/data/${key}`, value: 'v' }] },
})
const inYaml: OverrideRule = {
  overriders: {
    fieldOverrider: [{ fieldPath: '/data/text', yaml: [{ subPath: '/a', operator: 'add', value: 1 }] }],
  },
}

describe('override policies that are only tried', () => {
  it.each<[string, readonly OverrideRule[], object]>([
    ['too many rules', Array.from({ length: STEPS }, (_, at) => adding(`k${at}`)), {}],
    [
      'a rule of too many overriders',
      [
        {
          overriders: {
            plaintext: Array.from({ length: STEPS }, () => ({
              ...{ operator: 'add' as const, path: '/data/x', value: 'v' },
            })),
          },
        },
      ],
      {},
    ],
    ['a long YAML text', [inYaml], { text: `a: ${'x'.repeat(2 * STEPS)}` }],
    ['a YAML text with many anchors', [inYaml], { text: `a: [${'&a x, *a, '.repeat(100)}]` }],
  ])('are refused with %s, and applied where nothing limits them', (_, rules, data) => {
    expect(() => tried(rules, data, new OverrideBudget(STEPS))).toThrow(OverrideError)
    expect(() => tried(rules, data)).not.toThrow()
  })

  it('are applied within their steps, which are there again after they were renewed', () => {
    const rules = Array.from({ length: STEPS / 4 }, () => adding('k'))
    const budget = new OverrideBudget(STEPS)
    expect(tried(rules, {}, budget).object.data).toEqual({ k: 'v' })
    expect(() => tried(rules, {}, budget)).toThrow(/too large to be tried/)
    budget.renew()
    expect(tried(rules, {}, budget).object.data).toEqual({ k: 'v' })
  })

  it('leave the object as it was, and the policy too', () => {
    const object = configMap({})
    const policy = { metadata: { name: 'p' }, spec: { overrideRules: [adding('k'), adding('l')] } }
    const before = structuredClone({ object, policy })
    applyOverrides(object, cluster, { clusterWide: [policy], namespaced: [] })
    expect({ object, policy }).toEqual(before)
  })
})
