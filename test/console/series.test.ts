import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { merged, reasonsOf, seriesOf } from '../../console/activity/series.js'
import { ActivityBucketSchema } from '../../proto/gen/kairship/insight_pb.js'

const MINUTE = 60_000
const bucket = (minute: number, more: MessageInitShape<typeof ActivityBucketSchema> = {}) =>
  create(ActivityBucketSchema, { start: BigInt(minute * MINUTE), ...more })
const read = (source: string, reason: string, count: number) => ({ source, reason, count: BigInt(count) })

describe('the series of an instance’s activity', () => {
  it('has a value for each minute; a missing minute had no requests', () => {
    const series = seriesOf(
      [
        bucket(1, { reads: [read('index', 'Fresh', 3), read('karmada', 'Stale', 1)], writes: 2n, lagMs: 9n }),
        bucket(3, { allocatable: { cpu: '4', memory: '8Gi' }, allocated: { cpu: '1000m', memory: '2Gi' } }),
      ],
      MINUTE,
    )
    expect(series).toEqual({
      times: [60, 120, 180],
      fromIndex: [3, 0, 0],
      fromKarmada: [1, 0, 0],
      writes: [2, 0, 0],
      lag: [9, undefined, undefined],
      cpu: [undefined, undefined, 25],
      memory: [undefined, undefined, 25],
    })
    expect(seriesOf([], 0).times).toEqual([])
  })

  it('replaces a bucket that is sent again, and drops those older than an hour', () => {
    const before = merged([], [bucket(0), bucket(1, { writes: 1n })])
    const after = merged(before, [bucket(1, { writes: 5n }), bucket(60)])
    expect(after.map(({ start, writes }) => [Number(start) / MINUTE, Number(writes)])).toEqual([
      [1, 5],
      [60, 0],
    ])
  })

  it('counts reasons over all minutes, the most frequent first', () => {
    const buckets = [
      bucket(0, { reads: [read('karmada', 'Stale', 1), read('index', 'Fresh', 1)] }),
      bucket(1, { reads: [read('index', 'Fresh', 4)] }),
    ]
    expect(reasonsOf(buckets)).toEqual([
      { source: 'index', reason: 'Fresh', count: 5 },
      { source: 'karmada', reason: 'Stale', count: 1 },
    ])
  })
})
