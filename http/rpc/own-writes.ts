import { INSTANCES } from '../../manifests/instance.js'
import { StatusError } from '../../manifests/status-error.js'
import type { Fleet } from '../../ports/fleet.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Call } from '../call.js'
import { orAborted, startDeadline } from '../deadline.js'
import type { CatchUp, Read, Showing } from '../read-your-writes/catch-up.js'
import { type Outcome, outcomeOf, outcomeOfStatus } from '../read-your-writes/outcome.js'
import { instanceShowing } from '../read-your-writes/showing.js'
import type { InstanceFeed } from './instance-feed.js'

/** The host cluster among the parties of the ledger; the others are uids. */
const HOST = 'host'
/** How long a read waits for this replica's watch, milliseconds: a kube-apiserver gives its watch cache as long. */
const PATIENCE_MS = 3_000

/** Who reads, and until when it waits. */
export type Reader = Pick<Call, 'caller'> & Partial<Pick<Call, 'signal'>>

/** What a write to an Instance does. */
export type InstanceVerb = 'create' | 'update' | 'patch' | 'delete'

/** What the ledger is kept with, and what is compared. */
export interface OwnWritesOptions {
  readonly catchUp: CatchUp
  readonly fleet: Fleet
  readonly feed: InstanceFeed
  /** The host cluster under Kairship's own credential. */
  readonly host: KubeApi
}

/**
 * Keeps callers of the management API from reading Instances as they were before their own writes. To the ledger the host
 * is one more instance, and the fleet, which follows it by a watch, is its index.
 */
export class OwnWrites {
  readonly #shown: Showing
  readonly #host: Showing

  constructor(private readonly options: OwnWritesOptions) {
    this.#shown = fleetShowing(options.fleet)
    this.#host = instanceShowing(options.host)
  }

  /** Sends one write to the Instance of a name, and remembers what came of it. Throws what `send` does. */
  async write<T>(verb: InstanceVerb, name: string, call: Call, send: () => Promise<T>): Promise<T> {
    const { catchUp } = this.options
    const read = readOf(call, name)
    const request = { verb, ...read.extent }
    const pending = catchUp.ledger.begin(read.party, INSTANCES, request)
    try {
      // Only of what was shown before tells its absence that it is gone.
      if (verb === 'delete') await catchUp.look(read, this.#shown)
      const answer = await send()
      pending.ended(outcomeOf(request, answer))
      return answer
    } catch (error) {
      pending.ended(outcomeOfError(error))
      throw error
    }
  }

  /** Whether the caller has written an Instance, and was not found to be shown that yet. */
  isDue(reader: Reader, name: string): boolean {
    return this.options.catchUp.due(readOf(reader, name)) !== undefined
  }

  /**
   * Waits a moment until the fleet shows all that the caller wrote: of one Instance, or of all. Says whether it does. What
   * was waited for in vain is not waited for again.
   * @throws the reason of the call's signal when that aborts
   */
  async shown(reader: Reader, name?: string): Promise<boolean> {
    const { catchUp, feed } = this.options
    const read = readOf(reader, name)
    const dues = catchUp.due(read)
    if (!dues) return true
    const since = Math.max(...dues.written.map(({ since }) => since))
    const patienceMs = since + PATIENCE_MS - catchUp.ledger.now()
    const patience = startDeadline([reader.signal], Math.max(0, patienceMs))
    try {
      for (;;) {
        const { changed } = feed
        // Who cannot find out has not seen it; the host is asked next then, and says what is wrong.
        if (await catchUp.shows(read, this.#shown, this.#host).catch(() => false)) return true
        if (patienceMs <= 0 || catchUp.isOpen(read)) return false
        const isOver = await orAborted(changed, patience.signal).then(
          () => false,
          () => true,
        )
        reader.signal?.throwIfAborted()
        if (isOver) return false
      }
    } finally {
      patience.release()
    }
  }
}

const readOf = ({ caller }: Reader, name: string | undefined): Read => ({
  party: { instance: HOST, user: caller.user },
  type: INSTANCES,
  extent: { namespace: '', ...(name !== undefined && { name }) },
})

/** The fleet as one who shows Instances. */
const fleetShowing = (fleet: Fleet): Showing => ({
  list: async (_type, { names }) => {
    const { resourceVersion } = fleet
    const views = names ? names.flatMap(({ name }) => fleet.get(name) ?? []) : fleet.list()
    return {
      items: views.map(({ name, instance: { metadata } }) => ({
        namespace: '',
        name,
        uid: metadata.uid ?? '',
        resourceVersion: metadata.resourceVersion ?? '',
        deleting: metadata.deletionTimestamp !== undefined,
      })),
      ...(resourceVersion !== undefined && { resourceVersion }),
    }
  },
})

/** What came of a write that was not answered well. Without an answer it may have been executed, or may yet be. */
const outcomeOfError = (error: unknown): Outcome =>
  (error instanceof StatusError ? outcomeOfStatus(error.status.code ?? 500) : undefined) ?? { kind: 'lost' }
