import { DEFAULT_DURATIONS } from '../../machines/lease-terms.js'
import { inOrder, type Peer } from './ranges.js'

/** What goes wrong, and how badly. */
export interface Weather {
  readonly replicas: number
  readonly ranges: number
  /** Longest one-way delay of a request, of an answer and of a watch event, milliseconds. */
  readonly delayMs: number
  /** The chance that a request or its answer is lost. */
  readonly loss: number
  /** Clocks run so much too fast or too slow at most. */
  readonly skew: number
  /** Yields numbers in [0, 1). */
  readonly random: () => number
}

/** What a run has shown; times in milliseconds. */
export interface Findings {
  /** Moments at which two replicas would have acted on one range. */
  readonly twice: number
  /** Ranges that changed hands, by the joins and the graceful leaves of replicas, and how many had to. */
  readonly moved: number
  readonly mustMove: number
  /** From a crash until another replica acts on each range of the one that crashed. */
  readonly afterCrash: readonly number[]
  /** From a graceful leave. */
  readonly afterLeave: readonly number[]
  /** Of leases, a second, while nothing changed. */
  readonly writesPerSecond: number
}

interface Lease {
  holder: string
  version: number
}

const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = DEFAULT_DURATIONS
/** A range is renewed when less of its term is left: three tries before it ends. */
const RENEW_WITH_LEFT_MS = 6_000
/** How long effects of one range take to stop. */
const DRAIN_MS = 200

/**
 * Replicas that share ranges by Leases, in true time that none of them can read. Each holds a Lease of its own, by which others know that
 * it lives, and one for each range that it acts on, by the arithmetic of `machines/lease.ts`: it acts until the renewal deadline after its
 * last write began, and takes a range only by a write over the version that it saw unchanged for the lease's duration, or free.
 */
export class Shards {
  now = 0
  #twice = 0
  #writes = 0
  readonly #queue: { at: number; run: () => void }[] = []
  readonly leases = new Map<string, Lease>()
  readonly replicas: Replica[] = []

  constructor(readonly weather: Weather) {}

  get twice(): number {
    return this.#twice
  }
  get writes(): number {
    return this.#writes
  }

  later(ms: number, run: () => void): void {
    const due = { at: this.now + ms, run }
    let [low, high] = [0, this.#queue.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#queue[middle]?.at ?? 0) <= due.at) low = middle + 1
      else high = middle
    }
    this.#queue.splice(low, 0, due)
  }

  run(ms: number): void {
    const end = this.now + ms
    for (let due = this.#queue[0]; due && due.at <= end; due = this.#queue[0]) {
      this.#queue.shift()
      this.now = due.at
      due.run()
    }
    this.now = end
  }

  join(weight = 1): Replica {
    const { skew, random } = this.weather
    const rate = 1 + skew * (2 * random() - 1)
    const replica = new Replica(this, { name: `r${this.replicas.length}`, weight }, rate)
    this.replicas.push(replica)
    replica.start()
    return replica
  }

  /** Who acts on a range at this moment. */
  holder(range: number): Replica | undefined {
    const acting = this.replicas.filter(replica => replica.acts(range))
    if (acting.length > 1) this.#twice += 1
    return acting[0]
  }

  /** A write over a version. The answer may be lost, and the write may be executed long after its sender gave up. */
  write(key: string, version: number, holder: string, answered: (done: boolean, lease: Lease) => void): void {
    const { delayMs, loss, random } = this.weather
    if (random() < loss) return
    this.later(delayMs * random(), () => {
      const lease = this.leases.get(key) ?? { holder: '', version: 0 }
      const done = lease.version === version
      if (done) {
        this.#writes += 1
        this.leases.set(key, { holder, version: version + 1 })
        for (const replica of this.replicas) this.#show(replica, key)
      }
      const after = { ...(this.leases.get(key) ?? lease) }
      if (random() >= loss) this.later(delayMs * random(), () => answered(done, after))
    })
  }

  #show(replica: Replica, key: string): void {
    const lease = { ...(this.leases.get(key) ?? { holder: '', version: 0 }) }
    this.later(this.weather.delayMs * this.weather.random(), () => replica.see(key, lease))
  }
}

interface Seen extends Lease {
  /** By its own clock, when it was first seen in this version. */
  readonly at: number
}

/** One replica. */
export class Replica {
  readonly #seen = new Map<string, Seen>()
  /** Until when it may act on a range, by its own clock. */
  readonly #until = new Map<string, number>()
  readonly #pending = new Set<string>()
  #alive = true
  #leaving = false
  #cut = false

  constructor(
    private readonly world: Shards,
    readonly peer: Peer,
    private readonly rate: number,
  ) {}

  get lives(): boolean {
    return this.#alive && !this.#leaving
  }
  get #clock(): number {
    return this.world.now * this.rate
  }

  acts(range: number): boolean {
    return this.#alive && this.#clock < (this.#until.get(`range/${range}`) ?? 0)
  }

  start(): void {
    for (const [key, lease] of this.world.leases) this.see(key, lease)
    this.#tick()
  }
  crash(): void {
    this.#alive = false
  }
  /** Gives everything back, and goes. */
  leave(): void {
    this.#leaving = true
    this.#decide()
  }
  /** Its requests are lost for so long, and what happens meanwhile is not shown to it. */
  cut(ms: number): void {
    this.#cut = true
    this.world.later(ms, () => {
      this.#cut = false
      for (const [key, lease] of this.world.leases) this.see(key, lease)
    })
  }

  see(key: string, { holder, version }: Lease): void {
    const before = this.#seen.get(key)
    if (!this.#alive || this.#cut || (before && before.version >= version)) return
    this.#seen.set(key, { holder, version, at: this.#clock })
    // A range that was given back, and the death or the birth of a peer, are acted on at once.
    if (holder === '' || before?.holder !== holder) this.#decide()
  }

  #tick(): void {
    if (!this.#alive) return
    this.#decide('renew')
    this.world.later((retryPeriodMs * (0.9 + 0.2 * this.world.weather.random())) / this.rate, () =>
      this.#tick(),
    )
  }

  /** Peers whose own Lease was seen to change within its duration. */
  #peers(): readonly Peer[] {
    const alive = this.world.replicas.filter(({ peer }) => {
      if (peer === this.peer) return this.lives
      const seen = this.#seen.get(`peer/${peer.name}`)
      return seen !== undefined && seen.holder !== '' && this.#clock - seen.at < leaseDurationMs
    })
    return alive.map(({ peer }) => peer)
  }

  #decide(how?: 'renew'): void {
    if (!this.#alive) return
    const peers = this.#peers()
    if (how === 'renew' || this.#leaving) this.#renewPeer()
    for (let range = 0; range < this.world.weather.ranges; range++) {
      const key = `range/${range}`
      const seen = this.#seen.get(key)
      const isOurs = seen?.holder === this.peer.name
      const [wanted] = inOrder(range, peers)
      if (isOurs && wanted && wanted !== this.peer) this.#giveBack(key)
      else if (isOurs && how === 'renew' && !this.#leaving && this.#left(key) < RENEW_WITH_LEFT_MS)
        this.#claim(key)
      else if (!isOurs && wanted === this.peer) this.#take(key, seen)
    }
  }

  #left(key: string): number {
    return (this.#until.get(key) ?? 0) - this.#clock
  }

  #renewPeer(): void {
    const key = `peer/${this.peer.name}`
    this.#send(key, this.#leaving ? '' : this.peer.name, () => undefined)
  }

  #take(key: string, seen: Seen | undefined): void {
    const freeAt = seen === undefined || seen.holder === '' ? this.#clock : seen.at + leaseDurationMs
    if (this.#clock >= freeAt) {
      this.#claim(key)
      return
    }
    // It looks again when the lease expires, and not with the next tick.
    const wait = `wait/${key}/${seen?.version}`
    if (this.#pending.has(wait)) return
    this.#pending.add(wait)
    this.world.later((freeAt - this.#clock) / this.rate + 1, () => {
      this.#pending.delete(wait)
      this.#decide()
    })
  }

  #claim(key: string): void {
    const began = this.#clock
    this.#send(key, this.peer.name, () => {
      if (this.#clock < began + renewDeadlineMs && !this.#pending.has(`drain/${key}`))
        this.#until.set(key, began + renewDeadlineMs)
    })
  }

  /** Stops to act, lets effects end, and then frees the range for the next. */
  #giveBack(key: string): void {
    const drain = `drain/${key}`
    if (this.#pending.has(drain)) return
    this.#pending.add(drain)
    this.#until.delete(key)
    this.world.later(DRAIN_MS, () => {
      this.#send(key, '', () => undefined)
      this.world.later(retryPeriodMs, () => this.#pending.delete(drain))
    })
  }

  #send(key: string, holder: string, done: () => void): void {
    if (!this.#alive || this.#cut || this.#pending.has(key)) return
    this.#pending.add(key)
    const over = (): void => void this.#pending.delete(key)
    const version = this.#seen.get(key)?.version ?? 0
    this.world.later(renewDeadlineMs / 2 / this.rate, over)
    this.world.write(key, version, holder, (isDone, lease) => {
      if (!this.#alive || this.#cut) return
      over()
      if (isDone) done()
      this.see(key, lease)
    })
  }
}
