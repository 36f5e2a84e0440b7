import type { ActivityBucket } from '../../proto/gen/kairship/insight_pb.js'
import { roughly } from '../parts/quantity.js'

/** Series for a plot: a value for each time, undefined where there is none. */
export interface Series {
  /** Seconds since 1970. */
  readonly times: readonly number[]
  readonly fromIndex: readonly (number | undefined)[]
  readonly fromKarmada: readonly (number | undefined)[]
  readonly writes: readonly (number | undefined)[]
  /** The lag of the index, milliseconds. */
  readonly lag: readonly (number | undefined)[]
  /** Percent of the allocatable capacity. */
  readonly cpu: readonly (number | undefined)[]
  readonly memory: readonly (number | undefined)[]
}

/** Merges buckets by their start: newer ones replace earlier ones. Only the last hour is kept. */
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

/** The series of buckets. A missing bucket between two others counts as no reads. */
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

/** The number of reads with one source and reason. */
export interface Reason {
  readonly source: string
  readonly reason: string
  readonly count: number
}

/** The sources and reasons of reads, the most frequent first. */
export function reasonsOf(buckets: readonly ActivityBucket[]): readonly Reason[] {
  const all = new Map<string, Reason>()
  for (const { source, reason, count } of buckets.flatMap(({ reads }) => reads)) {
    const key = `${source} ${reason}`
    all.set(key, { source, reason, count: (all.get(key)?.count ?? 0) + Number(count) })
  }
  return [...all.values()].sort((a, b) => b.count - a.count)
}
