import { randomInt } from 'node:crypto'
import { type JsonObject, objectAt } from '../../apimachinery/json.js'
import { apiVersionOf } from '../../apimachinery/resource-definition.js'
import { customStatus, expired } from '../api-status.js'
import type { StoreEvent } from '../store/collection.js'
import type { StoredObject } from '../store/stored-object.js'
import { syntaxError, wholeNumber } from './list.js'
import { BOOKMARK_MS } from './open-watches.js'
import { selectionOf } from './selection.js'
import { inVersion, type Target } from './target.js'
import type { WatchItem } from './watch-item.js'

/** A watcher that has fallen this many events behind is cut off; it can resume from its last resourceVersion. */
export const WATCH_BUFFER = 4096
/** Without timeoutSeconds a watch lasts from this to twice this long (kube-apiserver's --min-request-timeout). */
const MIN_TIMEOUT_SECONDS = 1800
/** How many events go out in one piece at most. */
const BATCH = 256

/** An open watch: a queue of events that its reader empties, in order and without gaps. */
export class Watch implements AsyncIterable<readonly WatchItem[]> {
  readonly #queue: WatchItem[] = []
  readonly #stop: (() => void)[] = []
  #initial: Iterator<WatchItem> | undefined
  #wake: (() => void) | undefined
  #ended = false

  /** @throws StatusError for options that contradict each other; an expired resourceVersion becomes an ERROR event instead */
  constructor(
    private readonly target: Target,
    query: URLSearchParams,
  ) {
    const { cluster, collection } = target
    const plan = watchPlan(query)
    const selection = selectionOf(target, query)
    const from = plan.revision
    const matches = (object: StoredObject) =>
      (target.namespace === '' || object.namespace === target.namespace) && selection.matches(object)
    const offer = (event: StoreEvent) => {
      if (event.revision <= from) return
      const item = crossing(event, matches, target)
      if (item) this.#push(item)
    }
    if (plan.past) {
      const missed = collection.since(from)
      if (!missed || from < cluster.store.compacted) {
        this.#push({ type: 'ERROR', object: tooOld(from, cluster.store.compacted) })
        this.#ended = true
        return
      }
      for (const event of missed) offer(event)
    }
    if (plan.state) this.#initial = this.#state(matches, plan.announceEnd)
    this.#stop.push(collection.watch(offer))
    this.#stop.push(cluster.watches.add(this))
    if (plan.bookmarks) this.#every(BOOKMARK_MS, () => this.#push(this.#bookmark()))
    this.#after(plan.timeoutSeconds * 1000, () => {
      if (plan.bookmarks) this.#push(this.#bookmark())
      this.end()
    })
  }

  /** Ends the watch after what is queued. Idempotent. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    for (const stop of this.#stop) stop()
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncIterator<readonly WatchItem[]> {
    try {
      for (;;) {
        const batch = this.#take()
        if (batch.length > 0) yield batch
        else if (this.#ended) return
        else {
          await new Promise<void>(resolve => {
            this.#wake = resolve
          })
        }
      }
    } finally {
      this.end()
    }
  }

  #take(): WatchItem[] {
    if (this.#initial) {
      const batch: WatchItem[] = []
      for (let next = this.#initial.next(); !next.done; next = this.#initial.next()) {
        batch.push(next.value)
        if (batch.length === BATCH) return batch
      }
      this.#initial = undefined
      if (batch.length > 0) return batch
    }
    return this.#queue.splice(0, BATCH)
  }

  #push(item: WatchItem): void {
    this.#queue.push(item)
    // A reader this slow would only make everybody's memory pay; it resumes where it was.
    if (this.#queue.length > WATCH_BUFFER) {
      this.#queue.length = 0
      this.end()
    }
    this.#wake?.()
  }

  /** What there is when the watch starts, and, if requested, the bookmark that says it is complete. */
  #state(matches: (object: StoredObject) => boolean, announceEnd: boolean): Iterator<WatchItem> {
    const { target } = this
    const objects = target.collection.list(target.namespace).filter(matches)
    const end = announceEnd ? this.#bookmark({ 'k8s.io/initial-events-end': 'true' }) : undefined
    return (function* () {
      for (const object of objects) yield itemOf('ADDED', target, object)
      if (end) yield end
    })()
  }

  #bookmark(annotations?: Readonly<Record<string, string>>): WatchItem {
    const { definition, cluster } = this.target
    return {
      type: 'BOOKMARK',
      object: {
        kind: definition.kind,
        apiVersion: apiVersionOf(definition),
        metadata: {
          resourceVersion: String(cluster.store.revision),
          creationTimestamp: null,
          ...(annotations ? { annotations } : {}),
        },
      },
    }
  }

  #every(milliseconds: number, act: () => void): void {
    const timer = setInterval(act, milliseconds)
    timer.unref()
    this.#stop.push(() => clearInterval(timer))
  }

  #after(milliseconds: number, act: () => void): void {
    const timer = setTimeout(act, milliseconds)
    timer.unref()
    this.#stop.push(() => clearTimeout(timer))
  }
}

interface WatchPlan {
  /** Only what happened after this revision is new. */
  readonly revision: number
  /** Starts with what happened since `revision`. */
  readonly past: boolean
  /** Starts with everything there is, as ADDED. */
  readonly state: boolean
  readonly announceEnd: boolean
  readonly bookmarks: boolean
  readonly timeoutSeconds: number
}

function watchPlan(query: URLSearchParams): WatchPlan {
  const text = query.get('resourceVersion') ?? ''
  const sendInitialEvents = query.get('sendInitialEvents')
  const match = query.get('resourceVersionMatch') ?? ''
  const bookmarks = isTrue(query.get('allowWatchBookmarks'))
  if (sendInitialEvents === null && match !== '') {
    throw invalidOption(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    )
  }
  if (sendInitialEvents !== null && match !== 'NotOlderThan') {
    throw invalidOption(
      'resourceVersionMatch',
      'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    )
  }
  if (!/^\d*$/.test(text)) {
    const problem = syntaxError(text)
    throw customStatus(500, '', `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`)
  }
  const revision = Number(text)
  const initial = isTrue(sendInitialEvents)
  const unset = text === '' || text === '0'
  const state = initial || (sendInitialEvents === null && unset)
  const timeout = wholeNumber(query, 'timeoutSeconds')
  return {
    revision: state || unset ? 0 : revision,
    past: !state && !unset,
    state,
    announceEnd: initial && bookmarks,
    bookmarks,
    timeoutSeconds: timeout > 0 ? timeout : MIN_TIMEOUT_SECONDS + randomInt(MIN_TIMEOUT_SECONDS),
  }
}

const isTrue = (value: string | null): boolean => value === 'true' || value === '1'

function invalidOption(field: string, detail: string): Error {
  return customStatus(
    422,
    'Invalid',
    `ListOptions.meta.k8s.io "" is invalid: ${field}: Forbidden: ${detail}`,
    {
      group: 'meta.k8s.io',
      kind: 'ListOptions',
      causes: [{ reason: 'FieldValueForbidden', message: `Forbidden: ${detail}`, field }],
    },
  )
}

const tooOld = (requested: number, oldest: number): JsonObject =>
  expired(`too old resource version: ${requested} (${oldest})`).status as unknown as JsonObject

/** What a change looks like through a selection: an object that comes into it is ADDED, one that leaves it DELETED. */
function crossing(
  { type, current, previous }: StoreEvent,
  matches: (object: StoredObject) => boolean,
  target: Target,
): WatchItem | undefined {
  const before = previous !== undefined && matches(previous)
  const after = type !== 'DELETED' && matches(current)
  if (after) return itemOf(before ? 'MODIFIED' : 'ADDED', target, current)
  if (!before) return undefined
  return type === 'DELETED' ? itemOf('DELETED', target, current) : left(target, previous, current)
}

/** An object that left the selection goes out as it last was in it, under the revision of the change. */
function left(target: Target, previous: StoredObject, current: StoredObject): WatchItem {
  const object = inVersion(target.type, previous.object)
  const metadata = { ...objectAt(object, 'metadata'), resourceVersion: String(current.revision) }
  return { type: 'DELETED', object: { ...object, metadata } }
}

function itemOf(type: WatchItem['type'], target: Target, stored: StoredObject): WatchItem {
  const object = inVersion(target.type, stored.object)
  return object === stored.object ? { type, object, stored } : { type, object }
}
