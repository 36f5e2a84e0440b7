import { BehaviorSubject, type Observable } from 'rxjs'
import type { KubeApi } from '../../ports/kube-api.js'

/** The connection to one control plane, and what it was made from. */
export interface Connected {
  readonly api: KubeApi
  /** Secret: never logged, never sent to a machine; it is written into the virtual cluster. */
  readonly kubeconfig: string
  readonly fingerprint: string
}

/** How long requests that are under way over a replaced connection may take to end, milliseconds. */
const GRACE_MS = 30_000

/**
 * The one connection of one instance. When credentials rotate the new connection is there first; watches move over,
 * and the old one is closed after its requests have ended.
 */
export class InstanceConnection {
  readonly #current = new BehaviorSubject<Connected | undefined>(undefined)
  readonly #retiring = new Map<KubeApi, NodeJS.Timeout>()
  #last: Connected | undefined

  get current(): Connected | undefined {
    return this.#current.value
  }
  /**
   * The present connection, or the one that there was until a moment ago and that is not closed yet. For taking away what is
   * ours inside: a Secret is often deleted together with its Instance, and a little before it.
   */
  get last(): Connected | undefined {
    return this.#last
  }
  /** Emits the present connection at once, then each replacement; undefined while there is none. */
  get changes(): Observable<Connected | undefined> {
    return this.#current
  }

  replace(next: Connected | undefined): void {
    const previous = this.#current.value
    this.#last = next ?? this.#last
    this.#current.next(next)
    if (previous) this.#retire(previous.api)
  }

  /** Ends everything over this connection at once. */
  async close(): Promise<void> {
    const apis = [...this.#retiring.keys()]
    for (const timer of this.#retiring.values()) clearTimeout(timer)
    this.#retiring.clear()
    if (this.#current.value) apis.push(this.#current.value.api)
    this.#last = undefined
    this.#current.next(undefined)
    await Promise.all(apis.map(api => api.close()))
  }

  #retire(api: KubeApi): void {
    const timer = setTimeout(() => {
      this.#retiring.delete(api)
      if (this.#last?.api === api) this.#last = undefined
      void api.close()
    }, GRACE_MS)
    timer.unref()
    this.#retiring.set(api, timer)
  }
}
