import { BehaviorSubject, type Observable } from 'rxjs'
import type { KubeApi } from '../ports/kube-api.js'

/** The connection to one control plane, and what it was made from. */
export interface Connected {
  readonly api: KubeApi
  /** Secret: never logged, never told to a machine; it is written into the virtual cluster. */
  readonly kubeconfig: string
  readonly fingerprint: string
}

/** How long requests that are under way over a replaced connection may take to end, milliseconds. */
const GRACE_MS = 30_000

/**
 * The one connection of one instance. When credentials rotate the new connection is there first; who watches moves over,
 * and the old one is closed after its requests have ended.
 */
export class InstanceConnection {
  readonly #current = new BehaviorSubject<Connected | undefined>(undefined)
  readonly #retiring = new Map<KubeApi, NodeJS.Timeout>()

  get current(): Connected | undefined {
    return this.#current.value
  }
  /** Emits the present connection at once, then each replacement; undefined while there is none. */
  get changes(): Observable<Connected | undefined> {
    return this.#current
  }

  replace(next: Connected | undefined): void {
    const previous = this.#current.value
    this.#current.next(next)
    if (previous) this.#retire(previous.api)
  }

  /** Ends everything over this connection at once. */
  async close(): Promise<void> {
    const apis = [...this.#retiring.keys()]
    for (const timer of this.#retiring.values()) clearTimeout(timer)
    this.#retiring.clear()
    if (this.#current.value) apis.push(this.#current.value.api)
    this.#current.next(undefined)
    await Promise.all(apis.map(api => api.close()))
  }

  #retire(api: KubeApi): void {
    const timer = setTimeout(() => {
      this.#retiring.delete(api)
      void api.close()
    }, GRACE_MS)
    timer.unref()
    this.#retiring.set(api, timer)
  }
}
