import { describe, expect, it } from 'vitest'
import { type Remedy, remedyActions } from '../../karmada/eviction/remedy.js'
import type { Cluster } from '../../karmada/objects/cluster.js'

const remedy = (spec: Remedy['spec']): Remedy => ({
  apiVersion: 'remedy.karmada.io/v1alpha1',
  kind: 'Remedy',
  metadata: { name: 'r' },
  ...(spec && { spec }),
})
const cluster = (status?: 'True' | 'False' | 'Unknown'): Cluster => ({
  apiVersion: 'cluster.karmada.io/v1alpha1',
  kind: 'Cluster',
  metadata: { name: 'm1' },
  spec: { syncMode: 'Push' },
  ...(status !== undefined && {
    status: {
      conditions: [
        { type: 'DnsReady', status, reason: '', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    },
  }),
})
const match = (operator: 'Equal' | 'NotEqual', conditionStatus: string, conditionType = 'DnsReady') => ({
  clusterConditionMatch: { conditionType, operator, conditionStatus },
})
const actions = ['TrafficControl']

describe('a remedy', () => {
  it.each<[string, Remedy['spec'], Cluster, readonly string[]]>([
    ['acts on every cluster without conditions of its own', { actions }, cluster(), actions],
    ['leaves other clusters alone', { actions, clusterAffinity: { clusterNames: ['m2'] } }, cluster(), []],
    [
      'acts on a condition',
      { actions, decisionMatches: [match('Equal', 'False')] },
      cluster('False'),
      actions,
    ],
    ['ends with the condition', { actions, decisionMatches: [match('Equal', 'False')] }, cluster('True'), []],
    [
      'acts on what is not',
      { actions, decisionMatches: [match('NotEqual', 'True')] },
      cluster('Unknown'),
      actions,
    ],
    ['needs the condition', { actions, decisionMatches: [match('NotEqual', 'True')] }, cluster(), []],
    [
      'needs one match of several',
      { actions, decisionMatches: [match('Equal', 'False', 'Other'), {}, match('Equal', 'True')] },
      cluster('True'),
      actions,
    ],
    ['never acts with an empty list of matches', { actions, decisionMatches: [] }, cluster('True'), []],
  ])('%s', (_, spec, one, expected) => {
    expect(remedyActions(one, [remedy(spec)])).toEqual(expected)
  })

  it('adds to the others, each action once and in order', () => {
    const remedies = [
      ['b', 'a'],
      ['a', 'c'],
    ].map(some => remedy({ actions: some }))
    expect(remedyActions(cluster(), remedies)).toEqual(['a', 'b', 'c'])
  })
})
