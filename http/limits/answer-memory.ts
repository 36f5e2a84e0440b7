import { FairSlots, type Slot } from '../../ports/fair-slots.js'
import { cancelled, deadlineExceeded, type Failure, resourceExhausted } from '../errors/failure.js'
import { ConcurrencyLimit } from './concurrency-limit.js'

const MEBIBYTE = 1 << 20
/** What of each list and object is not counted: an object, and a page of few. Limits of requests bound how many there are. */
const UNCOUNTED = 64 << 10
/** The most that one call may read of instances. */
export const LARGEST_CALL = 64 * MEBIBYTE
/** What a call may hold with one slot, with a second besides, and with a third. */
const TIERS = [MEBIBYTE, 8 * MEBIBYTE, LARGEST_CALL] as const
/** How long one list or object may take to arrive; waiting for a slot does not count. 64 MiB need 18 Mbit/s for it. */
const READING_MS = 30_000
/** How many of one caller and instance may wait for a slot: each keeps what it has read so far, and a connection. */
const MOST_WAITING = 16

/** How much memory answers of instances may take in this process. */
export interface AnswerMemoryOptions {
  /** MiB of answers that are held at once; what is made of them takes up to four times as much. */
  readonly mebibytes: number
  /** Milliseconds that a request waits for its turn before it is refused. */
  readonly waitMs: number
}

/** Both as the settings' defaults. */
export const ANSWER_MEMORY: AnswerMemoryOptions = { mebibytes: 192, waitMs: 30_000 }

/**
 * The memory that answers of instances take which calls read whole. Their sizes are not known before they are here, so a call
 * gets the right to some MiB when it needs them: a slot of the first tier when it has read more than a page of few objects, and one of
 * each further tier when that is full. A call that has a slot of the last tier waits for no other, and all others wait for a later tier
 * only: so at least one answer always goes on.
 */
export class AnswerMemory {
  /** By tier. */
  readonly slots: readonly FairSlots[]
  /** By instance and caller. */
  readonly waiting = new ConcurrencyLimit('lists that wait for memory', MOST_WAITING)

  constructor(readonly options: AnswerMemoryOptions = ANSWER_MEMORY) {
    const [small, middle, large] = TIERS
    let left = options.mebibytes * MEBIBYTE
    const take = (part: number, each: number, least: number): FairSlots => {
      const slots = Math.max(least, Math.floor((left * part) / each))
      left -= slots * each
      return new FairSlots(slots)
    }
    // Two at least, so that no caller has all.
    const ofLarge = take(2 / 3, large - middle, 2)
    const ofMiddle = take(3 / 4, middle - small, 2)
    this.slots = [take(1, small, 2), ofMiddle, ofLarge]
  }

  /** The most bytes that are held at once. */
  get most(): number {
    return this.slots.reduce(
      (sum, { most }, tier) => sum + most * ((TIERS[tier] ?? 0) - (TIERS[tier - 1] ?? 0)),
      0,
    )
  }

  /**
   * Begins the account of a call, to be closed.
   * @param caller whose slots it takes
   * @param lasts whether the call is a stream, of which an object is needed only until it is sent
   */
  account(caller: string, lasts = false): AnswerAccount {
    return new AnswerAccount(this, caller, lasts)
  }
}

/** What one call holds of the answers that it has read. */
export class AnswerAccount {
  readonly #memory: AnswerMemory
  readonly #caller: string
  #bytes = 0
  /** One of each tier, up to that which it needed. */
  readonly #slots: Slot[] = []
  #taking: Promise<void> | undefined
  #end: (reason: Failure) => void = () => undefined
  #isClosed = false

  constructor(
    memory: AnswerMemory,
    caller: string,
    readonly lasts: boolean,
  ) {
    this.#memory = memory
    this.#caller = caller
  }

  /** Whether it holds more than what is not counted. */
  get isCounted(): boolean {
    return this.#slots.length > 0
  }

  /** Begins the reading of one list, or of one object. */
  reading(instance: string): AnswerReading {
    return new AnswerReading(this, instance)
  }

  /**
   * Counts bytes in.
   * @returns undefined where there is room for them, else what resolves when there is
   * @throws Failure RESOURCE_EXHAUSTED for more than a call may read; the promise, for a wait that was too long or beside too many
   */
  add(bytes: number, instance: string): Promise<void> | undefined {
    if (this.#bytes + bytes > LARGEST_CALL) throw tooLarge()
    this.#bytes += bytes
    return this.#hasRoom ? undefined : this.#room(instance)
  }

  /** Counts bytes out. */
  remove(bytes: number): void {
    this.#bytes -= bytes
    this.#shrink(this.#needed)
  }

  /** Gives everything back, and ends each wait. Idempotent. */
  close(): void {
    this.#isClosed = true
    this.#end(cancelled('the call is over'))
    this.#shrink(0)
  }

  /** Of how many tiers it needs a slot. */
  get #needed(): number {
    return this.#bytes <= 0 ? 0 : TIERS.filter(most => most < this.#bytes).length + 1
  }

  get #hasRoom(): boolean {
    return this.#slots.length >= this.#needed
  }

  #shrink(tiers: number): void {
    while (this.#slots.length > tiers) this.#slots.pop()?.release()
  }

  async #room(instance: string): Promise<void> {
    while (!this.#hasRoom) {
      this.#taking ??= this.#take(instance).finally(() => {
        this.#taking = undefined
      })
      await this.#taking
    }
  }

  async #take(instance: string): Promise<void> {
    if (this.#isClosed) throw cancelled('the call is over')
    const { slots, options } = this.#memory
    const tier = this.#slots.length
    const slot = await this.#slotOf(slots[tier] as FairSlots, instance, options.waitMs)
    // Meanwhile the call may have ended, or given back what it had.
    if (this.#isClosed || this.#slots.length !== tier || this.#hasRoom) slot.release()
    else this.#slots.push(slot)
  }

  #slotOf(slots: FairSlots, instance: string, waitMs: number): Promise<Slot> {
    const { waiting } = this.#memory
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#end(noRoom(waitMs)), waitMs)
      let isGranted = false
      let leave: () => void = () => undefined
      const over = () => {
        this.#end = () => undefined
        clearTimeout(timer)
        leave()
      }
      const granted = () => {
        isGranted = true
        over()
        // Also where it is granted at once, before `take` has returned it.
        queueMicrotask(() => resolve(slot))
      }
      this.#end = reason => {
        over()
        slot.release()
        reject(reason)
      }
      const slot = slots.take({ caller: this.#caller, instance }, granted)
      try {
        if (!isGranted) leave = waiting.take(`${instance}/${this.#caller}`, 'this caller')
      } catch (error) {
        this.#end(error as Failure)
      }
    })
  }
}

/** The reading of one list, page by page, or of one object. */
export class AnswerReading {
  readonly #account: AnswerAccount
  readonly #instance: string
  #uncounted = UNCOUNTED
  #counted = 0
  /** Milliseconds that it may go on. */
  #leftMs = READING_MS

  constructor(account: AnswerAccount, instance: string) {
    this.#account = account
    this.#instance = instance
  }

  /** As `AnswerAccount.add`. */
  add(bytes: number): Promise<void> | undefined {
    const free = Math.min(bytes, this.#uncounted)
    this.#uncounted -= free
    if (bytes === free) return undefined
    const waiting = this.#account.add(bytes - free, this.#instance)
    this.#counted += bytes - free
    return waiting
  }

  /** What was read is not needed any more. */
  giveBack(): void {
    this.#account.remove(this.#counted)
    this.#counted = 0
    this.#uncounted = UNCOUNTED
  }

  /** Starts the clock. @returns stops it (idempotent) */
  run(late: (failure: Failure) => void): () => void {
    const begun = performance.now()
    let isRunning = true
    const timer = setTimeout(() => late(tooSlow()), this.#leftMs)
    return () => {
      clearTimeout(timer)
      if (isRunning) this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - begun))
      isRunning = false
    }
  }
}

const tooLarge = () =>
  resourceExhausted(
    `what this call reads of the instance is larger than ${LARGEST_CALL >> 20} MiB: ask for less at once`,
    { reason: 'AnswerTooLarge' },
  )

const noRoom = (waitMs: number) =>
  resourceExhausted(
    `no memory for large lists became free within ${waitMs / 1000} s: ask for less at once, or try again`,
    { reason: 'AnswerMemory', retryAfterSeconds: 5 },
  )

const tooSlow = () =>
  deadlineExceeded(
    `the instance did not send its answer within ${READING_MS / 1000} s: ask for less at once`,
    { reason: 'AnswerTooSlow' },
  )
