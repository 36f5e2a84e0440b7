import type { KubeObject } from '../../../manifests/kube.js'

/** One change of a cached collection. `revision` is the member's. */
export interface CacheEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: KubeObject
  /** What the cache held before; absent for ADDED. */
  readonly previous?: KubeObject
  readonly revision: number
}

/** How long an event is kept at least, milliseconds, and how many are kept at least and at most: the watch cache's of kube-apiserver. */
const FRESH_MS = 75_000
const FEWEST = 100
const MOST = 100 * 1024

/** The recent past of one cached collection, from which watches resume. */
export class EventWindow {
  readonly #events: { readonly event: CacheEvent; readonly at: number }[] = []
  /** Events up to this revision are not here. */
  #from: number

  constructor(
    from: number,
    private readonly now: () => number,
  ) {
    this.#from = from
  }

  push(event: CacheEvent): void {
    const at = this.now()
    this.#events.push({ event, at })
    let old = 0
    while (
      this.#events.length - old > FEWEST &&
      (this.#events.length - old > MOST || (this.#events[old]?.at ?? at) < at - FRESH_MS)
    )
      old += 1
    const [last] = this.#events.splice(0, old).slice(-1)
    if (last) this.#from = last.event.revision
  }

  /** The oldest revision from which a watch can resume. */
  get oldest(): number {
    return this.#from
  }

  /** @returns undefined for a revision before `oldest` */
  since(revision: number): readonly CacheEvent[] | undefined {
    if (revision < this.#from) return undefined
    return this.#events.map(({ event }) => event).filter(event => event.revision > revision)
  }
}
