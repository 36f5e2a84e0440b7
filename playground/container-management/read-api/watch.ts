import { isAtOrBefore } from '../../../streams/resource-version.js'
import { failure } from '../../apimachinery/field-error.js'
import type { JsonObject } from '../../apimachinery/json.js'
import type { ClusterTable, TableEvent } from '../index/cluster-table.js'
import type { IndexedObject } from '../index/indexed-object.js'

/** One event of a watch, before it is written in the shape the caller wants. */
export type WatchItem =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: IndexedObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: JsonObject }

/** What a watch request asks for. */
export interface WatchOptions {
  /** '' and '0' begin with everything there is. */
  readonly resourceVersion: string
  readonly sendInitialEvents: boolean
  readonly bookmarks: boolean
  readonly timeoutMs: number
  readonly selects: (object: IndexedObject) => boolean
  readonly signal: AbortSignal
}

/** kube-apiserver sends bookmarks about once a minute. */
const BOOKMARK_MS = 60_000
/** Events a reader may be behind before its watch is ended, as kube-apiserver ends slow watches. */
const MAX_BEHIND = 10_000

/** Yields changes of a table in batches until the caller goes, time is up, or the table's past is rewritten. */
export async function* watchTable(
  table: ClusterTable,
  options: WatchOptions,
): AsyncGenerator<readonly WatchItem[]> {
  const { resourceVersion, sendInitialEvents, selects } = options
  const fromStart = sendInitialEvents || resourceVersion === '' || resourceVersion === '0'
  const missed = fromStart ? [] : table.since(resourceVersion)
  if (!missed) {
    yield [{ type: 'ERROR', status: tooOld(resourceVersion, table.resourceVersion) }]
    return
  }
  const queue = new Queue(options)
  const stop = table.watch({
    onEvent: event => queue.push(...itemsOf(event, selects)),
    onProgress: () => undefined,
    onEnd: () => queue.end(),
  })
  try {
    if (fromStart) queue.push(...initial(table, selects))
    if (sendInitialEvents)
      queue.push({ type: 'BOOKMARK', resourceVersion: table.resourceVersion, initialEventsEnd: true })
    queue.push(...missed.flatMap(event => itemsOf(event, selects)))
    yield* queue.drain(() => table.resourceVersion)
  } finally {
    stop()
  }
}

function* initial(table: ClusterTable, selects: (object: IndexedObject) => boolean): Generator<WatchItem> {
  for (const object of table.values()) if (selects(object)) yield { type: 'ADDED', object }
}

/** An object that enters a selection is added to it, one that leaves it is deleted from it. */
function itemsOf(
  { type, object, previous }: TableEvent,
  selects: (object: IndexedObject) => boolean,
): readonly WatchItem[] {
  const was = previous !== undefined && selects(previous)
  const is = type !== 'DELETED' && selects(object)
  if (was && is) return [{ type: 'MODIFIED', object }]
  if (is) return [{ type: 'ADDED', object }]
  return was ? [{ type: 'DELETED', object }] : []
}

const tooOld = (requested: string, oldest: string): JsonObject =>
  failure(410, 'Expired', `too old resource version: ${requested} (${oldest})`) as unknown as JsonObject

/** Items on their way to one reader. */
class Queue {
  readonly #options: WatchOptions
  #items: WatchItem[] = []
  #ended = false
  #wake: (() => void) | undefined

  constructor(options: WatchOptions) {
    this.#options = options
  }

  push(...items: readonly WatchItem[]): void {
    for (const item of items) this.#items.push(item)
    if (this.#items.length > MAX_BEHIND && this.#wake === undefined) this.#ended = true
    if (items.length > 0) this.#wake?.()
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  async *drain(version: () => string): AsyncGenerator<readonly WatchItem[]> {
    const { signal, timeoutMs, bookmarks } = this.#options
    const onAbort = () => this.end()
    const timeout = setTimeout(onAbort, timeoutMs)
    const ticker = bookmarks ? setInterval(() => this.#bookmark(version()), BOOKMARK_MS) : undefined
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      while (!signal.aborted) {
        const items = this.#items
        this.#items = []
        if (items.length > 0) yield items
        else if (this.#ended) return
        else await this.#more()
      }
    } finally {
      clearTimeout(timeout)
      clearInterval(ticker)
      signal.removeEventListener('abort', onAbort)
    }
  }

  #bookmark(resourceVersion: string): void {
    if (this.#items.length === 0) this.push({ type: 'BOOKMARK', resourceVersion, initialEventsEnd: false })
  }

  async #more(): Promise<void> {
    await new Promise<void>(resolve => {
      this.#wake = resolve
    })
    this.#wake = undefined
  }
}

/** A version from the future is waited for by real servers; here the caller gets an error at once and tries again. */
export const isFromTheFuture = (requested: string, table: ClusterTable): boolean =>
  requested !== '' &&
  requested !== '0' &&
  table.resourceVersion !== '' &&
  !isAtOrBefore(requested, table.resourceVersion)
