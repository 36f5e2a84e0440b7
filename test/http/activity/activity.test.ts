import { beforeEach, describe, expect, it } from 'vitest'
import { Activity, BUCKET_MS, MOST_BUCKETS } from '../../../http/activity/activity.js'
import { streamActivity } from '../../../http/rpc/insight/stream-activity.js'

let time: number
let activity: Activity
const fromIndex = { source: 'index', reason: 'Fresh' }
const fromKarmada = { source: 'karmada', reason: 'Write' }
const sample = { lagMs: 12.4, allocatable: { cpu: '4' }, allocated: { cpu: '1' } }

beforeEach(() => {
  time = 600_000
  activity = new Activity(() => time)
})

describe('the activity of an instance', () => {
  it('counts reads by where they were answered and why, and writes, a bucket for each minute', () => {
    activity.count('eu', fromIndex, false)
    activity.count('eu', fromIndex, false)
    activity.count('eu', fromKarmada, true)
    time += BUCKET_MS
    activity.count('eu', { source: 'karmada', reason: 'Stale' }, false)
    expect(activity.since('eu', 0)).toEqual([
      { start: 600_000, reads: [{ ...fromIndex, count: 2 }], writes: 1 },
      { start: 660_000, reads: [{ source: 'karmada', reason: 'Stale', count: 1 }], writes: 0 },
    ])
    expect(activity.since('us', 0)).toEqual([])
  })

  it('is kept for an hour', () => {
    for (let minute = 0; minute < MOST_BUCKETS + 5; minute += 1) {
      activity.count('eu', fromIndex, false)
      time += BUCKET_MS
    }
    const kept = activity.since('eu', 0)
    expect(kept.length).toBeLessThanOrEqual(MOST_BUCKETS)
    expect(kept.every(({ start }) => start > time - MOST_BUCKETS * BUCKET_MS)).toBe(true)
  })

  it('counts together what comes beyond a number of reasons', () => {
    for (let n = 0; n < 100; n += 1) activity.count('eu', { source: 'karmada', reason: `R${n}` }, false)
    const [{ reads } = { reads: [] }] = activity.since('eu', 0)
    expect(reads.length).toBeLessThanOrEqual(65)
    expect(reads.find(({ reason }) => reason === 'Other')?.count).toBe(36)
  })

  it('has how the instance stood, and goes with the instance', () => {
    activity.sample([['eu', sample]])
    expect(activity.since('eu', 0)).toMatchObject([{ sample }])
    activity.sample([['us', sample]])
    expect(activity.since('eu', 0)).toEqual([])
  })
})

describe('a watch of the activity of an instance', () => {
  it('sends the last hour first, and then the bucket that goes on and those after it', async () => {
    activity.count('eu', fromIndex, false)
    time += BUCKET_MS
    activity.sample([['eu', sample]])
    const watch = streamActivity(activity, 'eu', new AbortController().signal, async () => {
      activity.count('eu', fromKarmada, true)
    })
    const first = (await watch.next()).value
    expect(first?.buckets).toMatchObject([{ start: 600_000n }, { start: 660_000n, writes: 0n, lagMs: 12n }])
    const second = (await watch.next()).value
    expect(second?.buckets).toMatchObject([{ start: 660_000n, writes: 1n }])
  })
})
