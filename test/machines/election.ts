import { type Actor, type AnyEventObject, createActor, fromCallback } from 'xstate'
import {
  DEFAULT_DURATIONS,
  holderOf,
  isLeading,
  type LeaseEvent,
  leaseMachine,
  wakeAt,
} from '../../machines/lease.js'
import { claimed, type Lease, released } from '../../manifests/lease.js'

/** One replica of the simulation, as it is set up. */
export interface ReplicaPlan {
  /** How fast its clock runs: 1.1 gains a tenth. */
  readonly rate: number
  /** What its clock shows when the world begins, ms. */
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

const REQUEST_TIMEOUT_MS = DEFAULT_DURATIONS.renewDeadlineMs / 2
const claim = { namespace: 'n', name: 'l', leaseDurationMs: DEFAULT_DURATIONS.leaseDurationMs }

/**
 * Replicas running the real chart against a model of an API server, in true time that nobody in there can see. Requests
 * are delayed, lost, and executed after the sender has long given up; answers are lost; clocks run fast and slow; replicas
 * crash, freeze and come back.
 */
export class Election {
  now = 0
  readonly replicas: Replica[]
  /** Moments at which more than one replica would have acted. */
  readonly violations: string[] = []
  /** Who was seen leading, in order, with the moment. */
  readonly reigns: { readonly who: string; readonly from: number }[] = []
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
      this.#look()
    }
    this.now = end
    this.#look()
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
    for (const replica of this.replicas) replica.hears(written)
    return written
  }

  #look(): void {
    const leaders = this.leaders().map(({ identity }) => identity)
    if (leaders.length > 1) this.violations.push(`${Math.round(this.now)} ms: ${leaders.join(' and ')} lead`)
    const [who] = leaders
    if (who !== undefined && this.reigns.at(-1)?.who !== who) this.reigns.push({ who, from: this.now })
  }
}

export class Replica {
  identity: string
  cut = false
  #actor: Actor<typeof leaseMachine> | undefined
  #lives = 0
  #inbox: (() => void)[] | undefined

  constructor(
    readonly world: Election,
    readonly plan: ReplicaPlan,
    readonly index: number,
  ) {
    this.identity = `replica-${index}`
  }

  /** What its own clock shows. */
  clock(): number {
    return this.plan.offset + this.plan.rate * this.world.now
  }
  /** How long its clock takes for `ms`, in true time. */
  trueMs(ms: number): number {
    return ms / this.plan.rate
  }
  leads(): boolean {
    return this.#actor !== undefined && isLeading(this.#actor.getSnapshot(), this.clock())
  }
  get running(): boolean {
    return this.#actor !== undefined
  }

  start(): void {
    if (this.#actor) return
    const life = ++this.#lives
    const input = { identity: this.identity, contend: true, durations: DEFAULT_DURATIONS, now: this.clock() }
    const actor = createActor(leaseMachine.provide({ actors: this.#effects(life) }), { input })
    this.#actor = actor
    let alarm: number | undefined
    actor.subscribe(snapshot => {
      const at = snapshot.status === 'active' ? wakeAt(snapshot) : undefined
      if (at === undefined || at === alarm) return
      alarm = at
      const due = this.world.now + Math.max(1, this.trueMs(at - this.clock()))
      this.world.at(due, () =>
        this.#inLife(life, () => {
          if (alarm !== at) return // another moment was asked for since
          alarm = undefined
          actor.send({ type: 'time.passed', now: this.clock() })
        }),
      )
    })
    actor.start()
  }

  crash(): void {
    this.#actor?.stop()
    this.#actor = undefined
    this.#inbox = undefined
  }

  release(): void {
    this.#inLife(this.#lives, () => this.#actor?.send({ type: 'lease.release', now: this.clock() }))
  }
  jump(): void {
    this.#inLife(this.#lives, () => this.#actor?.send({ type: 'clock.jumped', now: this.clock() }))
  }

  /** A frozen process runs nothing; its clock goes on. What was due happens, all at once, when it thaws. */
  freeze(): void {
    this.#inbox ??= []
  }
  thaw(): void {
    const due = this.#inbox ?? []
    this.#inbox = undefined
    for (const run of due) run()
  }

  /** The watch: late, and in this model even out of order. */
  hears(lease: Lease): void {
    const life = this.#lives
    const { delay, random } = this.world.weather
    this.world.at(this.world.now + delay * random(), () => {
      if (!this.cut)
        this.#inLife(life, () => this.#actor?.send({ type: 'lease.seen', lease, now: this.clock() }))
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
    const { world } = this
    const asking = <In>(ask: (input: In, tell: (event: LeaseEvent) => void) => void) =>
      fromCallback<AnyEventObject, In, LeaseEvent>(({ input, sendBack }) =>
        ask(input, event => this.#inLife(life, () => sendBack({ ...event, now: this.clock() }))),
      )
    const now = 0 // replaced when the answer is told
    const silence = (tell: (event: LeaseEvent) => void) => () =>
      tell({ type: 'lease.unanswered', error: new Error('silence'), now })
    return {
      'read the lease': asking<undefined>((_, tell) =>
        world.request(
          this,
          () => world.read(),
          lease => tell({ type: 'lease.read', lease, now }),
          silence(tell),
        ),
      ),
      'write the lease': asking<{ readonly lease: Lease | 'absent' }>(({ lease }, tell) => {
        const next = claimed(lease, {
          ...claim,
          identity: this.identity,
          wallClock: Math.max(0, this.clock()),
        })
        world.request(
          this,
          () => world.write(next),
          written =>
            tell(
              written === 'conflict'
                ? { type: 'lease.contested', now }
                : { type: 'lease.written', lease: written, now },
            ),
          silence(tell),
        )
      }),
      'give the lease back': asking<{ readonly actUntil: number }>((_, tell) => {
        const gone = () => tell({ type: 'lease.returned', now })
        const giveBack = (lease: Lease | 'absent') =>
          lease === 'absent' || holderOf(lease) !== this.identity
            ? gone()
            : world.request(this, () => world.write(released(lease, 0)), gone, gone)
        // Who has died does not go on to write what it read.
        const read = (lease: Lease | 'absent') => this.#inLife(life, () => giveBack(lease))
        world.request(this, () => world.read(), read, gone)
      }),
    }
  }
}
