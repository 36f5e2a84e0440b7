import {
  renderDelivered,
  SEQUENCE_ANNOTATION,
  type StoredBinding,
  sequenceOf,
} from '../../manifests/delivered-binding.js'
import { isOver } from '../../manifests/role-end.js'
import { deadline } from '../../ports/cancellation.js'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import type { Leadership } from '../election/leadership.js'
import type { BindingList, ListedBinding, WholeList } from './binding-list.js'
import type { DeliveredBindings } from './delivered-bindings.js'
import { type Changes, OneByOne } from './one-by-one.js'
import { isSame } from './stored-bindings.js'

/** One comparison takes so long at most, milliseconds. */
const WITHIN_MS = 240_000

/** What the full sync depends on. */
export interface FullSyncOptions {
  readonly list: Pick<BindingList, 'whole'>
  readonly bindings: DeliveredBindings
  readonly leadership: () => Leadership
  /** Milliseconds between the end of a comparison and the beginning of the next. */
  readonly everyMs: number
  readonly log: Log
  readonly meter: Meter
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** What a comparison did. */
export interface Repaired {
  readonly stored: number
  readonly ended: number
  /** Nothing is left of what is stored; it is done when the next list says so too. */
  readonly heldBack: boolean
}

/**
 * Repairs what deliveries missed: the leader compares the whole list of Global Management with the delivered bindings on the host, stores what
 * differs and ends what is not listed. It changes nothing by a list that is not proved whole. One that is empty while bindings are in
 * effect must come twice in a row, to one leader.
 */
export class FullSync {
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  readonly #stopped = new AbortController()
  #isComparing = false
  /** Whether the list before was empty while bindings were in effect, in this term. */
  #wasEmpty = false
  /** Of the term in which the list was read for the last time. */
  #term: AbortSignal | undefined
  /** The newest sequence that was stored when the list was read for the last time. */
  #newest = 0
  readonly #ends = new OneByOne()
  readonly #stores = new OneByOne()

  constructor(private readonly options: FullSyncOptions) {}

  /** Compares now if this replica leads, and then again and again. Called again when it begins to lead. */
  start(): void {
    if (this.#isComparing) return
    clearTimeout(this.#timer)
    this.#next(0)
  }

  /** Ends what is under way, and waits for its end. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    clearTimeout(this.#timer)
    await this.#running
  }

  /**
   * One comparison.
   * @throws IncompleteListError, ServiceError, StatusError, UnreachableError when it could not be done whole; PartOfListError when all was done but
   *   what it names. It is done again
   */
  async compare(signal: AbortSignal): Promise<Repaired> {
    const { list, bindings, now = Date.now } = this.options
    const whole = await list.whole(signal)
    const stored = new Map((await bindings.delivered(signal)).map(binding => [keyOf(binding), binding]))
    const wasNewest = this.#newest
    this.#newest = [...stored.values()].reduce((newest, one) => Math.max(newest, sequenceOf(one)), 0)
    const inEffect = [...stored.values()].filter(binding => !isOver(binding, now()))
    const isSurprising = whole.items.length === 0 && inEffect.length > 0
    if (isSurprising && !this.#wasEmpty) {
      this.#wasEmpty = true
      return { stored: 0, ended: 0, heldBack: true }
    }
    this.#wasEmpty = isSurprising
    // Rights are taken away before any are given.
    const ended = await this.#end(whole, inEffect, signal)
    const given = ended.isGivenUp ? undefined : await this.#store(whole, stored, signal)
    const problems = [
      ...refusedText('bindings that it does not have could not be ended', ended),
      ...refusedText('of its bindings could not be stored', given),
      // Not the one before this list: a delivery may have come while the list was made.
      ...(whole.sequence < wasNewest ? [olderText(whole.sequence, wasNewest)] : []),
    ]
    if (problems.length > 0) throw new PartOfListError(problems.join('; '))
    return { stored: given?.changed ?? 0, ended: ended.changed, heldBack: false }
  }

  #end(
    { sequence, items }: WholeList,
    inEffect: readonly StoredBinding[],
    signal: AbortSignal,
  ): Promise<Changes> {
    const unlisted = new Map(inEffect.map(one => [keyOf(one), one]))
    for (const { binding } of items) unlisted.delete(keyOf(renderDelivered(binding, 1)))
    return this.#ends.change(unlisted, one => this.options.bindings.end(one, sequence, signal))
  }

  #store(
    { sequence, items }: WholeList,
    stored: ReadonlyMap<string, StoredBinding>,
    signal: AbortSignal,
  ): Promise<Changes> {
    const missing = new Map<string, ListedBinding>()
    for (const item of items) {
      const wanted = renderDelivered(item.binding, item.sequence)
      const before = stored.get(keyOf(wanted))
      // What is stored of a later event than the list knows is newer than the list.
      if (before && sequenceOf(before) > sequence) continue
      if (before && isSame(before, wanted) && sequenceOf(before) >= item.sequence) continue
      missing.set(keyOf(wanted), item)
    }
    const store = (item: ListedBinding) => this.options.bindings.store({ ...item, sequence }, signal)
    return this.#stores.change(missing, async item => (await store(item)) === 'stored')
  }

  #next(ms: number): void {
    if (this.#stopped.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#isComparing = true
      this.#running = this.#run().finally(() => {
        this.#isComparing = false
        this.#next(this.options.everyMs)
      })
    }, ms).unref()
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { leadership, log, meter } = this.options
    const term = leadership()
    if (!term.leading) return
    // Between two terms other replicas have read lists, which may have had bindings: those before this term are not in a row with the next.
    if (term.signal !== this.#term) this.#wasEmpty = false
    this.#term = term.signal
    const { signal, clear } = deadline([this.#stopped.signal, term.signal], WITHIN_MS)
    try {
      const { stored, ended, heldBack } = await this.compare(signal)
      meter.count('kairship_role_binding_syncs_total', { outcome: 'success' })
      if (heldBack)
        log.warn({}, 'the list of role bindings is empty: nothing is ended until the next list is empty too')
      if (stored + ended > 0)
        log.warn(
          { stored, ended },
          'deliveries of role bindings were missed; the full sync has repaired them',
        )
    } catch (error) {
      if (this.#stopped.signal.aborted || term.signal.aborted) return
      meter.count('kairship_role_binding_syncs_total', { outcome: 'failure' })
      const problem = error instanceof Error ? error.message : String(error)
      log.warn({ problem }, 'role bindings could not be compared with the list of Global Management')
    } finally {
      clear()
    }
  }
}

/** A comparison that was done but for what its message names. */
export class PartOfListError extends Error {
  override readonly name = 'PartOfListError'
}

const refusedText = (what: string, changes: Changes | undefined): readonly string[] =>
  changes === undefined || changes.refused === 0
    ? []
    : [
        `${changes.refused} ${what}, ${changes.reasons}`,
        ...(changes.isGivenUp ? ['the host refuses one after the other, so the others were not tried'] : []),
      ]

const olderText = (sequence: number, newest: number): string =>
  `its sequence is ${sequence}, and that of a binding stored long before is ${newest}: if Global Management began to count anew, take the annotation ${SEQUENCE_ANNOTATION} away from the delivered bindings, or nothing that it says counts until then`

const keyOf = ({ kind, metadata }: StoredBinding): string => `${kind}/${metadata.name}`
