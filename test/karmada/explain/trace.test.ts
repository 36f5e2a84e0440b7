import { describe, expect, it } from 'vitest'
import type { Propagated } from '../../../karmada/explain/propagated.js'
import { summaryOf, trace } from '../../../karmada/explain/trace.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import type { OverridePolicy } from '../../../karmada/objects/override-policy.js'
import type { Work } from '../../../karmada/objects/work.js'
import { deployment, healthy, member, policyOf, propagated, SINCE, scheduled } from './world.js'

/** What the trace stops at, without its texts. */
const firstOf = (world: Propagated) => {
  const { first } = trace(world)
  return (
    first && {
      step: first.step,
      state: first.state,
      reason: first.reason,
      ...(first.cluster && { cluster: first.cluster }),
    }
  )
}
const unclaimed = (): Propagated => ({ ...propagated(), template: deployment(), policies: [] })
const withWork = (world: Propagated, cluster: string, change: (work: Work) => Work): Propagated => ({
  ...world,
  works: world.works.map(one => (one.metadata.namespace === `karmada-es-${cluster}` ? change(one) : one)),
})
const notApplied =
  (message: string) =>
  (work: Work): Work => ({
    ...work,
    status: {
      conditions: [
        { type: 'Applied', status: 'False', reason: 'AppliedFailed', message, lastTransitionTime: SINCE },
      ],
    },
  })
const inNorth = (object: (found: Resource) => Resource): Propagated => {
  const world = propagated()
  const found = world.members.get('north')
  if (found?.kind !== 'found') throw new Error('the world has no object in north')
  return {
    ...world,
    members: new Map([...world.members, ['north', { kind: 'found', object: object(found.object) }]]),
  }
}

describe('a trace', () => {
  it('of an object that is where it should be has every step done, for each cluster', () => {
    const world = propagated()
    const { links, first } = trace(world)
    expect(first).toBeUndefined()
    expect(links.map(({ step, cluster, state }) => [step, cluster, state])).toEqual([
      ['Template', undefined, 'Done'],
      ['Policy', undefined, 'Done'],
      ['Binding', undefined, 'Done'],
      ['Scheduling', undefined, 'Done'],
      ['Work', 'north', 'Done'],
      ['Member', 'north', 'Done'],
      ['Work', 'south', 'Done'],
      ['Member', 'south', 'Done'],
    ])
    expect(summaryOf(trace(world), world.wanted)).toBe('Deployment shop/web runs as wanted in 2 clusters.')
  })

  it('ends at the first broken step of the control plane', () => {
    const { template: _, ...world } = propagated()
    expect(trace(world).links).toHaveLength(1)
    expect(firstOf(world)).toEqual({ step: 'Template', state: 'Broken', reason: 'TemplateNotFound' })
  })

  it('goes on for the other clusters after one that is broken, and names the broken one first', () => {
    const world = withWork(propagated(), 'south', notApplied('denied'))
    const { links } = trace(world)
    expect(links.filter(({ step }) => step === 'Work').map(({ state }) => state)).toEqual(['Done', 'Broken'])
    expect(firstOf(world)).toEqual({
      step: 'Work',
      state: 'Broken',
      reason: 'AppliedFailed',
      cluster: 'south',
    })
    expect(summaryOf(trace(world), world.wanted)).toBe('Work in cluster south: denied')
  })

  it('names what is broken before what waits', () => {
    const waiting = withWork(propagated(), 'north', ({ status: _, ...work }) => work)
    expect(firstOf(waiting)).toEqual({
      step: 'Work',
      state: 'Waiting',
      reason: 'NotAppliedYet',
      cluster: 'north',
    })
    expect(firstOf(withWork(waiting, 'south', notApplied('denied')))).toMatchObject({ cluster: 'south' })
  })
})

describe('the template', () => {
  it('of a namespace that Karmada keeps to itself is never propagated', () => {
    const template = deployment()
    const kept = { ...template, metadata: { ...template.metadata, namespace: 'kube-system' } }
    expect(firstOf({ ...propagated(), template: kept })).toMatchObject({
      step: 'Template',
      reason: 'NeverPropagated',
    })
  })

  it('that is being deleted is waited for', () => {
    const { template, ...world } = propagated()
    const going = { ...template, metadata: { ...template.metadata, deletionTimestamp: SINCE } }
    expect(firstOf({ ...world, template: going })).toMatchObject({
      state: 'Waiting',
      reason: 'TemplateDeleting',
    })
  })
})

describe('without a policy', () => {
  const messageOf = (world: Propagated) => trace(world).first?.message
  const selecting = (selector: object, place = {}) => ({
    ...unclaimed(),
    policies: [
      policyOf({ resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', ...selector }] }, place),
    ],
  })

  it('the trace says so, and which selector would do', () => {
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
  ])('a policy that differs only by %s is named', (_, world, text) => {
    expect(messageOf(world)).toContain(text)
  })

  it('a policy that differs by two things is not named', () => {
    expect(messageOf(selecting({ apiVersion: 'apps/v1beta1', name: 'wep' }))).not.toContain('apps/v1beta1')
  })
})

describe('the policy', () => {
  it('that selects the template and has not claimed it is waited for', () => {
    expect(firstOf({ ...unclaimed(), policies: [policyOf()] })).toMatchObject({
      state: 'Waiting',
      reason: 'NotClaimedYet',
    })
  })

  it('that is lazy asks for a change of the template', () => {
    const { first } = trace({ ...unclaimed(), policies: [policyOf({ activationPreference: 'Lazy' })] })
    expect(first?.fix).toContain('change the template')
  })

  it.each([
    [true, { namespace: 'default' }],
    [false, { namespace: 'shop' }],
  ])('waits for override policies of its own namespace (missing: %s)', (missing, place) => {
    const override = { metadata: { name: 'images', ...place }, spec: {} } as OverridePolicy
    const world = {
      ...unclaimed(),
      policies: [policyOf({ dependentOverrides: ['images'] })],
      overrides: { clusterWide: [], namespaced: [override] },
    }
    expect(trace(world).first?.reason).toBe(missing ? 'DependentOverridesMissing' : 'NotClaimedYet')
  })

  it('that is gone is named with what it claimed', () => {
    const { first } = trace({ ...propagated(), policies: [] })
    expect(first).toMatchObject({
      reason: 'PolicyGone',
      object: { kind: 'PropagationPolicy', namespace: 'shop', name: 'web' },
    })
  })

  it('that was made again under the same name is not the one that claimed', () => {
    const again = policyOf()
    const labels = { ...again.metadata.labels, 'propagationpolicy.karmada.io/permanent-id': 'another' }
    expect(
      firstOf({ ...propagated(), policies: [{ ...again, metadata: { ...again.metadata, labels } }] }),
    ).toMatchObject({ reason: 'PolicyGone' })
  })

  it('that no longer selects the template lets it go', () => {
    const policy = policyOf({
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' }],
    })
    expect(firstOf({ ...propagated(), policies: [policy] })).toMatchObject({ reason: 'NoLongerSelected' })
  })

  it('of the whole control plane holds a template, too', () => {
    const policy = policyOf({}, { kind: 'ClusterPropagationPolicy' })
    expect(trace(propagated({ policy })).first).toBeUndefined()
  })
})

describe('the binding', () => {
  it('that is not there yet is named as Karmada will name it', () => {
    const { binding: _, ...world } = propagated()
    expect(trace(world).first).toMatchObject({
      step: 'Binding',
      reason: 'NoBindingYet',
      object: { kind: 'ResourceBinding', namespace: 'shop', name: 'web-deployment' },
    })
  })

  it('of an earlier object of the name goes with that', () => {
    const { binding, ...world } = propagated()
    const earlier = {
      ...binding,
      spec: { ...binding.spec, resource: { ...binding.spec.resource, uid: 'u-old' } },
    }
    expect(firstOf({ ...world, binding: earlier })).toMatchObject({
      state: 'Waiting',
      reason: 'BindingOfEarlierObject',
    })
  })

  it('of another group’s kind with the same name is in the way', () => {
    const { binding, ...world } = propagated()
    const other = {
      ...binding,
      spec: { ...binding.spec, resource: { ...binding.spec.resource, apiVersion: 'example.io/v1' } },
    }
    expect(firstOf({ ...world, binding: other })).toMatchObject({
      state: 'Broken',
      reason: 'BindingOfOtherType',
    })
  })
})

describe('scheduling', () => {
  const taint = { key: 'maintenance', effect: 'NoSchedule' } as const

  it('that fails says Karmada’s message, what refuses which cluster now, and what helps', () => {
    const world = propagated({ clusters: [member('north', { taints: [taint] }), member('west')] })
    const { first } = trace(world)
    expect(first).toMatchObject({ step: 'Scheduling', state: 'Broken', reason: 'NoClusterFit' })
    expect(first?.message).toContain('0/2 clusters are available')
    expect(first?.message).toContain('of 2 clusters refused 1 by ClusterAffinity, 1 by TaintToleration')
  })

  it('without any cluster asks to join one', () => {
    expect(trace(propagated({ clusters: [] })).first?.fix).toBe('Join a member cluster to the instance.')
  })

  it('without room asks for fewer replicas or more room', () => {
    const policy = policyOf({
      placement: {
        clusterAffinity: { clusterNames: ['north', 'south'] },
        replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
      },
    })
    const { first } = trace(propagated({ policy, template: deployment(99) }))
    expect(first).toMatchObject({ reason: 'Unschedulable' })
    expect(first?.fix).toContain('fewer replicas')
  })

  it('that is suspended says where', () => {
    const { binding, ...world } = propagated()
    const suspended = { ...binding, spec: { ...binding.spec, suspension: { scheduling: true } } }
    expect(firstOf({ ...world, binding: suspended })).toMatchObject({ reason: 'SchedulingSuspended' })
  })

  it('by another scheduler names that one', () => {
    const { binding, ...world } = propagated()
    const { status: _, ...fresh } = binding
    const spec = { ...fresh.spec, clusters: [], schedulerName: 'mine' }
    expect(trace({ ...world, binding: { ...fresh, spec } }).first).toMatchObject({
      reason: 'NotScheduledYet',
      message: 'mine has not chosen clusters yet.',
    })
  })

  it.each([
    [
      'goes where the workloads go that need its template',
      [{ name: 'web-deployment', clusters: [{ name: 'north' }] }],
      'FollowsWorkloads',
    ],
    ['waits for the workloads that need its template', [{ name: 'web-deployment' }], 'WorkloadsNotScheduled'],
    ['goes nowhere when nothing needs its template', [], 'NeededByNothing'],
  ])('that no policy placed %s', (_, requiredBy, reason) => {
    const { binding, ...world } = propagated()
    const { placement: _placement, clusters: _clusters, ...spec } = binding.spec
    const attached = { ...binding, spec: { ...spec, requiredBy } }
    expect(trace({ ...world, binding: attached }).links[3]).toMatchObject({ reason })
  })

  it('that has not seen a change of the placement is waited for', () => {
    const { binding, ...world } = propagated()
    const changed = {
      ...binding,
      metadata: { ...binding.metadata, generation: 3 },
      spec: { ...binding.spec, placement: { clusterAffinity: { clusterNames: ['west'] } } },
    }
    expect(firstOf({ ...world, binding: changed })).toMatchObject({
      state: 'Waiting',
      reason: 'NotScheduledYet',
    })
    const seen = scheduled(changed, world.clusters)
    expect(trace({ ...world, binding: seen }).links[3]).toMatchObject({
      state: 'Done',
      message: 'It goes to west (2).',
    })
  })
})

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
