/**
 * The items of sources as they arrive; sources may be added while it is read. Of each source one item is held at most: it is not asked
 * for the next before that is taken, so a slow reader slows all of them down. Nothing accumulates on a source that is silent. It ends
 * when all have ended, and fails with the first that fails; then, and when it is not read on, it ends the others. One whose next item
 * is awaited ends after that, so its owner must make it come or fail.
 */
export class LiveMerge<T> {
  readonly #open = new Set<AsyncGenerator<T, void>>()
  readonly #ready: Step<T>[] = []
  #wake: () => void = () => undefined

  add(source: AsyncGenerator<T, void>): void {
    this.#open.add(source)
    this.#ask(source)
  }

  #ask(source: AsyncGenerator<T, void>): void {
    const settle = (step: Step<T>) => {
      this.#ready.push(step)
      this.#wake()
    }
    source.next().then(
      result => settle({ source, result }),
      error => settle({ source, error }),
    )
  }

  async *items(): AsyncGenerator<T, void> {
    try {
      while (this.#open.size > 0) {
        const step = this.#ready.shift()
        if (!step) {
          await new Promise<void>(resolve => {
            this.#wake = resolve
          })
          continue
        }
        if ('error' in step) throw step.error
        if (step.result.done) this.#open.delete(step.source)
        else {
          yield step.result.value
          this.#ask(step.source)
        }
      }
    } finally {
      this.close()
    }
  }

  /** Ends the sources; for one whose items were never read, where nothing else does. */
  close(): void {
    for (const source of this.#open) closeSource(source)
  }
}

/** The items of sources that are all known at the start. */
export async function* mergeSources<T>(sources: readonly AsyncGenerator<T, void>[]): AsyncGenerator<T, void> {
  const merge = new LiveMerge<T>()
  for (const source of sources) merge.add(source)
  yield* merge.items()
}

/** Closes a source that is no longer read, once its pending item has arrived or failed. Nothing awaits that. */
export function closeSource(source: AsyncGenerator<unknown, void>): void {
  source.return().catch(() => undefined)
}

type Step<T> =
  | { readonly source: AsyncGenerator<T, void>; readonly result: IteratorResult<T, void> }
  | { readonly source: AsyncGenerator<T, void>; readonly error: unknown }
