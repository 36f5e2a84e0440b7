import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { serviceClient } from '../../client/service-client.js'
import type { Explanation } from '../../proto/gen/kairship/instance_pb.js'
import { InstanceService, WatchInstancesResponse_Type as Type } from '../../proto/gen/kairship/instance_pb.js'
import { rest } from '../connection/rest.js'
import { whileVisible } from '../live/use-live.js'

const instances = serviceClient(InstanceService, rest)

/** Changes of one instance come in bursts: it is asked for again at most so often, milliseconds. */
const AGAIN_MS = 500
/** After a stream broke. */
const RETRY_MS = 2_000

/** Why an instance is in its state, asked for again after each change of it that the fleet's watch shows. */
export function useExplanation(name: string) {
  const queries = useQueryClient()
  useEffect(() => {
    let run: AbortController | undefined
    const start = () => {
      if (run) return
      run = new AbortController()
      void follow(name, () => queries.invalidateQueries({ queryKey: ['explanation', name] }), run.signal)
    }
    return whileVisible(start, () => {
      run?.abort()
      run = undefined
    })
  }, [name, queries])
  return useQuery<Explanation>({
    queryKey: ['explanation', name],
    queryFn: ({ signal }) => instances.explainInstance({ name }, { signal }),
  })
}

/** Follows one instance until it is stopped. It never rejects: a stream that broke is begun again, and what was missed asked for. */
async function follow(name: string, changed: () => void, signal: AbortSignal): Promise<void> {
  let due: ReturnType<typeof setTimeout> | undefined
  const soon = () => {
    due ??= setTimeout(() => {
      due = undefined
      changed()
    }, AGAIN_MS)
  }
  signal.addEventListener('abort', () => clearTimeout(due), { once: true })
  while (!signal.aborted) {
    try {
      let isBegun = false
      for await (const { type, instance } of instances.watchInstances({ name }, { signal })) {
        // What was there when it began is told: an instance that went before that is told by nothing.
        const begins: boolean = !isBegun && type === Type.BOOKMARK
        isBegun ||= begins
        // The filter matches parts of names: others' changes come too, and mean nothing here.
        if (begins || instance?.metadata?.name === name) soon()
      }
    } catch {
      // Why is shown by the query that is asked again.
    }
    if (signal.aborted) return
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    soon()
  }
}
