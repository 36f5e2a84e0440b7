import { describe, expect, it } from 'vitest'
import type { Propagated } from '../../../karmada/explain/propagated.js'
import { trace } from '../../../karmada/explain/trace.js'
import type { OverridePolicy } from '../../../karmada/objects/override-policy.js'
import { firstOf, unclaimed } from './traces.js'
import { policyOf, propagated } from './world.js'

describe('the trace of a template without a policy', () => {
  const messageOf = (world: Propagated) => trace(world).first?.message
  const selecting = (selector: object, place = {}) => ({
    ...unclaimed(),
    policies: [
      policyOf({ resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', ...selector }] }, place),
    ],
  })

  it('reports it, and proposes a selector', () => {
    const { first } = trace(unclaimed())
    expect(first).toMatchObject({ step: 'Policy', state: 'Broken', reason: 'NoPolicy' })
    expect(first?.message).toBe(
      'No PropagationPolicy of namespace shop and no ClusterPropagationPolicy selects it.',
    )
    expect(first?.fix).toContain('{apiVersion: apps/v1, kind: Deployment, name: web}')
  })

  it.each([
    [
      'another namespace',
      selecting({ name: 'web' }, { namespace: 'default' }),
      'PropagationPolicy default/web is in namespace default.',
    ],
    [
      'another version',
      selecting({ apiVersion: 'apps/v1beta1', name: 'web' }),
      'selects apiVersion apps/v1beta1, not apps/v1.',
    ],
    ['another name', selecting({ name: 'wep' }), 'selects the name wep.'],
    ['another namespace in its selector', selecting({ namespace: 'cart' }), 'selects namespace cart.'],
    [
      'labels that it does not have',
      selecting({ labelSelector: { matchLabels: { app: 'cart' } } }),
      'selects by labels that the template does not have.',
    ],
  ])('names a policy that differs only by %s', (_, world, text) => {
    expect(messageOf(world)).toContain(text)
  })

  it('names the policy with the most similar name', () => {
    const policies = ['wab-old', 'wep', 'shop'].map(name =>
      policyOf({ resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name }] }, { name }),
    )
    expect(messageOf({ ...unclaimed(), policies })).toContain(
      'PropagationPolicy shop/wep selects the name wep.',
    )
  })

  it('takes no policy of another object for a mistake', () => {
    const { first } = trace(selecting({ name: 'cart' }))
    expect(first?.message).not.toContain('cart')
    expect(first?.fix).toContain('Create one with a resource selector')
  })

  it('names no policy that differs by two things', () => {
    expect(messageOf(selecting({ apiVersion: 'apps/v1beta1', name: 'wep' }))).not.toContain('apps/v1beta1')
  })
})

describe('the trace of a policy', () => {
  it('is waiting while the policy has not claimed the template', () => {
    expect(firstOf({ ...unclaimed(), policies: [policyOf()] })).toMatchObject({
      state: 'Waiting',
      reason: 'NotClaimedYet',
    })
  })

  it('asks for a change of the template when the policy is lazy', () => {
    const { first } = trace({ ...unclaimed(), policies: [policyOf({ activationPreference: 'Lazy' })] })
    expect(first?.fix).toContain('change the template')
  })

  it.each([
    [true, { namespace: 'default' }],
    [false, { namespace: 'shop' }],
  ])('is waiting for override policies of its namespace (missing: %s)', (missing, place) => {
    const override = { metadata: { name: 'images', ...place }, spec: {} } as OverridePolicy
    const world = {
      ...unclaimed(),
      policies: [policyOf({ dependentOverrides: ['images'] })],
      overrides: { clusterWide: [], namespaced: [override] },
    }
    expect(trace(world).first?.reason).toBe(missing ? 'DependentOverridesMissing' : 'NotClaimedYet')
  })

  it('names a deleted policy that has claimed the template', () => {
    const { first } = trace({ ...propagated(), policies: [] })
    expect(first).toMatchObject({
      reason: 'PolicyGone',
      object: { kind: 'PropagationPolicy', namespace: 'shop', name: 'web' },
    })
  })

  it('distinguishes a recreated policy from the one that claimed', () => {
    const again = policyOf()
    const labels = { ...again.metadata.labels, 'propagationpolicy.karmada.io/permanent-id': 'another' }
    expect(
      firstOf({ ...propagated(), policies: [{ ...again, metadata: { ...again.metadata, labels } }] }),
    ).toMatchObject({ reason: 'PolicyGone' })
  })

  it('reports that a policy which no longer selects the template releases it', () => {
    const policy = policyOf({
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' }],
    })
    expect(firstOf({ ...propagated(), policies: [policy] })).toMatchObject({ reason: 'NoLongerSelected' })
  })

  it('includes cluster policies', () => {
    const policy = policyOf({}, { kind: 'ClusterPropagationPolicy' })
    expect(trace(propagated({ policy })).first).toBeUndefined()
  })
})
