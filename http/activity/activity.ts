/** How long one bucket is, milliseconds. */
export const BUCKET_MS = 60_000
/** Buckets that are kept of each instance: an hour. */
export const MOST_BUCKETS = 60
/** Kinds of reads that one bucket counts apart. There are some thirty reasons; what else comes is counted together. */
const MOST_KINDS = 64

/** What one instance was asked for in one span of time. */
export interface ActivityBucket {
  /** When it begins, milliseconds since 1970. */
  readonly start: number
  readonly reads: readonly ReadCount[]
  readonly writes: number
  /** As it was at the end of the bucket, or is now; absent where nothing was seen yet. */
  readonly sample?: ActivitySample
}

/** Reads of one kind. */
export interface ReadCount {
  /** index or karmada. */
  readonly source: string
  /** Why it was read there: one CamelCase word. */
  readonly reason: string
  readonly count: number
}

/** How an instance stood at one moment. */
export interface ActivitySample {
  /** Milliseconds that its index was measured to be behind; absent where that is not known. */
  readonly lagMs?: number
  /** Kubernetes quantities by resource name, over its member clusters. */
  readonly allocatable: Readonly<Record<string, string>>
  readonly allocated: Readonly<Record<string, string>>
}

interface Bucket {
  readonly start: number
  readonly reads: Map<string, { source: string; reason: string; count: number }>
  writes: number
  sample?: ActivitySample
}

/**
 * What this replica answered of each instance in the last hour, and how the instance stood. It is kept in memory: a replica that has just started
 * knows nothing of the time before, and each knows its own answers alone.
 */
export class Activity {
  readonly #instances = new Map<string, Bucket[]>()

  /** @param now milliseconds since 1970 */
  constructor(private readonly now: () => number = Date.now) {}

  /** Counts one answer of an instance, or a write to it. */
  count(
    instance: string,
    from: { readonly source: string; readonly reason: string },
    isWrite: boolean,
  ): void {
    const bucket = this.#bucket(instance)
    if (isWrite) {
      bucket.writes += 1
      return
    }
    const { source } = from
    const reason =
      bucket.reads.size < MOST_KINDS || bucket.reads.has(`${source} ${from.reason}`) ? from.reason : 'Other'
    const key = `${source} ${reason}`
    const read = bucket.reads.get(key) ?? { source, reason, count: 0 }
    read.count += 1
    bucket.reads.set(key, read)
  }

  /** Notes how all instances stand, and forgets those that are not among them. */
  sample(all: Iterable<readonly [string, ActivitySample]>): void {
    const there = new Set<string>()
    for (const [instance, sample] of all) {
      there.add(instance)
      this.#bucket(instance).sample = sample
    }
    for (const instance of this.#instances.keys()) if (!there.has(instance)) this.#instances.delete(instance)
  }

  /** The buckets of an instance since one that began at `from`, the oldest first. Those without an answer and a sample are left out. */
  since(instance: string, from: number): readonly ActivityBucket[] {
    return (this.#instances.get(instance) ?? [])
      .filter(({ start }) => start >= from && start > this.now() - MOST_BUCKETS * BUCKET_MS)
      .map(({ start, reads, writes, sample }) => ({
        start,
        reads: [...reads.values()].map(read => ({ ...read })),
        writes,
        ...(sample && { sample }),
      }))
  }

  #bucket(instance: string): Bucket {
    const start = Math.floor(this.now() / BUCKET_MS) * BUCKET_MS
    const buckets = this.#instances.get(instance) ?? []
    this.#instances.set(instance, buckets)
    const last = buckets.at(-1)
    // A clock that was set back goes on in the bucket that there is.
    if (last && last.start >= start) return last
    const bucket: Bucket = { start, reads: new Map(), writes: 0 }
    buckets.push(bucket)
    if (buckets.length > MOST_BUCKETS) buckets.shift()
    return bucket
  }
}
