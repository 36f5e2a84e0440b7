import { INSTANCES } from '../../manifests/instance.js'
import { StatusError } from '../../manifests/status-error.js'
import { orAborted } from '../../ports/cancellation.js'
import type { Fleet } from '../../ports/fleet.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Call } from '../call/call.js'
import { startDeadline } from '../call/deadline.js'
import type { CatchUp, ObjectSource, Read } from '../read-your-writes/catch-up.js'
import { HOST_CLUSTER } from '../read-your-writes/ledger.js'
import { instanceObjects } from '../read-your-writes/object-source.js'
import { type Outcome, outcomeOf, outcomeOfStatus } from '../read-your-writes/outcome.js'
import type { InstanceFeed } from './instance-feed.js'

/** How long a read waits for this replica's watch, milliseconds: a kube-apiserver gives its watch cache as long. */
const PATIENCE_MS = 3_000

/** The caller that reads, and the signal that ends its wait. */
export type Reader = Pick<Call, 'caller'> & Partial<Pick<Call, 'signal'>>

/** What a write to an Instance does. */
export type InstanceVerb = 'create' | 'update' | 'patch' | 'delete'

/** The ledger, and the two sources that it compares. */
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
  readonly #shown: ObjectSource
  readonly #host: ObjectSource

  constructor(private readonly options: OwnWritesOptions) {
    this.#shown = fleetSource(options.fleet)
    this.#host = instanceObjects(options.host)
  }

  /** Sends one write to the Instance of a name, and remembers its outcome. Throws what `send` does. */
  async write<T>(verb: InstanceVerb, name: string, call: Call, send: () => Promise<T>): Promise<T> {
    const { catchUp } = this.options
    const read = readOf(call, name)
    const request = { verb, ...read.scope }
    const pending = catchUp.ledger.begin(read.caller, INSTANCES, request)
    try {
      // Only an Instance that was shown before is known to be gone by its absence.
      if (verb === 'delete') await catchUp.look(read, this.#shown)
      const answer = await send()
      pending.ended(outcomeOf(request, answer))
      return answer
    } catch (error) {
      pending.ended(outcomeOfError(error))
      throw error
    }
  }

  /** Whether the caller has written an Instance, and the fleet was not found to show that yet. */
  hasUnseenWrite(reader: Reader, name: string): boolean {
    return this.options.catchUp.expectedWrites(readOf(reader, name)) !== undefined
  }

  /**
   * Waits a moment until the fleet shows the caller's writes to one Instance, or to all; resolves with whether it does. A
   * write whose wait was in vain is not waited for again.
   * @throws the reason of the call's signal when that aborts
   */
  async shown(reader: Reader, name?: string): Promise<boolean> {
    const { catchUp, feed } = this.options
    const read = readOf(reader, name)
    const expected = catchUp.expectedWrites(read)
    if (!expected) return true
    const since = Math.max(...expected.written.map(({ since }) => since))
    const patienceMs = since + PATIENCE_MS - catchUp.ledger.now()
    const patience = startDeadline([reader.signal], Math.max(0, patienceMs))
    try {
      for (;;) {
        const { changed } = feed
        // An error here means not shown: the read then goes to the host, whose error reaches the caller.
        if (await catchUp.shows(read, this.#shown, this.#host).catch(() => false)) return true
        if (patienceMs <= 0 || catchUp.isPending(read)) return false
        const isOver = await orAborted(changed, patience.signal).then(
          () => false,
          () => true,
        )
        reader.signal?.throwIfAborted()
        if (isOver) return false
      }
    } finally {
      patience.clear()
    }
  }
}

const readOf = ({ caller }: Reader, name: string | undefined): Read => ({
  caller: { instance: HOST_CLUSTER, user: caller.user },
  type: INSTANCES,
  scope: { namespace: '', ...(name !== undefined && { name }) },
})

/** The fleet as a source of Instances. */
const fleetSource = (fleet: Fleet): ObjectSource => ({
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

/** The outcome of a failed write. Without an answer it may have been executed, or may yet be. */
const outcomeOfError = (error: unknown): Outcome =>
  (error instanceof StatusError ? outcomeOfStatus(error.status.code ?? 500) : undefined) ?? { kind: 'lost' }
