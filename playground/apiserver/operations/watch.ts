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
import { WatchQueue } from './watch-queue.js'

/** Without timeoutSeconds a watch lasts from this to twice this long (kube-apiserver's --min-request-timeout). */
const MIN_TIMEOUT_SECONDS = 1800

/** An open watch: a queue of events that its reader empties, in order and without gaps. */
export class Watch implements AsyncIterable<readonly WatchItem[]> {
  readonly #queue = new WatchQueue()

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
      if (item) this.#queue.push(item)
    }
    if (plan.past) {
      const missed = collection.since(from)
      if (!missed || from < cluster.store.compacted) {
        this.#queue.push({ type: 'ERROR', object: tooOld(from, cluster.store.compacted) })
        this.end()
        return
      }
      for (const event of missed) offer(event)
    }
    if (plan.state) this.#queue.begin(this.#state(matches, plan.announceEnd))
    this.#queue.onEnd(collection.watch(offer))
    this.#queue.onEnd(cluster.watches.add(this))
    if (plan.bookmarks) this.#queue.every(BOOKMARK_MS, () => this.#queue.push(this.#bookmark()))
    this.#queue.after(plan.timeoutSeconds * 1000, () => {
      if (plan.bookmarks) this.#queue.push(this.#bookmark())
      this.end()
    })
  }

  /** Ends the watch after what is queued. Idempotent. */
  end(): void {
    this.#queue.end()
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly WatchItem[]> {
    return this.#queue[Symbol.asyncIterator]()
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
  const { sendInitialEvents, bookmarks, timeoutSeconds } = watchOptions(query)
  const text = query.get('resourceVersion') ?? ''
  if (!/^\d*$/.test(text)) {
    const problem = syntaxError(text)
    throw customStatus(500, '', `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`)
  }
  const revision = Number(text)
  const unset = text === '' || text === '0'
  const state = sendInitialEvents ?? unset
  return {
    revision: state || unset ? 0 : revision,
    past: !state && !unset,
    state,
    announceEnd: sendInitialEvents === true && bookmarks,
    bookmarks,
    timeoutSeconds,
  }
}

/** What the query of a watch says, whatever its resourceVersion means. */
export interface WatchOptions {
  /** Undefined: the resourceVersion decides. */
  readonly sendInitialEvents: boolean | undefined
  readonly bookmarks: boolean
  readonly timeoutSeconds: number
}

/** @throws StatusError 422 for options that contradict each other */
export function watchOptions(query: URLSearchParams): WatchOptions {
  const sendInitialEvents = query.get('sendInitialEvents')
  const match = query.get('resourceVersionMatch') ?? ''
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
  const timeout = wholeNumber(query, 'timeoutSeconds')
  return {
    sendInitialEvents: sendInitialEvents === null ? undefined : isTrue(sendInitialEvents),
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
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

/** What a watch from a forgotten revision gets. @param oldest the oldest one that is known */
export const tooOld = (requested: number, oldest: number): JsonObject =>
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
