import { describe, expect, it } from 'vitest'
import { isKarmadasChange } from '../../karmada/matching/lazy.js'
import { preempts, roused } from '../../karmada/matching/preemption.js'
import type { PropagationPolicy, PropagationSpec } from '../../karmada/objects/propagation-policy.js'
import type { KubeObject } from '../../manifests/kube.js'

const policy = (name: string, priority: number, spec: Partial<PropagationSpec> = {}): PropagationPolicy => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { namespace: 'default', name },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' }],
    placement: {},
    preemption: 'Always',
    priority,
    ...spec,
  },
})
const wide = (name: string, priority: number): PropagationPolicy => {
  const { namespace: _, ...metadata } = policy(name, 0).metadata
  return { ...policy(name, priority), kind: 'ClusterPropagationPolicy', metadata }
}
const template = (annotations: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name: 'web', annotations },
})
const claimedBy = (name: string) =>
  template({ 'propagationpolicy.karmada.io/namespace': 'default', 'propagationpolicy.karmada.io/name': name })
const claimedByWide = (name: string) => template({ 'clusterpropagationpolicy.karmada.io/name': name })
const known = [policy('low', 1), policy('high', 9), wide('low', 1), wide('high', 9)]
const find = (kind: string, key: string) =>
  known.find(one => one.kind === kind && one.metadata.name === key.split('/').pop())

describe('a policy that preempts', () => {
  it.each([
    ['takes over from one of lower priority', policy('mine', 5), claimedBy('low'), true],
    ['not from one of higher priority', policy('mine', 5), claimedBy('high'), false],
    ['not from one of the same priority', policy('mine', 9), claimedBy('high'), false],
    ['not from itself', policy('high', 99), claimedBy('high'), false],
    ['not from one that it does not know', policy('mine', 5), claimedBy('gone'), false],
    ['not a template without a claim', policy('mine', 5), template(), false],
    ['takes over from any cluster policy', policy('mine', -1), claimedByWide('high'), true],
    ['not when it says Never', policy('mine', 5, { preemption: 'Never' }), claimedBy('low'), false],
    [
      'not what it does not name',
      policy('mine', 5, { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] }),
      claimedBy('low'),
      false,
    ],
  ])('%s', (_, one, object, expected) => {
    expect(preempts(one, object, find)).toBe(expected)
  })

  it.each([
    ['from one of lower priority', claimedByWide('low'), true],
    ['not from one of higher priority', claimedByWide('high'), false],
    ['not from a policy of the namespace', claimedBy('low'), false],
  ])('and is a cluster policy preempts %s', (_, object, expected) => {
    expect(preempts(wide('mine', 5), object, find)).toBe(expected)
  })

  it('does not preempt a template that is being deleted', () => {
    const object = claimedBy('low')
    const going = { ...object, metadata: { ...object.metadata, deletionTimestamp: 'now' } }
    expect(preempts(policy('mine', 5), going, find)).toBe(false)
  })

  it('checks again when the priority of another policy falls below its own', () => {
    const others = [policy('a', 1), policy('b', 5), policy('c', 9), policy('n', 5, { preemption: 'Never' })]
    expect(roused(policy('x', 7), policy('x', 3), others).map(({ metadata }) => metadata.name)).toEqual(['b'])
    expect(roused(policy('x', 3), policy('x', 7), others)).toEqual([])
  })
})

describe('a change of a template', () => {
  const object = (metadata: object, rest: object = {}) =>
    ({ ...template(), metadata: { ...template().metadata, ...metadata }, ...rest }) as KubeObject

  it.each([
    ['of Karmada’s own labels', object({ labels: { 'a.karmada.io/x': '1' }, generation: 2 }), true],
    ['of the status', object({}, { status: { replicas: 1 } }), true],
    ['of a label of people', object({ labels: { app: 'web' } }), false],
    [
      'of the label that keeps a namespace',
      object({ labels: { 'namespace.karmada.io/skip-auto-propagation': 'true' } }),
      false,
    ],
    ['of the spec', object({}, { spec: { replicas: 2 } }), false],
  ])('%s is ignored as Karmada’s own: %s', (_, after, expected) => {
    expect(isKarmadasChange(template(), after)).toBe(expected)
  })
})
