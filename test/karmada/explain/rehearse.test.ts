import { describe, expect, it } from 'vitest'
import {
  occupied,
  type Rehearsal,
  rehearse,
  type ThoughtTaint,
  withTaints,
} from '../../../karmada/explain/rehearse.js'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { Placement, Toleration } from '../../../karmada/objects/placement.js'
import type { PlacedBinding } from '../../../karmada/objects/resource-binding.js'
import { deployment, member, policyOf, propagated } from './world.js'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const AGGREGATED = { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' } as const
const noExecute = (cluster: string): ThoughtTaint => ({
  cluster,
  taint: { key: 'fire', effect: 'NoExecute' },
})

/** A Deployment of 2 replicas of 1 CPU that a placement brought somewhere. */
const binding = (placement: Placement, clusters: readonly Cluster[], replicas = 2): PlacedBinding =>
  propagated({ template: deployment(replicas), policy: policyOf({ placement }), clusters }).binding

function rehearsed(
  one: PlacedBinding,
  clusters: readonly Cluster[],
  ...thought: readonly ThoughtTaint[]
): Rehearsal | undefined {
  const names = new Set(thought.map(({ cluster }) => cluster))
  return rehearse(one, withTaints(clusters, thought, NOW), { names, now: NOW })
}
const shares = (rehearsal: Rehearsal | undefined) =>
  rehearsal?.placement.clusters
    .filter(({ before, after }) => before !== undefined || after !== undefined)
    .map(({ cluster, before, after }) => [cluster, before, after])

describe('a rehearsal of taints', () => {
  const anywhere: Placement = {
    replicaScheduling: AGGREGATED,
    spreadConstraints: [{ spreadByField: 'cluster', maxGroups: 1, minGroups: 1 }],
  }

  it('moves all replicas to the cluster that has room', () => {
    const clusters = [member('north', { cpu: '10' }), member('south', { cpu: '9' })]
    const rehearsal = rehearsed(binding(anywhere, clusters), clusters, noExecute('north'))
    expect(rehearsal).toMatchObject({
      outcome: 'Moves',
      leaving: [{ cluster: 'north', replicas: 2, afterSeconds: 0 }],
      gains: [{ name: 'south', replicas: 2 }],
    })
    expect(shares(rehearsal)).toEqual([
      ['north', 2, undefined],
      ['south', undefined, 2],
    ])
  })

  it('says where nothing has room, in the words of the scheduler, and why each cluster does not take it', () => {
    const clusters = [member('north'), member('south', { cpu: '1' })]
    const one = binding({ replicaScheduling: AGGREGATED }, clusters)
    const rehearsal = rehearsed(one, clusters, noExecute('north'))
    expect(rehearsal?.outcome).toBe('Nowhere')
    expect(rehearsal?.placement.failure).toMatchObject({ reason: 'Unschedulable' })
    expect(shares(rehearsal)).toEqual([['north', 2, undefined]])
    const refusals = rehearsal?.placement.clusters[0]?.refusals.map(({ reason }) => reason)
    expect(refusals).toContain('cluster(s) had untolerated taint {fire:NoExecute}')
  })

  it('keeps what is left where a copied template loses one of its clusters', () => {
    const clusters = [member('north'), member('south')]
    const placement = { clusterAffinity: { clusterNames: ['north', 'south'] } }
    const rehearsal = rehearsed(binding(placement, clusters), clusters, noExecute('north'))
    expect(rehearsal?.outcome).toBe('Shrinks')
    expect(shares(rehearsal)).toEqual([
      ['north', 2, undefined],
      ['south', 2, 2],
    ])
  })

  it('says that a template runs nowhere whose only cluster is tainted', () => {
    const clusters = [member('north'), member('south')]
    const rehearsal = rehearsed(
      binding({ clusterAffinity: { clusterNames: ['north'] } }, clusters),
      clusters,
      noExecute('north'),
    )
    expect(rehearsal).toMatchObject({ outcome: 'Nowhere', gains: [] })
    expect(rehearsal?.placement.failure?.reason).toBe('NoClusterFit')
  })

  it.each<[string, ThoughtTaint['taint'], readonly Toleration[]]>([
    ['is no NoExecute taint', { key: 'fire', effect: 'NoSchedule' }, []],
    ['is tolerated', { key: 'fire', effect: 'NoExecute' }, [{ key: 'fire', operator: 'Exists' }]],
  ])('moves nothing where the taint %s', (_, taint, clusterTolerations) => {
    const clusters = [member('north'), member('south')]
    const one = binding({ clusterTolerations, clusterAffinity: { clusterNames: ['north'] } }, clusters)
    expect(rehearsed(one, clusters, { cluster: 'north', taint })).toBeUndefined()
  })

  it('says for how long a taint is tolerated', () => {
    const clusters = [member('north'), member('south')]
    const clusterTolerations: Toleration[] = [{ key: 'fire', operator: 'Exists', tolerationSeconds: 300 }]
    const one = binding({ clusterTolerations, clusterAffinity: { clusterNames: ['north'] } }, clusters)
    expect(rehearsed(one, clusters, noExecute('north'))?.leaving).toEqual([
      { cluster: 'north', replicas: 2, afterSeconds: 300 },
    ])
  })

  it('chooses no cluster where scheduling is suspended, and says so', () => {
    const clusters = [member('north', { cpu: '10' }), member('south', { cpu: '9' })]
    const one = binding(anywhere, clusters)
    const suspended = { ...one, spec: { ...one.spec, suspension: { scheduling: true } } }
    const rehearsal = rehearsed(suspended, clusters, noExecute('north'))
    expect(rehearsal?.outcome).toBe('Nowhere')
    expect(rehearsal?.note).toContain('suspended')
    expect(shares(rehearsal)).toEqual([['north', 2, undefined]])
  })

  it('takes the room of what moved from the next template', () => {
    const clusters = [member('north'), member('south', { cpu: '3' })]
    const one = binding(anywhere, clusters)
    const thought = withTaints(clusters, [noExecute('north')], NOW)
    const context = { names: new Set(['north']), now: NOW }
    const first = rehearse(one, thought, context)
    expect(first?.outcome).toBe('Moves')
    const after = occupied(thought, first?.gains ?? [], one.spec.replicaRequirements)
    expect(rehearse(one, after, context)?.outcome).toBe('Nowhere')
    expect(after[1]?.status?.resourceSummary?.allocating).toEqual({ cpu: '2', pods: '2' })
  })

  it('replaces the taint of the same key and effect, whose time starts anew', () => {
    const old = { key: 'fire', value: 'old', effect: 'NoExecute', timeAdded: '2020-01-01T00:00:00Z' } as const
    const [north] = withTaints([member('north', { taints: [old] })], [noExecute('north')], NOW)
    expect(north?.spec.taints).toEqual([
      { key: 'fire', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00.000Z' },
    ])
  })
})
