import { Subscription } from 'rxjs'
import { type Actor, createActor } from 'xstate'
import { isComingUp } from '../../machines/instance/coming-up.js'
import { isDeletionRequested } from '../../machines/instance/facts.js'
import { type InstanceSnapshot, stateOf } from '../../machines/instance/invariants.js'
import { jittered } from '../../machines/retry.js'
import { type SupervisorEvent, supervisorMachine } from '../../machines/supervisor.js'
import type { Instance } from '../../manifests/instance.js'
import type { Leadership } from '../election/leadership.js'
import { HostFacts } from '../host/host-facts.js'
import type { InstanceDependencies } from '../instance/dependencies.js'
import { instanceLogic } from '../instance/instance-logic.js'
import type { Turns } from '../kube/turns.js'
import { claimOf } from './claim.js'
import { type Crash, crashCondition, reportCrash } from './crash-report.js'
import { Duplicates } from './duplicates.js'
import type { InstanceActor } from './instance-actor.js'
import { LeadershipNews } from './leadership-news.js'
import { Registry } from './registry.js'
import { StartupQueue } from './startup-queue.js'

/** What the supervisor needs besides what all instances share. */
export interface SupervisorOptions {
  readonly dependencies: InstanceDependencies
  /** Ends the connection of an instance for good. */
  readonly disconnect: (name: string) => void
  /** What the starts of instances are divided over; those of the process when absent. */
  readonly turns?: Pick<Turns, 'isOver' | 'mine'>
}

/** The supervisor chart with its actions provided: facts in; instance actors are started, notified and stopped. */
export class Supervisor {
  readonly registry: Registry
  readonly #startup: StartupQueue
  readonly #news = new LeadershipNews(name => this.#contained(name, () => this.#announce(name)))
  readonly #actor: Actor<typeof supervisorMachine>
  readonly #facts: HostFacts
  readonly #duplicates: Duplicates
  readonly #subscription = new Subscription()
  /** While this replica holds the lease: waits for the Instances to be listed, then makes the actors act. */
  #takeover: Subscription | undefined
  /** What the last transition decided, to be done after it. */
  readonly #decided: (() => void)[] = []
  readonly #restarts = new Map<string, NodeJS.Timeout>()

  constructor(private readonly options: SupervisorOptions) {
    const { dependencies, turns } = options
    const start = (name: string): void => this.#contained(name, () => this.#start(name))
    this.#startup = new StartupQueue(start, { turns })
    this.registry = new Registry(instanceLogic(dependencies), {
      changed: (actor, before) => this.#changed(actor, before),
      crashed: (actor, error) => this.#crashed(actor, error),
    })
    this.#facts = new HostFacts(
      dependencies.host,
      () => [...this.registry.values()].map(({ name }) => name),
      (name, eventOf) => this.#contained(name, () => this.registry.send(name, eventOf())),
    )
    this.#duplicates = new Duplicates((name, verdict) =>
      this.registry.send(name, {
        type: 'duplicate.observed',
        ...(verdict === 'undecided' && { undecided: true }),
        ...(typeof verdict === 'object' && { first: verdict }),
      }),
    )
    this.#actor = createActor(this.#chart())
  }

  /** Every Instance has been observed once. */
  get warm(): boolean {
    return this.#actor.getSnapshot().hasTag('warm')
  }
  get leading(): boolean {
    return this.#actor.getSnapshot().hasTag('leading')
  }

  start(): void {
    const { instances } = this.options.dependencies.host
    this.#actor.start()
    this.#facts.start()
    this.#subscription.add(
      instances.changes.subscribe(change => {
        if (change.type === 'SYNCED') {
          this.#take({ type: 'instances.listed' })
          this.#startup.open()
        } else if (change.type === 'DELETED')
          this.#take({ type: 'instance.removed', instance: change.object })
        else this.#take({ type: 'instance.observed', instance: change.object })
      }),
    )
  }

  /**
   * The lease was won or lost. A replica that wins may not have seen the last writes of the replica before: a finalizer that
   * is gone, and objects that must not be created again. So nothing is done before the Instances were listed since.
   */
  lead({ leading }: Leadership): void {
    if (leading === (this.#takeover !== undefined)) return
    this.#takeover?.unsubscribe()
    this.#takeover = undefined
    const { instances } = this.options.dependencies.host
    if (!leading) this.#take({ type: 'lease.lost' })
    else this.#takeover = instances.relisted().subscribe(() => this.#take({ type: 'lease.gained' }))
  }

  /** A caller asks for this instance: if it waits for its turn, it is the next to come up. */
  hurry(name: string): void {
    this.#startup.hurry(name)
  }

  /** Stops every actor; effects that run are aborted. */
  stop(): void {
    this.#takeover?.unsubscribe()
    this.#subscription.unsubscribe()
    this.#facts.stop()
    this.#take({ type: 'supervisor.stop' })
  }

  /** Actions run after the transition, so they cannot re-enter it. */
  #take(event: SupervisorEvent): void {
    this.#actor.send(event)
    for (const act of this.#decided.splice(0)) act()
  }

  #chart() {
    const then = (name: string, act: () => void) => void this.#decided.push(() => this.#contained(name, act))
    const names = () => [...this.registry.values()].map(({ name }) => name)
    return supervisorMachine.provide({
      actions: {
        'start or update': (_, { instance }) =>
          then(instance.metadata.name, () => this.#startOrUpdate(instance)),
        remove: (_, { instance: { metadata } }) => then(metadata.name, () => this.#remove(metadata.name)),
        'restart later': (_, crash) => then(crash.name, () => this.#restartLater(crash)),
        restart: (_, { name }) => then(name, () => this.#restart(name)),
        'announce leadership': () => void this.#decided.push(() => this.#news.tell(names())),
        'stop all': () => {
          this.#startup.close()
          this.#news.stop()
          for (const name of names()) then(name, () => this.#forget(name))
        },
      },
    })
  }

  /** Does something for one instance. An error crashes the actor of that instance, and affects no other. */
  #contained(name: string, act: () => void): void {
    try {
      act()
    } catch (error) {
      const actor = this.registry.get(name)
      if (actor && !actor.crash) actor.fail(error)
      else
        this.options.dependencies.log.error({ instance: name, err: error }, 'supervising an instance failed')
    }
  }

  #announce(name: string): void {
    const actor = this.registry.get(name)
    actor?.send({ type: this.leading ? 'leadership.gained' : 'leadership.lost' })
    if (actor) this.#reportCrash(actor)
  }

  #startOrUpdate(instance: Instance): void {
    const { name } = instance.metadata
    const known = this.registry.get(name)
    if (known) {
      const wasRequested = isDeletionRequested(known.cr)
      known.send({ type: 'instance.observed', instance })
      // A crashed actor may be parked for minutes. A deletion is tried at once; if that crashes too, it waits as before.
      if (known.crash && !wasRequested && isDeletionRequested(instance)) this.#restart(name)
      if (isDeletionRequested(instance)) this.#startup.hurry(name)
      return
    }
    this.options.dependencies.startupBurst.extend()
    this.registry.add(instance)
    this.#startup.enter(instance)
    // Younger instances wait for one that waits; a defect that its data triggers here crashes it when it comes up.
    if (this.#startup.has(name)) this.#claim(name)
  }

  #start(name: string): void {
    this.registry.start(name, this.leading)
    this.#claim(name)
    this.#facts.sendAll(name)
  }

  #remove(name: string): void {
    this.registry.send(name, { type: 'instance.removed' })
    this.#forget(name)
  }

  #forget(name: string): void {
    clearTimeout(this.#restarts.get(name))
    this.#restarts.delete(name)
    this.#startup.leave(name)
    this.registry.remove(name)
    this.#duplicates.withdraw(name)
    this.options.disconnect(name)
  }

  #changed({ name, snapshot }: InstanceActor, before: InstanceSnapshot | undefined): void {
    if (!snapshot) return
    this.#count(snapshot, before)
    const { credentials, controlPlane } = snapshot.context.facts
    if (isComingUp(snapshot.context)) this.#startup.progressed(name, controlPlane !== undefined)
    else this.#startup.leave(name)
    // What an instance claims as its own may have changed with what it has observed.
    const { credentials: oldCredentials, controlPlane: oldControlPlane } = before?.context.facts ?? {}
    if (credentials !== oldCredentials || controlPlane !== oldControlPlane) this.#claim(name)
  }

  #count(snapshot: InstanceSnapshot, before: InstanceSnapshot | undefined): void {
    const from = before && stateOf(before)
    const to = stateOf(snapshot)
    if (from !== to && to === 'ready') this.options.dependencies.startupBurst.extend()
    if (from && to && from !== to)
      this.options.dependencies.meter.count('kairship_instance_transitions_total', { from, to })
  }

  #claim(name: string): void {
    const actor = this.registry.get(name)
    if (!actor) return
    const { cr, crash, snapshot } = actor
    this.#duplicates.claim(claimOf(cr, snapshot?.context.facts, crash !== undefined))
  }

  #crashed({ name }: InstanceActor, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    this.options.dependencies.log.error({ instance: name, err: error }, 'an instance actor crashed')
    this.#startup.leave(name)
    this.#take({ type: 'instance.crashed', name, error: message, now: performance.now() })
  }

  #restartLater(crash: Crash): void {
    const { name } = crash
    const pause = jittered(crash.pauseMs, this.options.dependencies.random())
    clearTimeout(this.#restarts.get(name))
    this.#restarts.set(
      name,
      setTimeout(() => this.#take({ type: 'restart.due', name }), pause),
    )
    const actor = this.registry.get(name)
    actor?.markCrashed(crashCondition(crash))
    if (actor) this.#reportCrash(actor)
    // Younger instances do not wait for one that is down.
    this.#claim(name)
  }

  /** The actor that would write the status is the one that crashed. */
  #reportCrash({ name, cr, crash }: InstanceActor): void {
    if (!crash || !this.leading) return
    const { dependencies } = this.options
    reportCrash(dependencies, cr, crash).catch((err: unknown) => {
      // The API and the log show it all the same; the next crash or the next leader tries again.
      dependencies.log.warn({ instance: name, err }, 'a crash could not be written into the CR')
    })
  }

  #restart(name: string): void {
    clearTimeout(this.#restarts.get(name))
    this.#restarts.delete(name)
    if (!this.registry.get(name)) return
    this.options.dependencies.meter.count('kairship_actor_restarts_total')
    this.#start(name)
  }
}
