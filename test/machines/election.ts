import { type Actor, type AnyEventObject, createActor, fromCallback } from 'xstate'
import { Alarm, type LeaseClock, Moments } from '../../actors/election/lease-clock.js'
import { isLeading, leaseMachine, wakeAt } from '../../machines/lease.js'
import { DEFAULT_DURATIONS, holderOf, type LeaseEvent, type Moment } from '../../machines/lease-terms.js'
import { claimed, type Lease, released } from '../../manifests/lease.js'

/** One replica of the simulation, as it is set up. */
export interface ReplicaPlan {
  /** How fast its clocks run: 1.1 gains a tenth. */
  readonly rate: number
  /** What its monotonic clock shows when the world begins, ms. */
  readonly offset: number
}

/** How bad the network is. */
export interface Weather {
  /** Longest one-way delay, ms. */
  readonly delay: number
  /** Chance that a request, and again that its answer, never arrives. */
  readonly loss: number
  /** Yields numbers in [0, 1). */
  readonly random: () => number
}

/** Timers fire up to this late, ms: an event loop is busy, a machine is loaded. */
const LATENESS_MS = 1_000
const REQUEST_TIMEOUT_MS = DEFAULT_DURATIONS.renewDeadlineMs / 2
const claim = { namespace: 'n', name: 'l', leaseDurationMs: DEFAULT_DURATIONS.leaseDurationMs }

/**
 * Replicas that run the real chart, clock reading and alarm against a model of an API server, in true time that no replica
 * can read. Requests are delayed, lost, and executed long after the sender has given up; answers are lost; clocks run fast
 * and slow, and wall clocks are set; timers fire late; replicas crash, freeze and come back; machines sleep, and then the
 * monotonic clock and all timers stand still with them.
 */
export class Election {
  now = 0
  readonly replicas: Replica[]
  /** Moments at which more than one replica would have acted. */
  readonly violations: string[] = []
  /** The leaders in order, with the moment they began. */
  readonly terms: { readonly leader: Replica; readonly from: number }[] = []
  /** Sorted by moment; of one moment, in the order they were planned. */
  readonly #queue: { readonly at: number; readonly run: () => void }[] = []
  #lease: Lease | 'absent' = 'absent'
  #version = 0

  constructor(
    plans: readonly ReplicaPlan[],
    public weather: Weather,
  ) {
    this.replicas = plans.map((plan, index) => new Replica(this, plan, index))
    for (const replica of this.replicas) replica.start()
  }

  at(at: number, run: () => void): void {
    const due = { at: Math.max(at, this.now), run }
    let place = this.#queue.length
    while (place > 0 && this.#queue[place - 1]!.at > due.at) place--
    this.#queue.splice(place, 0, due)
  }

  /** Runs everything due until then, looking after each step who leads. */
  runUntil(end: number): void {
    for (;;) {
      const next = this.#queue[0]
      if (!next || next.at > end) break
      this.#queue.shift()
      this.now = next.at
      next.run()
      this.look()
    }
    this.now = end
    this.look()
  }

  leaders(): Replica[] {
    return this.replicas.filter(replica => replica.leads())
  }

  /** One request of a replica: executed here or never, answered there or never. */
  request<A>(replica: Replica, execute: () => A, answer: (result: A) => void, silence: () => void): void {
    const { delay, loss, random } = this.weather
    let over = false
    const finish = (how: () => void) => {
      if (over) return
      over = true
      how()
    }
    const arrives = this.now + delay * random()
    const lostThere = replica.cut || random() < loss
    const lostBack = random() < loss
    if (!lostThere)
      this.at(arrives, () => {
        const result = execute()
        if (!lostBack) this.at(this.now + delay * random(), () => replica.cut || finish(() => answer(result)))
      })
    this.at(this.now + replica.trueMs(REQUEST_TIMEOUT_MS), () => finish(silence))
  }

  read(): Lease | 'absent' {
    return this.#lease
  }

  /** Executes a write if it carries the present version. */
  write(lease: Lease): Lease | 'conflict' {
    const present = this.#lease === 'absent' ? undefined : this.#lease.metadata.resourceVersion
    if (lease.metadata.resourceVersion !== present) return 'conflict'
    const written = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++this.#version) } }
    this.#lease = written
    for (const replica of this.replicas) replica.watches(written)
    return written
  }

  /** Records who would act at this moment. */
  look(): void {
    const leaders = this.leaders()
    const names = leaders.map(({ identity }) => identity)
    if (leaders.length > 1) this.violations.push(`${Math.round(this.now)} ms: ${names.join(' and ')} lead`)
    const [leader] = leaders
    if (leader && this.terms.at(-1)?.leader !== leader) this.terms.push({ leader, from: this.now })
  }
}

interface Timer {
  /** By the monotonic clock. */
  readonly at: number
  readonly callback: () => void
}

export class Replica {
  cut = false
  #actor: Actor<typeof leaseMachine> | undefined
  #moments: Moments
  #lives = 0
  /** While it is frozen or asleep: what happens to it, to be processed when it goes on. */
  #inbox: (() => void)[] | undefined
  /** True time at which the machine fell asleep. */
  #asleepSince: number | undefined
  #sleptMs = 0
  #wallOffset = 0
  readonly #timers = new Map<number, Timer>()
  #lastTimer = 0

  constructor(
    readonly world: Election,
    readonly plan: ReplicaPlan,
    readonly index: number,
  ) {
    this.#moments = new Moments(this.#clock)
  }

  /** Of its present life: a process has another identity than the one before it. */
  get identity(): string {
    return `replica-${this.index}_${this.#lives}`
  }
  /** How long its clocks take for `ms`, in true time. */
  trueMs(ms: number): number {
    return ms / this.plan.rate
  }
  /** Whether it would act now if it ran now, before any timer fires or event arrives. */
  leads(): boolean {
    if (!this.#actor || this.#inbox) return false
    return isLeading(this.#actor.getSnapshot(), this.#moments.read())
  }
  get running(): boolean {
    return this.#actor !== undefined
  }

  readonly #clock: LeaseClock = {
    now: () => {
      const asleepMs = this.#asleepSince === undefined ? 0 : this.world.now - this.#asleepSince
      return this.plan.offset + this.plan.rate * (this.world.now - this.#sleptMs - asleepMs)
    },
    wall: () => 1_700_000_000_000 + this.plan.rate * this.world.now + this.#wallOffset,
    setTimeout: (callback, ms) => {
      const late = LATENESS_MS * this.world.weather.random()
      const timer = ++this.#lastTimer
      this.#timers.set(timer, { at: this.#clock.now() + ms + late, callback })
      this.#arm(timer)
      return timer
    },
    clearTimeout: timer => void this.#timers.delete(timer as number),
  }

  /** Fires a timer when its clock has reached its time: not while the machine sleeps, and later by as much. */
  #arm(timer: number): void {
    const { at } = this.#timers.get(timer) ?? {}
    if (at === undefined || this.#asleepSince !== undefined) return
    const due = this.world.now + Math.max(0, this.trueMs(at - this.#clock.now()))
    this.world.at(due, () =>
      this.#do(() => {
        const { at, callback } = this.#timers.get(timer) ?? {}
        if (at === undefined || this.#clock.now() < at - 0.001) return // cleared, or armed anew after a sleep
        this.#timers.delete(timer)
        callback?.()
      }),
    )
  }

  start(): void {
    if (this.#actor) return
    const life = ++this.#lives
    this.#moments = new Moments(this.#clock)
    const input = {
      identity: this.identity,
      contend: true,
      durations: DEFAULT_DURATIONS,
      ...this.#moments.read(),
    }
    const actor = createActor(leaseMachine.provide({ actors: this.#effects(life) }), { input })
    this.#actor = actor
    const alarm = new Alarm(this.#clock, () => this.#send({ type: 'time.passed', ...this.#moments.read() }))
    actor.subscribe(snapshot => alarm.set(snapshot.status === 'active' ? wakeAt(snapshot) : undefined))
    actor.start()
  }

  crash(): void {
    this.wake()
    this.#actor?.stop()
    this.#actor = undefined
    this.#inbox = undefined
    this.#timers.clear()
  }

  release(): void {
    this.#inLife(this.#lives, () => this.#send({ type: 'lease.release', ...this.#moments.read() }))
  }

  /**
   * Sets its wall clock; never back while it is frozen or asleep. The chart assumes that no machine sleeps and has its wall
   * clock set back by as much between two readings, and a process that does not run reads nothing.
   */
  setWallClock(byMs: number): void {
    if (byMs < 0 && this.#inbox) return
    this.#wallOffset += byMs
    if (!this.#inbox) this.#moments.read()
  }

  /** A frozen process runs nothing; its clocks go on. What was due happens, all at once, when it thaws. */
  freeze(): void {
    this.#inbox ??= []
  }
  thaw(): void {
    if (this.#asleepSince === undefined) this.#goOn()
  }

  /** A machine that sleeps runs nothing, and its monotonic clock stands still. */
  sleep(): void {
    if (this.#asleepSince !== undefined) return
    this.freeze()
    this.#asleepSince = this.world.now
  }
  wake(): void {
    if (this.#asleepSince === undefined) return
    this.#sleptMs += this.world.now - this.#asleepSince
    this.#asleepSince = undefined
    for (const timer of this.#timers.keys()) this.#arm(timer)
    this.#goOn()
  }

  /** Before it processes anything that happened meanwhile, it may act: an effect was in the middle of its requests. */
  #goOn(): void {
    const due = this.#inbox ?? []
    this.#inbox = undefined
    this.world.look()
    for (const run of due) run()
  }

  #send(event: LeaseEvent): void {
    if (this.#actor?.getSnapshot().status === 'active') this.#actor.send(event)
  }

  /** The watch: late, and in this model even out of order. */
  watches(lease: Lease): void {
    const life = this.#lives
    const { delay, random } = this.world.weather
    this.world.at(this.world.now + delay * random(), () => {
      if (!this.cut)
        this.#inLife(life, () => this.#send({ type: 'lease.seen', lease, ...this.#moments.read() }))
    })
  }

  #do(run: () => void): void {
    if (this.#inbox) this.#inbox.push(run)
    else run()
  }
  #inLife(life: number, run: () => void): void {
    this.#do(() => {
      if (life === this.#lives && this.#actor?.getSnapshot().status === 'active') run()
    })
  }

  #effects(life: number) {
    const { world, identity } = this
    type Answer = (event: LeaseEvent) => void
    const requesting = <In>(request: (input: In, answer: Answer) => void) =>
      fromCallback<AnyEventObject, In, LeaseEvent>(({ input, sendBack }) =>
        request(input, event => this.#inLife(life, () => sendBack({ ...event, ...this.#moments.read() }))),
      )
    const moment: Moment = { now: 0, slept: 0 } // replaced when the answer arrives
    const silence = (answer: Answer) => () =>
      answer({ type: 'lease.unanswered', error: new Error('no answer'), ...moment })
    return {
      'read the lease': requesting<undefined>((_, answer) =>
        world.request(
          this,
          () => world.read(),
          lease => answer({ type: 'lease.read', lease, ...moment }),
          silence(answer),
        ),
      ),
      'write the lease': requesting<{ readonly lease: Lease | 'absent' }>(({ lease }, answer) => {
        const next = claimed(lease, {
          ...claim,
          identity,
          wallClock: this.#clock.wall(),
        })
        world.request(
          this,
          () => world.write(next),
          written =>
            answer(
              written === 'conflict'
                ? { type: 'lease.contested', ...moment }
                : { type: 'lease.written', lease: written, ...moment },
            ),
          silence(answer),
        )
      }),
      'give the lease back': requesting<{ readonly actUntil: number }>((_, answer) => {
        const gone = () => answer({ type: 'lease.returned', ...moment })
        const giveBack = (lease: Lease | 'absent') =>
          lease === 'absent' || holderOf(lease) !== identity
            ? gone()
            : world.request(this, () => world.write(released(lease, 0)), gone, gone)
        // A replica that has crashed does not go on to write what it read.
        const read = (lease: Lease | 'absent') => this.#inLife(life, () => giveBack(lease))
        world.request(this, () => world.read(), read, gone)
      }),
    }
  }
}
