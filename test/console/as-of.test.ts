import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { clusterAsOf, summaryAsOf } from '../../console/live/as-of.js'
import { ClusterSchema } from '../../proto/gen/kairship/cluster_pb.js'
import { InstanceSchema } from '../../proto/gen/kairship/instance_pb.js'

const condition = (type: string, status: string, lastTransitionTime = '') => ({
  type,
  status,
  lastTransitionTime,
})

describe('when figures were current', () => {
  it.each([
    ['a cluster that is ready: now', [condition('Ready', 'True', '10:00')], undefined],
    ['one that is not ready: until it ceased to be', [condition('Ready', 'False', '10:00')], '10:00'],
    ['one of which nothing is known any more', [condition('Ready', 'Unknown', '10:00')], '10:00'],
    ['another condition', [condition('Ready', 'True'), condition('Full', 'False', '10:00')], undefined],
    ['a cluster without conditions', [], undefined],
  ])('%s', (_, conditions, expected) => {
    expect(clusterAsOf(create(ClusterSchema, { status: { conditions } }))).toBe(expected)
  })

  it.each([
    ['an instance whose statistics follow it: now', [condition('StatisticsCurrent', 'True')], undefined],
    ['one whose statistics stopped', [condition('StatisticsCurrent', 'False', '10:00')], '10:00'],
    [
      'one that does not answer: the earlier of both',
      [condition('ControlPlaneHealthy', 'False', '09:59'), condition('StatisticsCurrent', 'False', '10:00')],
      '09:59',
    ],
    ['one that is degraded by something else', [condition('Registered', 'False', '10:00')], undefined],
  ])('%s', (_, conditions, expected) => {
    const status = { conditions, summary: { clusterSummary: { totalNum: 1 } } }
    expect(summaryAsOf(create(InstanceSchema, { status }))).toBe(expected)
  })

  it('says nothing of an instance that has no figures yet', () => {
    const conditions = [condition('StatisticsCurrent', 'Unknown', '10:00')]
    expect(summaryAsOf(create(InstanceSchema, { status: { conditions } }))).toBeUndefined()
  })
})
