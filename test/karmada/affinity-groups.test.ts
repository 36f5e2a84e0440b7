import { describe, expect, it } from 'vitest'
import { explainPlacement } from '../../karmada/explain/placement.js'
import type { AffinityGroups, BindingSpec } from '../../karmada/objects/binding.js'
import type { WorkloadAffinity } from '../../karmada/objects/placement.js'
import { affinityGroupsOf, type GroupedBinding } from '../../karmada/scheduling/affinity-groups.js'
import { schedule } from '../../karmada/scheduling/schedule.js'
import { member } from './explain/world.js'

const by = (groupByLabelKey: string) => ({ groupByLabelKey })

describe('the affinity groups of a template', () => {
  const labels = { team: 'shop', tier: '' }
  it.each<[string, WorkloadAffinity | undefined, AffinityGroups | undefined]>([
    ['are none without a workload affinity', undefined, undefined],
    ['are none where it lacks the label', { affinity: by('stage') }, undefined],
    ['name the label and its value', { affinity: by('team') }, { affinityGroup: 'team=shop' }],
    ['may be of an empty value', { antiAffinity: by('tier') }, { antiAffinityGroup: 'tier=' }],
    [
      'are one of each kind',
      { affinity: by('team'), antiAffinity: by('tier') },
      { affinityGroup: 'team=shop', antiAffinityGroup: 'tier=' },
    ],
    [
      'are those whose labels it has',
      { affinity: by('stage'), antiAffinity: by('team') },
      { antiAffinityGroup: 'team=shop' },
    ],
  ])('%s', (_, workloadAffinity, groups) => {
    const placement = workloadAffinity ? { workloadAffinity } : {}
    expect(affinityGroupsOf(labels, placement)).toEqual(groups)
  })
})

const TOGETHER: AffinityGroups = { affinityGroup: 'team=shop' }
const APART: AffinityGroups = { antiAffinityGroup: 'team=shop' }

const other = (
  name: string,
  workloadAffinityGroups: AffinityGroups,
  clusters: readonly string[],
  namespace = 'shop',
): GroupedBinding => ({
  metadata: { name, namespace },
  spec: { workloadAffinityGroups, clusters: clusters.map(one => ({ name: one })) },
})

const CLUSTERS = ['eu', 'us', 'ap'].map(name => member(name))

const spec = (workloadAffinityGroups: AffinityGroups, present: readonly string[] = []): BindingSpec => ({
  resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
  placement: {},
  clusters: present.map(name => ({ name })),
  workloadAffinityGroups,
})

const placed = (wanted: BindingSpec, bindings: readonly GroupedBinding[]) =>
  schedule(wanted, {}, CLUSTERS, { bindings: () => bindings }).clusters.map(({ name }) => name)

describe('a template with an affinity group', () => {
  it.each<[string, readonly GroupedBinding[], readonly string[]]>([
    ['goes anywhere as the first of its group', [], ['ap', 'eu', 'us']],
    ['goes where another one of its group is', [other('a', TOGETHER, ['us'])], ['us']],
    [
      'goes where all others of its group are',
      [other('a', TOGETHER, ['us', 'eu']), other('b', TOGETHER, ['ap', 'eu'])],
      ['eu'],
    ],
    [
      'goes nowhere where the others have no cluster in common',
      [other('a', TOGETHER, ['us']), other('b', TOGETHER, ['ap'])],
      [],
    ],
    ['is not held by one that has no clusters yet', [other('a', TOGETHER, [])], ['ap', 'eu', 'us']],
    ['is not held by another group', [other('a', { affinityGroup: 'team=ads' }, ['us'])], ['ap', 'eu', 'us']],
    ['is not held by an anti-affinity group', [other('a', APART, ['us'])], ['ap', 'eu', 'us']],
    ['is not held by another namespace', [other('a', TOGETHER, ['us'], 'ads')], ['ap', 'eu', 'us']],
    ['is not held by its own binding', [other('web-deployment', TOGETHER, ['us'])], ['ap', 'eu', 'us']],
  ])('%s', (_, bindings, clusters) => {
    expect(placed(spec(TOGETHER), bindings)).toEqual(clusters)
  })

  it('stays where it is although the group is elsewhere', () => {
    expect(placed(spec(TOGETHER, ['eu']), [other('a', TOGETHER, ['us'])])).toEqual(['eu', 'us'])
  })
})

describe('a template with an anti-affinity group', () => {
  it.each<[string, readonly GroupedBinding[], readonly string[]]>([
    ['avoids the clusters of the others', [other('a', APART, ['us']), other('b', APART, ['eu'])], ['ap']],
    ['does not avoid an affinity group', [other('a', TOGETHER, ['us'])], ['ap', 'eu', 'us']],
    ['does not avoid another namespace', [other('a', APART, ['us'], 'ads')], ['ap', 'eu', 'us']],
    ['does not avoid its own binding', [other('web-deployment', APART, ['us'])], ['ap', 'eu', 'us']],
  ])('%s', (_, bindings, clusters) => {
    expect(placed(spec(APART), bindings)).toEqual(clusters)
  })

  it('stays where it is although another one came', () => {
    expect(placed(spec(APART, ['eu']), [other('a', APART, ['eu', 'us'])])).toEqual(['ap', 'eu'])
  })
})

it('names both filters where both refuse a cluster, in Karmada’s words', () => {
  const groups = { ...TOGETHER, antiAffinityGroup: 'tier=front' }
  const bindings = [
    other('a', TOGETHER, ['us']),
    other('b', { antiAffinityGroup: 'tier=front' }, ['eu', 'us', 'ap']),
  ]
  const { failure, clusters } = explainPlacement(spec(groups), {}, CLUSTERS, bindings)
  expect(failure?.reason).toBe('NoClusterFit')
  expect(clusters.find(({ cluster }) => cluster === 'eu')?.refusals).toEqual([
    {
      filter: 'WorkloadAffinity',
      reason: 'ResourceBinding with the same affinity group does not target this cluster',
    },
    {
      filter: 'WorkloadAntiAffinity',
      reason: 'cluster already has workload with the same anti-affinity group',
    },
  ])
})

it('looks at no other binding for a template without groups', () => {
  const bindings = () => {
    throw new Error('the bindings were read')
  }
  expect(schedule(spec({}), {}, CLUSTERS, { bindings }).clusters).toHaveLength(3)
})
