import { setMaxListeners } from 'node:events'
import { BehaviorSubject, type Observable } from 'rxjs'
import type { SnapshotFrom } from 'xstate'
import { isLeading, type leaseMachine } from '../../machines/lease.js'
import { holderOf, type Moment } from '../../machines/lease-terms.js'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'

/** Who acts. A new object for every change. */
export interface Leadership {
  /** Whether this replica does. */
  readonly leading: boolean
  /** The identity of the holder in the Lease; undefined when it has none or was not seen yet. */
  readonly holder?: string
  /** Aborted, with a NotLeadingError, as soon as this replica does not lead. Every effect and each of its requests gets it. */
  readonly signal: AbortSignal
}

/** A request was not sent, or was ended, because this replica does not lead. */
export class NotLeadingError extends Error {
  override readonly name = 'NotLeadingError'
  constructor(message = 'this replica does not lead') {
    super(message)
  }
}

type LeaseSnapshot = SnapshotFrom<typeof leaseMachine>

/** Turns the chart's snapshots into leadership, with one abort signal per term. */
export class LeadershipView {
  readonly #subject: BehaviorSubject<Leadership>
  #term = new AbortController()

  constructor(
    readonly log: Log,
    readonly meter: Meter,
  ) {
    this.#term.abort()
    this.#subject = new BehaviorSubject<Leadership>({ leading: false, signal: this.#term.signal })
    meter.gauge('kairship_lease_leading', 0)
  }

  get changes$(): Observable<Leadership> {
    return this.#subject.asObservable()
  }

  /** Brings the view up to date and returns it. */
  at(snapshot: LeaseSnapshot, moment: Moment): Leadership {
    const leading = snapshot.status === 'active' && isLeading(snapshot, moment)
    const holder = holderOf(snapshot.context.seen)
    const { leading: before, holder: holderBefore } = this.#subject.value
    if (leading !== before || holder !== holderBefore) this.#change(leading, holder)
    return this.#subject.value
  }

  end(): void {
    if (this.#subject.value.leading) this.#change(false, undefined)
    this.#subject.complete()
  }

  #change(leading: boolean, holder: string | undefined): void {
    const was = this.#subject.value.leading
    if (leading && !was) {
      this.#term = new AbortController()
      setMaxListeners(0, this.#term.signal) // each effect and each request of every instance listens
    }
    if (!leading) this.#term.abort(new NotLeadingError('this replica no longer leads'))
    this.#subject.next({ leading, signal: this.#term.signal, ...(holder !== undefined && { holder }) })
    if (leading === was) return
    this.meter.gauge('kairship_lease_leading', leading ? 1 : 0)
    this.meter.count('kairship_lease_transitions_total', { to: leading ? 'leading' : 'standby' })
    this.log.info({ holder }, leading ? 'this replica leads' : 'this replica no longer leads')
  }
}
