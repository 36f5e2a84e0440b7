import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Explanation } from '../../proto/gen/kairship/instance_pb.js'
import { WatchInstancesResponse_Type as Type } from '../../proto/gen/kairship/instance_pb.js'
import { instances } from '../connection/instance-service.js'
import { clock } from '../live/clock.js'
import { EarliestTimer } from '../live/earliest-timer.js'
import { type Followed, follow } from '../live/follow.js'
import type { Page } from '../live/page.js'
import { runWhileVisible } from '../live/while-visible.js'

/** Changes of one instance come in bursts: it is asked for again at most so often, milliseconds. */
const AGAIN_MS = 500

/** Whether changes are heard of, and since when, milliseconds since 1970. */
interface Heard {
  readonly state: 'beginning' | 'live' | 'broken'
  readonly since: number
}

/**
 * Why an instance is in its state, asked for again after each change of it that the fleet's watch shows. It is live while that watch runs and
 * the last answer was no failure.
 */
export function useExplanation(name: string) {
  const queries = useQueryClient()
  const [heard, setHeard] = useState<Heard>({ state: 'beginning', since: Date.now() })
  useEffect(() => {
    const become = (state: Heard['state']) => setHeard({ state, since: Date.now() })
    const changed = () => queries.invalidateQueries({ queryKey: ['explanation', name] })
    return runWhileVisible(async signal => {
      become('beginning')
      await followInstance(name, { changed, become }, signal)
    })
  }, [name, queries])
  const query = useQuery<Explanation>({
    queryKey: ['explanation', name],
    queryFn: ({ signal }) => instances.explainInstance({ name }, { signal }),
  })
  return { ...query, freshness: freshnessOf(query, heard) }
}

/** How old the answer is: what was heard of no more is as it was when that ended, and what failed to be read again as when it was read. */
export function freshnessOf(
  {
    data,
    error,
    dataUpdatedAt,
  }: { readonly data: unknown; readonly error: Error | null; readonly dataUpdatedAt: number },
  { state, since }: Heard,
): Pick<Page<unknown>, 'state' | 'since' | 'problem'> {
  if (data === undefined) return { state: 'loading', since, ...(error && { problem: error }) }
  if (error) return { state: 'stale', since: dataUpdatedAt, problem: error }
  return { state: state === 'live' ? 'live' : state === 'broken' ? 'stale' : 'loading', since }
}

/** Follows the changes of one instance until the signal aborts. It never rejects. After a failure, changes may have been missed: it calls `changed`. */
async function followInstance(
  name: string,
  { changed, become }: { readonly changed: () => void; readonly become: (state: Heard['state']) => void },
  signal: AbortSignal,
): Promise<void> {
  const timer = new EarliestTimer(clock, changed)
  signal.addEventListener('abort', () => timer.cancel(), { once: true })
  const soon = () => timer.fireWithin(AGAIN_MS)
  let isFirst = true
  const stream: Followed = {
    async read(signal, answered) {
      if (!isFirst) soon()
      isFirst = false
      let isBegun = false
      for await (const { type, instance } of instances.watchInstances({ name }, { signal })) {
        answered()
        // Until the first bookmark the watch sends what is there: it sends nothing of an instance that was deleted before.
        const begins: boolean = !isBegun && type === Type.BOOKMARK
        isBegun ||= begins
        if (begins) become('live')
        // The filter matches parts of names, so changes of other instances come too.
        if (begins || instance?.metadata?.name === name) soon()
      }
      return 'again'
    },
    // The reason is shown by the query, which is asked again.
    broken() {
      become('broken')
      return 'again'
    },
  }
  await follow(stream, signal)
}
