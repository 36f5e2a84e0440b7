import { setMaxListeners } from 'node:events'
import { joined, orAborted } from '../../../ports/cancellation.js'
import { cancelled } from '../../errors/failure.js'
import { mergeSources } from './live-merge.js'

/** A source of a stream that is derived from several. */
export interface Source<T> {
  /** Its items, until the signal aborts. */
  readonly items: (signal: AbortSignal) => AsyncGenerator<T, void>
  /** Whether its start is over with this item. Absent for a source that has none, and begins when the others have started. */
  readonly isStarted?: (item: T) => boolean
}

/**
 * The items of sources as they arrive. One that has started waits until all have, so that what they say first is of the states that they were
 * asked for, and no change is among it. It fails with the first that fails; in every end the others' signal aborts.
 */
export async function* startedTogether<T>(
  caller: AbortSignal,
  sources: readonly Source<T>[],
): AsyncGenerator<T, void> {
  const over = new AbortController()
  const { signal, clear } = joined([caller, over.signal])
  setMaxListeners(0, signal) // each source listens, and what it is made of
  let starting = sources.filter(({ isStarted }) => isStarted).length
  let begin: () => void = () => undefined
  const all = new Promise<void>(resolve => {
    begin = resolve
  })
  async function* waiting({ items, isStarted }: Source<T>): AsyncGenerator<T, void> {
    if (!isStarted) await orAborted(all, signal)
    let hasStarted = !isStarted
    for await (const item of items(signal)) {
      yield item
      if (hasStarted || !isStarted?.(item)) continue
      hasStarted = true
      starting -= 1
      if (starting === 0) begin()
      await orAborted(all, signal)
    }
  }
  try {
    yield* mergeSources(sources.map(waiting))
  } finally {
    over.abort(cancelled('the stream is over'))
    clear()
  }
}
