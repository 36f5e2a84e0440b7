import type { Cluster } from './cluster.js'
import { type JournalFiles, realFiles } from './store/journal-files.js'
import type { ApiRequest, ApiResponse } from './wire/exchange.js'
import type { Listener } from './wire/listener.js'

/** What can be made to go wrong. */
export type Fault =
  /** Ends every open watch now, cleanly. */
  | { readonly kind: 'endWatches' }
  /** Cuts every connection now; new ones are accepted. */
  | { readonly kind: 'cutConnections' }
  /** Cuts every connection and drops new ones until undone. */
  | { readonly kind: 'refuseConnections' }
  /** Holds every answer back by so many milliseconds until undone. */
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** The disk takes no more: durable writes are refused until undone. */
  | { readonly kind: 'diskFull' }
  /** Forgets all history now: a watch that resumes gets 410. */
  | { readonly kind: 'compact' }
  /** Answers requests that match with this until undone. */
  | {
      readonly kind: 'answer'
      readonly matches: (request: ApiRequest) => boolean
      readonly response: ApiResponse
    }

/** Things that go wrong on purpose, for tests. In-process callers do not feel them, compaction excepted. */
export class Faults {
  readonly #active = new Set<Fault>()
  #listener: Listener | undefined

  /** The disk of a durable server, as the faults let it be. */
  readonly files: JournalFiles = {
    ...realFiles,
    append: async (handle, data, position) => {
      if (!this.#has('diskFull')) return realFiles.append(handle, data, position)
      // As a real full disk does: part of it gets through.
      await realFiles.append(handle, data.subarray(0, data.length >> 1), position)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    },
  }
  #cluster: Cluster | undefined

  /** Whether new connections are served. */
  get accepts(): boolean {
    return !this.#has('refuseConnections')
  }

  attach(cluster: Cluster, listener: Listener): void {
    this.#cluster = cluster
    this.#listener = listener
  }

  start(fault: Fault): () => void {
    this.#active.add(fault)
    if (fault.kind === 'endWatches') this.#cluster?.watches.endAll()
    if (fault.kind === 'cutConnections' || fault.kind === 'refuseConnections') this.#listener?.cut()
    if (fault.kind === 'compact') this.#cluster?.store.compact()
    return () => {
      this.#active.delete(fault)
    }
  }

  #has(kind: Fault['kind']): boolean {
    return [...this.#active].some(fault => fault.kind === kind)
  }

  async around(request: ApiRequest, answer: () => Promise<ApiResponse>): Promise<ApiResponse> {
    for (const fault of this.#active) {
      if (fault.kind === 'delay') await this.#cluster?.delay(fault.milliseconds)
      if (fault.kind === 'answer' && fault.matches(request)) return fault.response
    }
    return answer()
  }
}
