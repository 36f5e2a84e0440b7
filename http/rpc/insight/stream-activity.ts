import { setTimeout as pause } from 'node:timers/promises'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type {
  ActivityBucketSchema,
  StreamInstanceActivityResponseSchema,
} from '../../../proto/gen/kairship/insight_pb.js'
import { type Activity, type ActivityBucket, BUCKET_MS } from '../../activity/activity.js'

/** How often the bucket that goes on is sent again, milliseconds. */
const SEND_MS = 5_000

/** The last hour of an instance at once, and then again and again what has changed since, until the signal aborts. */
export async function* streamActivity(
  activity: Pick<Activity, 'since'>,
  instance: string,
  signal: AbortSignal,
  wait: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, until) =>
    pause(ms, undefined, { signal: until }),
): AsyncGenerator<MessageInitShape<typeof StreamInstanceActivityResponseSchema>> {
  let from = 0
  for (;;) {
    const buckets = activity.since(instance, from)
    yield { bucketMs: BigInt(BUCKET_MS), buckets: buckets.map(messageOf) }
    from = buckets.at(-1)?.start ?? from
    await wait(SEND_MS, signal)
  }
}

const messageOf = ({
  start,
  reads,
  writes,
  sample,
}: ActivityBucket): MessageInitShape<typeof ActivityBucketSchema> => ({
  start: BigInt(start),
  reads: reads.map(({ source, reason, count }) => ({ source, reason, count: BigInt(count) })),
  writes: BigInt(writes),
  ...(sample && {
    allocatable: { ...sample.allocatable },
    allocated: { ...sample.allocated },
    ...(sample.lagMs !== undefined && { lagMs: BigInt(Math.round(sample.lagMs)) }),
  }),
})
