import { describe, expect, it } from 'vitest'
import { trace } from '../../../karmada/explain/trace.js'
import type { OverridePolicy } from '../../../karmada/objects/override-policy.js'
import { firstOf, inNorth, notApplied, withWork } from './traces.js'
import { healthy, member, propagated, SINCE } from './world.js'

describe('the Work of a cluster', () => {
  it('that an override keeps from being made names the override’s fault', () => {
    const override: OverridePolicy = {
      metadata: { namespace: 'shop', name: 'images' },
      spec: {
        overrideRules: [
          { overriders: { plaintext: [{ path: '/spec/none/such', operator: 'replace', value: 1 }] } },
        ],
      },
    }
    const world = { ...propagated(), works: [], overrides: { clusterWide: [], namespaced: [override] } }
    expect(firstOf(world)).toMatchObject({
      step: 'Work',
      state: 'Broken',
      reason: 'OverrideFailed',
      cluster: 'north',
    })
  })

  it('that is not there yet is waited for', () => {
    expect(firstOf({ ...propagated(), works: [] })).toMatchObject({ state: 'Waiting', reason: 'NoWorkYet' })
  })

  it('of a cluster that has left is broken', () => {
    expect(firstOf({ ...propagated(), clusters: [member('south')] })).toMatchObject({
      reason: 'ClusterNotFound',
      cluster: 'north',
    })
  })

  it('that waits for a cluster out of reach says why that cluster is not ready', () => {
    const world = { ...propagated(), clusters: [member('north', { ready: false }), member('south')] }
    const { first } = trace(world)
    expect(first).toMatchObject({ reason: 'ClusterNotReady', cluster: 'north' })
    expect(first?.message).toContain('ClusterNotReachable: cluster is not reachable')
  })

  it('that is suspended is not taken for applied', () => {
    const world = withWork(propagated(), 'north', work => ({
      ...work,
      spec: { ...work.spec, suspendDispatching: true },
    }))
    expect(firstOf(world)).toMatchObject({ reason: 'DispatchingSuspended', cluster: 'north' })
  })

  it.each([
    [
      'resource(kind=Deployment, shop/web) already exists in the cluster north and the conflictResolution is Abort',
      'conflictResolution: Overwrite',
    ],
    ['no matches for kind "Rig" in version "example.io/v1"', 'does not serve this type'],
    ['deployments.apps is forbidden: exceeded quota', 'refuses Karmada'],
    ['namespaces "shop" not found', 'namespace is missing'],
    ['spec.replicas: Invalid value', 'Correct the template'],
  ])('refused with “%s” has a fix', (message, fix) => {
    expect(trace(withWork(propagated(), 'north', notApplied(message))).first?.fix).toContain(fix)
  })
})

describe('the object in a member', () => {
  it('that is not healthy says how many replicas are available', () => {
    const { first } = trace(
      inNorth(found => ({
        ...found,
        status: { observedGeneration: 1, updatedReplicas: 2, availableReplicas: 1 },
      })),
    )
    expect(first).toMatchObject({ step: 'Member', state: 'Waiting', reason: 'Unhealthy', cluster: 'north' })
    expect(first?.message).toContain('1 of 2 replicas are available')
  })

  it('that somebody deleted there is missing', () => {
    const world = propagated()
    expect(
      firstOf({ ...world, members: new Map([...world.members, ['north', { kind: 'missing' }]]) }),
    ).toMatchObject({ state: 'Broken', reason: 'MissingInMember', cluster: 'north' })
  })

  it('without Karmada’s label is not Karmada’s', () => {
    const world = inNorth(found => ({ ...found, metadata: { ...found.metadata, labels: {} } }))
    expect(firstOf(world)).toMatchObject({ state: 'Broken', reason: 'NotManaged' })
  })

  it('that is being deleted is waited for', () => {
    const world = inNorth(found =>
      healthy({ ...found, metadata: { ...found.metadata, deletionTimestamp: SINCE } }),
    )
    expect(firstOf(world)).toMatchObject({ state: 'Waiting', reason: 'DeletingInMember' })
  })

  it('that could not be read is unknown, with the reason', () => {
    const world = propagated()
    const members = new Map([
      ...world.members,
      ['north', { kind: 'unreadable', because: 'connection refused' } as const],
    ])
    expect(trace({ ...world, members }).first).toMatchObject({
      state: 'Unknown',
      message: 'The member could not be asked: connection refused',
    })
    expect(firstOf({ ...world, members: new Map() })).toMatchObject({
      state: 'Unknown',
      reason: 'Unreadable',
    })
  })
})
