import { useEffect, useState } from 'react'
import { serviceClient } from '../../client/service-client.js'
import { type ActivityBucket, InsightService } from '../../proto/gen/kairship/insight_pb.js'
import { rest } from '../connection/rest.js'
import { type Followed, follow } from '../live/follow.js'
import { runWhileVisible } from '../live/while-visible.js'
import { merged } from './series.js'

const insight = serviceClient(InsightService, rest)

/** The activity of an instance, as the screen shows it. */
export interface ActivityView {
  readonly buckets: readonly ActivityBucket[]
  readonly bucketMs: number
  readonly state: 'loading' | 'live' | 'stale'
  /** When the state began, milliseconds since 1970. */
  readonly since: number
  readonly problem?: Error
}

const NOTHING: ActivityView = { buckets: [], bucketMs: 0, state: 'loading', since: 0 }

/** Follows the activity of an instance while the tab is visible. */
export function useActivity(instance: string): ActivityView {
  const [view, setView] = useState(NOTHING)
  useEffect(() => {
    setView(NOTHING)
    return runWhileVisible(signal => follow(activityOf(instance, setView), signal))
  }, [instance])
  return view
}

type Change = (change: (view: ActivityView) => ActivityView) => void

/** The stream of an instance's activity. After a failure it sends the last hour again. */
const activityOf = (instance: string, change: Change): Followed => ({
  async read(signal, answered) {
    for await (const { buckets, bucketMs } of insight.streamInstanceActivity({ instance }, { signal })) {
      answered()
      change(({ problem: _, ...view }) => ({
        ...view,
        bucketMs: Number(bucketMs),
        buckets: merged(view.buckets, buckets),
        ...(view.state !== 'live' && { state: 'live', since: Date.now() }),
      }))
    }
    return 'again'
  },
  broken(problem) {
    change(view => ({
      ...view,
      problem,
      ...(view.state === 'live' && { state: 'stale', since: Date.now() }),
    }))
    return 'again'
  },
})
