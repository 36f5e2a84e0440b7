import { describe, expect, it } from 'vitest'
import { trace } from '../../../karmada/explain/trace.js'
import type { OverridePolicy } from '../../../karmada/objects/override-policy.js'
import { firstOf, inNorth, notApplied, withWork } from './traces.js'
import { healthy, member, propagated, SINCE } from './world.js'

describe('the trace of a cluster’s Work', () => {
  it('reports the override that prevents it', () => {
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
    const stale = { ...propagated(), overrides: world.overrides }
    expect(firstOf(stale)).toMatchObject({ step: 'Work', reason: 'OverrideFailed', cluster: 'north' })
    expect(trace(stale).first?.message).toContain('The cluster keeps what it had before.')
  })

  it('is waiting while it does not exist yet', () => {
    expect(firstOf({ ...propagated(), works: [] })).toMatchObject({ state: 'Waiting', reason: 'NoWorkYet' })
  })

  it('is broken when the cluster has left', () => {
    expect(firstOf({ ...propagated(), clusters: [member('south')] })).toMatchObject({
      reason: 'ClusterNotFound',
      cluster: 'north',
    })
  })

  it('gives the reason why an unreachable cluster is not ready', () => {
    const world = { ...propagated(), clusters: [member('north', { ready: false }), member('south')] }
    const { first } = trace(world)
    expect(first).toMatchObject({ reason: 'ClusterNotReady', cluster: 'north' })
    expect(first?.message).toContain('ClusterNotReachable: cluster is not reachable')
  })

  it('does not report a suspended Work as applied', () => {
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
  ])('has a fix for “%s”', (message, fix) => {
    expect(trace(withWork(propagated(), 'north', notApplied(message))).first?.fix).toContain(fix)
  })
})

describe('the trace of the object in a member', () => {
  it('reports how many replicas are available when it is unhealthy', () => {
    const { first } = trace(
      inNorth(found => ({
        ...found,
        status: { observedGeneration: 1, updatedReplicas: 2, availableReplicas: 1 },
      })),
    )
    expect(first).toMatchObject({ step: 'Member', state: 'Waiting', reason: 'Unhealthy', cluster: 'north' })
    expect(first?.message).toContain('1 of 2 replicas are available')
  })

  it('is missing when it was deleted there', () => {
    const world = propagated()
    expect(
      firstOf({ ...world, members: new Map([...world.members, ['north', { kind: 'missing' }]]) }),
    ).toMatchObject({ state: 'Broken', reason: 'MissingInMember', cluster: 'north' })
  })

  it('is not Karmada’s without Karmada’s label', () => {
    const world = inNorth(found => ({ ...found, metadata: { ...found.metadata, labels: {} } }))
    expect(firstOf(world)).toMatchObject({ state: 'Broken', reason: 'NotManaged' })
  })

  it('is waiting while the object is being deleted', () => {
    const world = inNorth(found =>
      healthy({ ...found, metadata: { ...found.metadata, deletionTimestamp: SINCE } }),
    )
    expect(firstOf(world)).toMatchObject({ state: 'Waiting', reason: 'DeletingInMember' })
  })

  it('is unknown, with the reason, when it could not be read', () => {
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
