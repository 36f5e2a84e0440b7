/**
 * The items of several sources as they come, one at a time: no source is read beyond the item that waits. It ends
 * when all have ended, and fails with the first that fails. Then, and when it is not read on, it ends the sources; one whose
 * next item is awaited ends after that, so its owner must make it come or fail.
 */
export async function* mergeSources<T>(sources: readonly AsyncGenerator<T, void>[]): AsyncGenerator<T, void> {
  type Step = { readonly source: AsyncGenerator<T, void>; readonly result: IteratorResult<T, void> }
  const waiting = new Map<AsyncGenerator<T, void>, Promise<Step>>()
  const ask = (source: AsyncGenerator<T, void>) => {
    const step = source.next().then(result => ({ source, result }))
    // Of those that fail together one is thrown.
    step.catch(() => undefined)
    waiting.set(source, step)
  }
  try {
    for (const source of sources) ask(source)
    while (waiting.size > 0) {
      const { source, result } = await Promise.race(waiting.values())
      if (result.done) waiting.delete(source)
      else {
        yield result.value
        ask(source)
      }
    }
  } finally {
    for (const source of sources) endOf(source)
  }
}

/** Closes a source that is no longer read, once its pending item has arrived or failed. Nothing awaits that. */
export function endOf(source: AsyncGenerator<unknown, void>): void {
  source.return().catch(() => undefined)
}
