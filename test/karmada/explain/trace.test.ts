import { describe, expect, it } from 'vitest'
import { summaryOf, trace } from '../../../karmada/explain/trace.js'
import type { Condition } from '../../../manifests/kube.js'
import { firstOf, notApplied, withWork } from './traces.js'
import { deployment, member, policyOf, propagated, SINCE, scheduled } from './world.js'

describe('a trace', () => {
  it('of an object that runs everywhere has every step done, for each cluster', () => {
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

  it('stops at the first broken step of the control plane', () => {
    const { template: _, ...world } = propagated()
    expect(trace(world).links).toHaveLength(1)
    expect(firstOf(world)).toEqual({ step: 'Template', state: 'Broken', reason: 'TemplateNotFound' })
  })

  it('continues for the other clusters after a broken one, and reports the broken one first', () => {
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

  it('reports broken steps before waiting ones', () => {
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

describe('the trace of a template', () => {
  it('reports that a reserved namespace is never propagated', () => {
    const template = deployment()
    const kept = { ...template, metadata: { ...template.metadata, namespace: 'kube-system' } }
    expect(firstOf({ ...propagated(), template: kept })).toMatchObject({
      step: 'Template',
      reason: 'NeverPropagated',
    })
  })

  it('is waiting while the template is being deleted', () => {
    const { template, ...world } = propagated()
    const going = { ...template, metadata: { ...template.metadata, deletionTimestamp: SINCE } }
    expect(firstOf({ ...world, template: going })).toMatchObject({
      state: 'Waiting',
      reason: 'TemplateDeleting',
    })
  })
})

describe('the trace of a binding', () => {
  it('names the binding as Karmada will name it', () => {
    const { binding: _, ...world } = propagated()
    expect(trace(world).first).toMatchObject({
      step: 'Binding',
      reason: 'NoBindingYet',
      object: { kind: 'ResourceBinding', namespace: 'shop', name: 'web-deployment' },
    })
  })

  it('reports a binding of an earlier object with the same name', () => {
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

  it('reports a binding of another group’s kind with the same name', () => {
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

describe('the trace of scheduling', () => {
  const taint = { key: 'maintenance', effect: 'NoSchedule' } as const

  it('reports Karmada’s message, the filter that refuses each cluster, and a fix', () => {
    const world = propagated({ clusters: [member('north', { taints: [taint] }), member('west')] })
    const { first } = trace(world)
    expect(first).toMatchObject({ step: 'Scheduling', state: 'Broken', reason: 'NoClusterFit' })
    expect(first?.message).toContain('0/2 clusters are available')
    expect(first?.message).toContain('Now ClusterAffinity refuses 1 of 2 clusters, TaintToleration 1.')
  })

  it('proposes what helps the clusters that the policy wants, not those that it leaves out', () => {
    const clusters = [member('north', { taints: [taint] }), member('south', { taints: [taint] })]
    const others = ['east', 'west', 'centre'].map(name => member(name))
    const { first } = trace(propagated({ clusters: [...clusters, ...others] }))
    expect(first?.message).toContain('ClusterAffinity refuses 3 of 5 clusters, TaintToleration 2')
    expect(first?.fix).toBe('Add a toleration to the policy, or remove the taint from the clusters.')
  })

  it('names clusters that the policy names and the control plane does not have', () => {
    const placement = { clusterAffinity: { clusterNames: ['nroth'] } }
    const { first } = trace(propagated({ policy: policyOf({ placement }) }))
    expect(first?.message).toContain('No cluster nroth is joined, which the policy names.')
    expect(first?.fix).toBe('Correct the cluster names of the policy, or join the clusters.')
  })

  it('names them also where other clusters run the template', () => {
    const { links, first } = trace(propagated({ clusters: [member('north')] }))
    expect(first).toBeUndefined()
    expect(links[3]).toMatchObject({
      state: 'Done',
      message: 'It goes to north (2). No cluster south is joined, which the policy names.',
    })
  })

  it('says that filters are unknown, and names no cluster as missing, where clusters may not be listed', () => {
    const world = propagated({ clusters: [member('north', { taints: [taint] }), member('west')] })
    const { first } = trace({ ...world, clusters: [], areClustersUnlisted: true })
    expect(first).toMatchObject({ step: 'Scheduling', state: 'Broken', reason: 'NoClusterFit' })
    expect(first?.message).toMatch(
      /^0\/2 clusters are available.* is unknown: it takes the right to list clusters\.cluster\.karmada\.io, which the caller lacks\.$/,
    )
    expect(first?.fix).toBe(
      'Correct the policy as the message says, or have it traced by a caller who may list clusters.cluster.karmada.io.',
    )
    const placed = propagated({ clusters: [member('north')] })
    expect(trace({ ...placed, areClustersUnlisted: true }).links[3]?.message).toBe('It goes to north (2).')
  })

  it('asks to join a cluster when there is none', () => {
    expect(trace(propagated({ clusters: [] })).first?.fix).toBe('Join a member cluster to the instance.')
  })

  it('asks for fewer replicas or more room when there is no room', () => {
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

  it('says what helps against a quota, and nothing of the clusters', () => {
    const { binding, ...world } = propagated()
    const message = 'FederatedResourceQuota(shop/q) exceeded for resource cpu: requested sum 2, limit 1'
    const condition: Condition = {
      ...{ type: 'Scheduled', status: 'False' as const, reason: 'QuotaExceeded', message },
      lastTransitionTime: SINCE,
    }
    const refused = {
      ...binding,
      spec: { ...binding.spec, clusters: [] },
      status: { conditions: [condition] },
    }
    expect(trace({ ...world, binding: refused }).first).toMatchObject({
      reason: 'QuotaExceeded',
      message,
      fix: expect.stringContaining('raise the FederatedResourceQuota'),
    })
  })

  it('reports where scheduling is suspended', () => {
    const { binding, ...world } = propagated()
    const suspended = { ...binding, spec: { ...binding.spec, suspension: { scheduling: true } } }
    expect(firstOf({ ...world, binding: suspended })).toMatchObject({ reason: 'SchedulingSuspended' })
  })

  it('names another scheduler', () => {
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
  ])('reports that no policy placed it: %s', (_, requiredBy, reason) => {
    const { binding, ...world } = propagated()
    const { placement: _placement, clusters: _clusters, ...spec } = binding.spec
    const attached = { ...binding, spec: { ...spec, requiredBy } }
    expect(trace({ ...world, binding: attached }).links[3]).toMatchObject({ reason })
  })

  it('is waiting while the scheduler has not observed the placement', () => {
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
