import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { serviceClient } from '../../client/service-client.js'
import type { Explanation } from '../../proto/gen/kairship/instance_pb.js'
import { InstanceService, WatchInstancesResponse_Type as Type } from '../../proto/gen/kairship/instance_pb.js'
import { rest } from '../connection/rest.js'
import { clock } from '../live/clock.js'
import type { Page } from '../live/page.js'
import { Pause, retryAfterMs } from '../live/retry.js'
import { whileVisible } from '../live/use-live.js'

const instances = serviceClient(InstanceService, rest)

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
    let run: AbortController | undefined
    const start = () => {
      if (run) return
      run = new AbortController()
      setHeard({ state: 'beginning', since: Date.now() })
      void follow(
        name,
        {
          changed: () => queries.invalidateQueries({ queryKey: ['explanation', name] }),
          heard: state => setHeard({ state, since: Date.now() }),
        },
        run.signal,
      )
    }
    return whileVisible(start, () => {
      run?.abort()
      run = undefined
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

/** Follows one instance until it is stopped. It never rejects: a stream that broke is begun again, and what was missed asked for. */
async function follow(
  name: string,
  { changed, heard }: { readonly changed: () => void; readonly heard: (state: Heard['state']) => void },
  signal: AbortSignal,
): Promise<void> {
  let due: ReturnType<typeof setTimeout> | undefined
  const soon = () => {
    due ??= setTimeout(() => {
      due = undefined
      changed()
    }, AGAIN_MS)
  }
  signal.addEventListener('abort', () => clearTimeout(due), { once: true })
  const pause = new Pause(clock)
  let failures = 0
  while (!signal.aborted) {
    let problem: unknown
    try {
      let isBegun = false
      for await (const { type, instance } of instances.watchInstances({ name }, { signal })) {
        // What was there when it began is told: an instance that went before that is told by nothing.
        const begins: boolean = !isBegun && type === Type.BOOKMARK
        isBegun ||= begins
        if (begins) heard('live')
        failures = 0
        // The filter matches parts of names: others' changes come too, and mean nothing here.
        if (begins || instance?.metadata?.name === name) soon()
      }
    } catch (error) {
      // Why is shown by the query that is asked again.
      problem = error
    }
    if (signal.aborted) return
    heard('broken')
    failures += 1
    await pause.last(retryAfterMs(failures, problem), signal)
    soon()
  }
}
