import { describe, expect, it } from 'vitest'
import { explainPlacement } from '../../../karmada/explain/placement.js'
import { manifestChanges, type Present, previewTemplate } from '../../../karmada/explain/preview.js'
import type { OverridePolicy } from '../../../karmada/objects/override-policy.js'
import type { Placement } from '../../../karmada/objects/placement.js'
import { deployment, member, NO_OVERRIDES, type Options, policyOf, propagated } from './world.js'

const presentOf = (world: ReturnType<typeof propagated>): Present => ({
  ...world,
  bindingOf: () => world.binding,
})
/** A control plane in which nothing has claimed the template. */
const unclaimed = (clusters = [member('north'), member('south'), member('west')]): Present => ({
  policies: [],
  clusterPolicies: [],
  clusters,
  bindingOf: () => undefined,
  works: [],
})
const divided = (clusterNames: readonly string[], weighted = false): Placement => ({
  clusterAffinity: { clusterNames },
  replicaScheduling: weighted
    ? {
        replicaSchedulingType: 'Divided',
        replicaDivisionPreference: 'Weighted',
        weightPreference: {
          staticWeightList: [
            { targetCluster: { clusterNames: ['north'] }, weight: 3 },
            { targetCluster: { clusterNames: ['south'] }, weight: 1 },
          ],
        },
      }
    : { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
})
/** What the clusters would run by a preview in a control plane without override policies. */
const manifestsOf = (
  preview: ReturnType<typeof previewTemplate>,
  template: ReturnType<typeof deployment>,
  present: Present,
) => (preview?.binding ? [...manifestChanges(preview.binding, template, present, NO_OVERRIDES)] : [])
const shares = (world: ReturnType<typeof previewTemplate>) =>
  world?.placement?.clusters.map(({ cluster, before, after }) => [cluster, before, after])

describe('a preview of a policy', () => {
  it('that is new gives each cluster its replicas, or the reason why it gets none', () => {
    const preview = previewTemplate(
      policyOf({ placement: divided(['north', 'south'], true) }),
      deployment(8),
      unclaimed(),
    )
    expect(preview).toMatchObject({
      claim: 'Claims',
      template: { kind: 'Deployment', namespace: 'shop', name: 'web' },
    })
    expect(shares(preview)).toEqual([
      ['north', undefined, 6],
      ['south', undefined, 2],
      ['west', undefined, undefined],
    ])
    expect(preview?.placement?.clusters[2]?.refusals.map(({ filter }) => filter)).toEqual(['ClusterAffinity'])
  })

  it('shows for each cluster the manifest that it would run', () => {
    const preview = previewTemplate(
      policyOf({ placement: divided(['north', 'south'], true) }),
      deployment(8),
      unclaimed(),
    )
    expect(
      manifestsOf(preview, deployment(8), unclaimed()).map(({ cluster, before, after }) => [
        cluster,
        before,
        after?.spec?.replicas,
      ]),
    ).toEqual([
      ['north', undefined, 6],
      ['south', undefined, 2],
    ])
  })

  it('that does not select the template does not list it', () => {
    const other = policyOf({ resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] })
    expect(previewTemplate(other, deployment(), unclaimed())).toBeUndefined()
  })

  it('does not list Karmada’s reserved objects', () => {
    const template = deployment()
    const kept = { ...template, metadata: { ...template.metadata, namespace: 'kube-system' } }
    const all = policyOf(
      { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] },
      { kind: 'ClusterPropagationPolicy' },
    )
    expect(previewTemplate(all, kept, unclaimed())).toBeUndefined()
  })

  it('that cannot be scheduled gives Karmada’s message, and no clusters', () => {
    const preview = previewTemplate(
      policyOf({ placement: { clusterAffinity: { clusterNames: ['nowhere'] } } }),
      deployment(),
      unclaimed(),
    )
    expect(preview?.placement?.failure?.reason).toBe('NoClusterFit')
    expect(manifestsOf(preview, deployment(), unclaimed())).toEqual([])
  })
})

describe('a preview of a changed policy', () => {
  const world = (options: Options = {}) =>
    propagated({
      policy: policyOf({ placement: divided(['north', 'south'], true) }),
      template: deployment(8),
      ...options,
    })

  it('lists the replicas that would move', () => {
    const present = world()
    const preview = previewTemplate(
      policyOf({ placement: divided(['west']) }),
      present.template,
      presentOf(present),
    )
    expect(preview?.claim).toBe('Keeps')
    expect(shares(preview)).toEqual([
      ['north', 6, undefined],
      ['south', 2, undefined],
      ['west', undefined, 8],
    ])
    expect(
      manifestsOf(preview, present.template, presentOf(present)).map(({ cluster, before, after }) => [
        cluster,
        before?.spec?.replicas,
        after?.spec?.replicas,
      ]),
    ).toEqual([
      ['west', undefined, 8],
      ['north', 6, undefined],
      ['south', 2, undefined],
    ])
  })

  it('that changes nothing for the scheduler keeps the placement, even if a new scheduling would differ', () => {
    const present = world()
    const drifted = {
      ...present.binding,
      spec: {
        ...present.binding.spec,
        clusters: [
          { name: 'north', replicas: 1 },
          { name: 'south', replicas: 7 },
        ],
      },
    }
    const policy = policyOf({ placement: divided(['north', 'south'], true), conflictResolution: 'Overwrite' })
    const preview = previewTemplate(policy, present.template, {
      ...presentOf(present),
      bindingOf: () => drifted,
    })
    expect(shares(preview)).toEqual([
      ['north', 1, 1],
      ['south', 7, 7],
      ['west', undefined, undefined],
    ])
  })

  it('without room keeps what is placed, and reports the missing room', () => {
    const present = world({ clusters: [member('north'), member('south'), member('west', { cpu: '1' })] })
    const preview = previewTemplate(
      policyOf({ placement: divided(['west']) }),
      present.template,
      presentOf(present),
    )
    expect(preview?.placement?.failure?.reason).toBe('Unschedulable')
    expect(shares(preview)?.slice(0, 2)).toEqual([
      ['north', 6, 6],
      ['south', 2, 2],
    ])
  })
})

describe('a template that another policy has claimed', () => {
  const held = propagated({ policy: policyOf({ priority: 1 }, { name: 'first' }) })
  const claimBy = (spec: object, place: object = { name: 'second' }) => {
    const preview = previewTemplate(policyOf(spec, place), held.template, presentOf(held))
    return preview && [preview.claim, preview.other?.name]
  }

  it.each([
    ['stays there', {}, undefined, ['HeldByOther', 'first']],
    [
      'stays there although this one has a higher priority',
      { priority: 2 },
      undefined,
      ['HeldByOther', 'first'],
    ],
    [
      'is preempted by a higher priority that says so',
      { priority: 2, preemption: 'Always' },
      undefined,
      ['Preempts', 'first'],
    ],
    [
      'is not preempted by the same priority',
      { priority: 1, preemption: 'Always' },
      undefined,
      ['HeldByOther', 'first'],
    ],
    [
      'is not preempted by a cluster policy',
      { priority: 9, preemption: 'Always' },
      { kind: 'ClusterPropagationPolicy', name: 'second' },
      ['HeldByOther', 'first'],
    ],
  ])('%s', (_, spec, place, expected) => {
    expect(claimBy(spec, place)).toEqual(expected)
  })

  it('is not preempted by a policy that does not name it', () => {
    const all = { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] }
    expect(claimBy({ ...all, priority: 2, preemption: 'Always' })).toEqual(['HeldByOther', 'first'])
  })

  it('has no placement in the preview when the other policy keeps it', () => {
    const preview = previewTemplate(policyOf({}, { name: 'second' }), held.template, presentOf(held))
    expect(preview).not.toHaveProperty('placement')
    expect(preview).not.toHaveProperty('binding')
  })

  it('by a cluster policy is preempted by a policy of its namespace', () => {
    const wide = propagated({ policy: policyOf({ priority: 9 }, { kind: 'ClusterPropagationPolicy' }) })
    const preview = previewTemplate(policyOf({ preemption: 'Always' }), wide.template, presentOf(wide))
    expect(preview?.claim).toBe('Preempts')
  })

  it('is treated as unclaimed when that policy no longer exists', () => {
    const preview = previewTemplate(policyOf({}, { name: 'second' }), held.template, {
      ...presentOf(held),
      policies: [],
    })
    expect(preview?.claim).toBe('Claims')
  })

  it('stays with the policy that outranks a new one', () => {
    const first = policyOf({ priority: 5 }, { name: 'first' })
    const preview = previewTemplate(policyOf({}, { name: 'second' }), deployment(), {
      ...unclaimed(),
      policies: [first],
    })
    expect([preview?.claim, preview?.other?.name]).toEqual(['Outranked', 'first'])
  })

  it('is not compared with the stored version of the previewed policy', () => {
    const stored = policyOf({ priority: 5 })
    const preview = previewTemplate(policyOf({ priority: 0 }), deployment(), {
      ...unclaimed(),
      policies: [stored],
    })
    expect(preview?.claim).toBe('Claims')
  })
})

describe('a preview of overrides', () => {
  const image = (value: string): OverridePolicy => ({
    metadata: { namespace: 'shop', name: 'images' },
    spec: {
      overrideRules: [
        {
          targetCluster: { clusterNames: ['north'] },
          overriders: { imageOverrider: [{ component: 'Tag', operator: 'replace', value }] },
        },
      ],
    },
  })
  const imageOf = (object: { spec?: unknown } | undefined) =>
    (object?.spec as { template: { spec: { containers: { image: string }[] } } } | undefined)?.template.spec
      .containers[0]?.image

  it('shows each cluster’s manifest before and after', () => {
    const world = propagated()
    const overrides = { clusterWide: [], namespaced: [image('2')] }
    const changes = [...manifestChanges(world.binding, world.template, world, overrides)]
    expect(changes.map(({ cluster, before, after }) => [cluster, imageOf(before), imageOf(after)])).toEqual([
      ['north', 'web:1', 'web:2'],
      ['south', 'web:1', 'web:1'],
    ])
  })

  it('names the cluster for which an override cannot be applied, and why', () => {
    const world = propagated()
    const wrong: OverridePolicy = {
      metadata: { namespace: 'shop', name: 'wrong' },
      spec: {
        overrideRules: [
          {
            targetCluster: { clusterNames: ['south'] },
            overriders: { plaintext: [{ path: '/spec/none/such', operator: 'replace', value: 1 }] },
          },
        ],
      },
    }
    const overrides = { clusterWide: [], namespaced: [wrong] }
    const changes = [...manifestChanges(world.binding, world.template, world, overrides)]
    expect(changes.map(({ cluster, problem }) => [cluster, problem !== undefined])).toEqual([
      ['north', false],
      ['south', true],
    ])
    expect(changes[1]).not.toHaveProperty('after')
  })
})

describe('an explanation of a placement', () => {
  it('gives each cluster its filters’ refusals or its score and room', () => {
    const { binding, clusters } = propagated({ policy: policyOf({ placement: divided(['north', 'south']) }) })
    const { clusters: rows } = explainPlacement(binding.spec, binding.status ?? {}, clusters)
    const north = rows.find(({ cluster }) => cluster === 'north')
    const west = rows.find(({ cluster }) => cluster === 'west')
    expect(north).toMatchObject({ refusals: [], candidate: { allocatable: 10 }, selected: true })
    expect(west).toMatchObject({ refusals: [{ filter: 'ClusterAffinity' }], selected: false })
    expect(west).not.toHaveProperty('candidate')
  })

  it('names the affinity group that was chosen, and those that were tried before with their failures', () => {
    const placement: Placement = {
      clusterAffinities: [
        { affinityName: 'first', clusterNames: ['nowhere'] },
        { affinityName: 'second', clusterNames: ['south'] },
      ],
    }
    const { binding, clusters } = propagated({ policy: policyOf({ placement }) })
    const explanation = explainPlacement(binding.spec, {}, clusters)
    expect(explanation.affinityName).toBe('second')
    expect(explanation.tried).toMatchObject([{ affinityName: 'first', failure: { reason: 'NoClusterFit' } }])
  })

  it('includes a target whose cluster has left', () => {
    const { binding } = propagated()
    const { clusters: rows } = explainPlacement(binding.spec, {}, [member('south')])
    expect(rows.map(({ cluster, before, after }) => [cluster, before, after])).toEqual([
      ['north', 2, undefined],
      ['south', 2, 2],
    ])
  })

  it('says of a cluster that the placement names and that has not joined that it is not joined', () => {
    const placement = { clusterAffinity: { clusterNames: ['south', 'nroth'] } }
    const { binding, clusters } = propagated({ policy: policyOf({ placement }) })
    const { clusters: rows } = explainPlacement(binding.spec, {}, clusters)
    expect(rows.find(({ cluster }) => cluster === 'nroth')?.refusals).toEqual([
      { filter: 'NotJoined', reason: 'no cluster of this name is joined' },
    ])
  })
})
