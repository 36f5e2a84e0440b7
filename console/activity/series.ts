import type { ActivityBucket } from '../../proto/gen/kairship/insight_pb.js'
import { roughly } from '../parts/quantity.js'

/** Values over time, as plots take them: one time for each, undefined where there is no value. */
export interface Series {
  /** Seconds since 1970. */
  readonly times: readonly number[]
  readonly fromIndex: readonly (number | undefined)[]
  readonly fromKarmada: readonly (number | undefined)[]
  readonly writes: readonly (number | undefined)[]
  /** Milliseconds. */
  readonly lag: readonly (number | undefined)[]
  /** Per cent of what can be requested. */
  readonly cpu: readonly (number | undefined)[]
  readonly memory: readonly (number | undefined)[]
}

/** Buckets by their beginnings, with newer ones in place of those that were sent before; only the last hour of them. */
export function merged(
  before: readonly ActivityBucket[],
  sent: readonly ActivityBucket[],
): readonly ActivityBucket[] {
  const all = new Map(before.map(bucket => [bucket.start, bucket]))
  for (const bucket of sent) all.set(bucket.start, bucket)
  const sorted = [...all.values()].sort((a, b) => Number(a.start - b.start))
  const newest = sorted.at(-1)?.start ?? 0n
  return sorted.filter(({ start }) => newest - start < HOUR_MS)
}

const HOUR_MS = 3_600_000n

/** The values of buckets. In a minute between two others that nothing is known of, nothing was answered. */
export function seriesOf(buckets: readonly ActivityBucket[], bucketMs: number): Series {
  const known = new Map(buckets.map(bucket => [Number(bucket.start), bucket]))
  const [first, last] = [Number(buckets[0]?.start ?? 0), Number(buckets.at(-1)?.start ?? -1)]
  const starts: number[] = []
  for (let start = first; bucketMs > 0 && start <= last; start += bucketMs) starts.push(start)
  const each = <T>(value: (bucket: ActivityBucket | undefined) => T) =>
    starts.map(start => value(known.get(start)))
  const reads = (source: string) => (bucket: ActivityBucket | undefined) =>
    (bucket?.reads ?? [])
      .filter(read => read.source === source)
      .reduce((sum, { count }) => sum + Number(count), 0)
  const share = (resource: string) => (bucket: ActivityBucket | undefined) => {
    const [part, whole] = [roughly(bucket?.allocated[resource]), roughly(bucket?.allocatable[resource])]
    return whole ? ((part ?? 0) / whole) * 100 : undefined
  }
  return {
    times: starts.map(start => start / 1_000),
    fromIndex: each(reads('index')),
    fromKarmada: each(reads('karmada')),
    writes: each(bucket => Number(bucket?.writes ?? 0n)),
    lag: each(bucket => (bucket?.lagMs === undefined ? undefined : Number(bucket.lagMs))),
    cpu: each(share('cpu')),
    memory: each(share('memory')),
  }
}

/** Reads of one kind over all buckets. */
export interface Reason {
  readonly source: string
  readonly reason: string
  readonly count: number
}

/** Where reads were answered and why, the most frequent first. */
export function reasonsOf(buckets: readonly ActivityBucket[]): readonly Reason[] {
  const all = new Map<string, Reason>()
  for (const { source, reason, count } of buckets.flatMap(({ reads }) => reads)) {
    const key = `${source} ${reason}`
    all.set(key, { source, reason, count: (all.get(key)?.count ?? 0) + Number(count) })
  }
  return [...all.values()].sort((a, b) => b.count - a.count)
}
