import { useEffect, useState } from 'react'
import { ConnectionError } from '../../client/errors.js'
import { serviceClient } from '../../client/service-client.js'
import { type ActivityBucket, InsightService } from '../../proto/gen/kairship/insight_pb.js'
import { rest } from '../connection/rest.js'
import { clock } from '../live/clock.js'
import { Pause, retryAfterMs } from '../live/retry.js'
import { whileVisible } from '../live/use-live.js'
import { merged } from './series.js'

const insight = serviceClient(InsightService, rest)

/** What a screen shows of the activity of an instance. */
export interface ActivityView {
  readonly buckets: readonly ActivityBucket[]
  readonly bucketMs: number
  readonly state: 'loading' | 'live' | 'stale'
  /** When the state began, milliseconds since 1970. */
  readonly since: number
  readonly problem?: Error
}

const NOTHING: ActivityView = { buckets: [], bucketMs: 0, state: 'loading', since: 0 }

/** The activity of an instance, followed while its tab is shown. */
export function useActivity(instance: string): ActivityView {
  const [view, setView] = useState(NOTHING)
  useEffect(() => {
    setView(NOTHING)
    let run: AbortController | undefined
    const start = () => {
      if (run) return
      run = new AbortController()
      void follow(instance, setView, run.signal)
    }
    return whileVisible(start, () => {
      run?.abort()
      run = undefined
    })
  }, [instance])
  return view
}

type Change = (change: (view: ActivityView) => ActivityView) => void

/** Follows until it is stopped. It never rejects: a stream that broke is begun again, and sends the last hour anew. */
async function follow(instance: string, change: Change, signal: AbortSignal): Promise<void> {
  const pause = new Pause(clock)
  let failures = 0
  while (!signal.aborted) {
    let problem: Error = new ConnectionError('the stream has ended')
    try {
      for await (const { buckets, bucketMs } of insight.streamInstanceActivity({ instance }, { signal })) {
        failures = 0
        change(({ problem: _, ...view }) => ({
          ...view,
          bucketMs: Number(bucketMs),
          buckets: merged(view.buckets, buckets),
          ...(view.state !== 'live' && { state: 'live', since: Date.now() }),
        }))
      }
    } catch (error) {
      problem = error instanceof Error ? error : new Error(String(error))
    }
    if (signal.aborted) return
    change(view => ({
      ...view,
      problem,
      ...(view.state === 'live' && { state: 'stale', since: Date.now() }),
    }))
    failures += 1
    await pause.last(retryAfterMs(failures, problem), signal)
  }
}
