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

/** The shortest time between two reads of the explanation, milliseconds: changes of one instance come in bursts. */
const READ_MS = 500

/** The state of the instance's watch, and when it began, milliseconds since 1970. */
interface WatchState {
  readonly state: 'beginning' | 'live' | 'broken'
  readonly since: number
}

/**
 * Reads the explanation of an instance's state, and again after each change that the watch of instances sends. It is live while the watch runs and
 * the last read succeeded.
 */
export function useExplanation(name: string) {
  const queries = useQueryClient()
  const [watch, setWatch] = useState<WatchState>({ state: 'beginning', since: Date.now() })
  useEffect(() => {
    const setState = (state: WatchState['state']) => setWatch({ state, since: Date.now() })
    const changed = () => queries.invalidateQueries({ queryKey: ['explanation', name] })
    return runWhileVisible(async signal => {
      setState('beginning')
      await followInstance(name, { changed, setState }, signal)
    })
  }, [name, queries])
  const query = useQuery<Explanation>({
    queryKey: ['explanation', name],
    queryFn: ({ signal }) => instances.explainInstance({ name }, { signal }),
  })
  return { ...query, freshness: freshnessOf(query, watch) }
}

/** The freshness of the explanation: stale since the watch broke, or since the last successful read where a read failed. */
export function freshnessOf(
  {
    data,
    error,
    dataUpdatedAt,
  }: { readonly data: unknown; readonly error: Error | null; readonly dataUpdatedAt: number },
  { state, since }: WatchState,
): Pick<Page<unknown>, 'state' | 'since' | 'problem'> {
  if (data === undefined) return { state: 'loading', since, ...(error && { problem: error }) }
  if (error) return { state: 'stale', since: dataUpdatedAt, problem: error }
  return { state: state === 'live' ? 'live' : state === 'broken' ? 'stale' : 'loading', since }
}

/**
 * Watches one instance until the signal aborts, and calls `changed` after changes. Never rejects. After a broken watch it also calls `changed`,
 * because changes may have been missed.
 */
async function followInstance(
  name: string,
  {
    changed,
    setState,
  }: { readonly changed: () => void; readonly setState: (state: WatchState['state']) => void },
  signal: AbortSignal,
): Promise<void> {
  const timer = new EarliestTimer(clock, changed)
  signal.addEventListener('abort', () => timer.cancel(), { once: true })
  const soon = () => timer.fireWithin(READ_MS)
  let isFirst = true
  const stream: Followed = {
    async read(signal, answered) {
      if (!isFirst) soon()
      isFirst = false
      let wasSynced = false
      for await (const { type, instance } of instances.watchInstances({ name }, { signal })) {
        answered()
        // Until the first bookmark the watch sends the current objects. An instance that was deleted before does not appear.
        const isSynced: boolean = !wasSynced && type === Type.BOOKMARK
        wasSynced ||= isSynced
        if (isSynced) setState('live')
        // The watch filters by a part of the name, so changes of other instances come too.
        if (isSynced || instance?.metadata?.name === name) soon()
      }
      return 'again'
    },
    // The query is read again and shows the reason.
    broken() {
      setState('broken')
      return 'again'
    },
  }
  await follow(stream, signal)
}
