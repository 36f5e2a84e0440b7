import { Subscription } from 'rxjs'
import { type Actor, createActor } from 'xstate'
import { type InstanceSnapshot, stateOf } from '../machines/invariants.js'
import { jittered } from '../machines/retry.js'
import { type SupervisorEvent, supervisorMachine } from '../machines/supervisor.js'
import type { Instance, InstanceStatus } from '../manifests/instance.js'
import { reportCrash } from './crash-report.js'
import { Duplicates } from './duplicates.js'
import { HostFacts } from './host-facts.js'
import { instanceLogic } from './instance.js'
import type { InstanceHandle } from './instance-handle.js'
import type { Leadership } from './leadership.js'
import { Registry } from './registry.js'
import type { Surroundings } from './surroundings.js'

/** What the supervisor needs besides what all instances share. */
export interface SupervisorOptions {
  readonly surroundings: Surroundings
  /** Ends the connection of an instance for good. */
  readonly disconnect: (name: string) => void
}

/** The supervisor chart with its actions provided: facts in, instance actors started, told and stopped. */
export class Supervisor {
  readonly registry: Registry
  readonly #actor: Actor<typeof supervisorMachine>
  readonly #facts: HostFacts
  readonly #duplicates: Duplicates
  readonly #subscription = new Subscription()
  /** While this replica holds the lease: gains it for the actors once the Instances were listed. */
  #takeover: Subscription | undefined
  readonly #decided: (() => void)[] = []
  readonly #restarts = new Map<string, NodeJS.Timeout>()

  constructor(private readonly options: SupervisorOptions) {
    const { surroundings } = options
    this.registry = new Registry(instanceLogic(surroundings), {
      changed: (handle, before) => this.#changed(handle, before),
      crashed: (handle, error) => this.#crashed(handle, error),
    })
    this.#facts = new HostFacts(
      surroundings.host,
      () => [...this.registry.values()].map(({ name }) => name),
      (name, event) => this.registry.tell(name, event),
    )
    this.#duplicates = new Duplicates((name, verdict) =>
      this.registry.tell(name, {
        type: 'duplicate.observed',
        ...(verdict === 'undecided' && { undecided: true }),
        ...(typeof verdict === 'object' && { elder: verdict }),
      }),
    )
    this.#actor = createActor(this.#provided())
  }

  /** Every Instance has been observed once. */
  get warm(): boolean {
    return this.#actor.getSnapshot().hasTag('warm')
  }
  get leading(): boolean {
    return this.#actor.getSnapshot().hasTag('leading')
  }

  start(): void {
    const { instances } = this.options.surroundings.host
    this.#actor.start()
    this.#facts.start()
    this.#subscription.add(
      instances.changes.subscribe(change => {
        if (change.type === 'SYNCED') this.#take({ type: 'instances.listed' })
        else if (change.type === 'DELETED') this.#take({ type: 'instance.removed', instance: change.object })
        else this.#take({ type: 'instance.observed', instance: change.object })
      }),
    )
  }

  /**
   * The lease was won or lost. Who won it may have missed the last that another replica did: a finalizer that is gone, and
   * things that must not be made again. So nothing is done before the Instances were listed since.
   */
  lead({ leading }: Leadership): void {
    if (leading === (this.#takeover !== undefined)) return
    this.#takeover?.unsubscribe()
    this.#takeover = undefined
    const { instances } = this.options.surroundings.host
    if (!leading) this.#take({ type: 'lease.lost' })
    else this.#takeover = instances.relisted().subscribe(() => this.#take({ type: 'lease.gained' }))
  }

  /** Stops every actor; effects that run are aborted. */
  stop(): void {
    this.#takeover?.unsubscribe()
    this.#subscription.unsubscribe()
    this.#facts.stop()
    for (const timer of this.#restarts.values()) clearTimeout(timer)
    this.#take({ type: 'supervisor.stop' })
  }

  /** The chart decides first; what it decided is done after that, so that nothing done can disturb the deciding. */
  #take(event: SupervisorEvent): void {
    this.#actor.send(event)
    for (const act of this.#decided.splice(0)) act()
  }

  #provided() {
    const then = (act: () => void) => void this.#decided.push(act)
    return supervisorMachine.provide({
      actions: {
        'start or tell': (_, { instance }) => then(() => this.#startOrTell(instance)),
        'tell that it is gone': (_, { instance }) => then(() => this.#remove(instance)),
        'restart later': (_, crash) => then(() => this.#restartLater(crash)),
        restart: (_, { name }) => then(() => this.#restart(name)),
        'tell all who leads': (_, { leading }) => then(() => this.#tellAll(leading)),
        'stop all': () => then(() => this.#forgetAll()),
      },
    })
  }

  #tellAll(leading: boolean): void {
    const type = leading ? 'leadership.gained' : 'leadership.lost'
    for (const handle of this.registry.values()) {
      handle.tell({ type })
      this.#reportCrash(handle)
    }
  }

  #forgetAll(): void {
    for (const { name } of [...this.registry.values()]) this.#forget(name)
  }

  #startOrTell(instance: Instance): void {
    const { name, uid } = instance.metadata
    const known = this.registry.get(name)
    if (known && known.uid === uid) {
      known.tell({ type: 'instance.observed', instance })
      return
    }
    // Deleted and created anew in between: another instance, which happens to bear the same name.
    if (known) this.#forget(name)
    this.options.surroundings.rush.noted()
    this.registry.start(instance, this.leading)
    this.#claim(instance)
    this.#facts.tellAll(name)
  }

  #remove({ metadata: { name, uid } }: Instance): void {
    const known = this.registry.get(name)
    if (!known || known.uid !== uid) return
    known.tell({ type: 'instance.removed' })
    this.#forget(name)
  }

  #forget(name: string): void {
    clearTimeout(this.#restarts.get(name))
    this.#restarts.delete(name)
    this.registry.remove(name)
    this.#duplicates.withdraw(name)
    this.options.disconnect(name)
  }

  #changed(handle: InstanceHandle, before: InstanceSnapshot | undefined): void {
    this.#count(handle, before)
    // What an instance claims as its own may have changed with what it knows.
    const { context } = handle.snapshot
    const { credentials, controlPlane } = context.facts
    const { credentials: oldCredentials, controlPlane: oldControlPlane } = before?.context.facts ?? {}
    if (credentials !== oldCredentials || controlPlane !== oldControlPlane) this.#claim(context.instance)
  }

  #count({ snapshot }: InstanceHandle, before: InstanceSnapshot | undefined): void {
    const from = before && stateOf(before)
    const to = stateOf(snapshot)
    if (from !== to && to === 'ready') this.options.surroundings.rush.noted()
    if (from && to && from !== to)
      this.options.surroundings.meter.count('kairship_instance_transitions_total', { from, to })
  }

  #claim(instance: Instance): void {
    const handle = this.registry.get(instance.metadata.name)
    const { credentials, controlPlane } = handle?.snapshot.context.facts ?? {}
    // What an earlier process found out counts until this one knows: an elder must not lose its place by a restart.
    const { status, spec, metadata } = instance
    const controlPlaneID = controlPlane?.ok ? controlPlane.id : status?.controlPlaneID
    this.#duplicates.claim({
      instance,
      endpoint: credentials?.ok ? credentials.endpoint : status?.endpoint,
      controlPlaneID,
      // What is being installed is nobody else's, and who is on its way out or crashed may never be heard of.
      settled:
        controlPlaneID !== undefined ||
        controlPlane !== undefined ||
        credentials?.ok === false ||
        wasAskedBefore(status) ||
        spec?.install !== undefined ||
        metadata.deletionTimestamp !== undefined ||
        handle?.crash !== undefined,
    })
  }

  #crashed(handle: InstanceHandle, error: unknown): void {
    const { name } = handle
    const message = error instanceof Error ? error.message : String(error)
    this.options.surroundings.log.error({ instance: name, err: error }, 'an instance actor crashed')
    this.#take({ type: 'instance.crashed', name, error: message, now: performance.now() })
  }

  #restartLater({
    name,
    pauseMs,
    parked,
    error,
  }: {
    name: string
    pauseMs: number
    parked: boolean
    error: string
  }): void {
    const pause = jittered(pauseMs, this.options.surroundings.random())
    // Without the jitter, so that the same crash reads the same each time and is written once.
    const seconds = Math.round(pauseMs / 1000)
    const message = parked
      ? `this instance keeps crashing its actor and is left alone for up to ${seconds} s: ${error}`
      : `this instance crashed its actor, which is restarted within ${seconds} s: ${error}`
    const handle = this.registry.get(name)
    handle?.markCrashed({ type: 'Ready', status: 'False', reason: parked ? 'Parked' : 'Crashed', message })
    if (handle) this.#reportCrash(handle)
    // Nobody waits for one that is down.
    if (handle) this.#claim(handle.cr)
    clearTimeout(this.#restarts.get(name))
    this.#restarts.set(
      name,
      setTimeout(() => this.#take({ type: 'restart.due', name }), pause),
    )
  }

  /** The actor that would write the status is the one that crashed. */
  #reportCrash({ name, cr, crash }: InstanceHandle): void {
    if (!crash || !this.leading) return
    const { surroundings } = this.options
    reportCrash(surroundings, cr, crash).catch((err: unknown) => {
      // Told over the API and in the log all the same; the next crash or the next leader tries again.
      surroundings.log.warn({ instance: name, err }, 'a crash could not be written into the CR')
    })
  }

  #restart(name: string): void {
    this.#restarts.delete(name)
    const handle = this.registry.get(name)
    if (!handle) return
    this.options.surroundings.meter.count('kairship_actor_restarts_total')
    handle.restart(this.leading)
    this.#claim(handle.snapshot.context.instance)
    this.#facts.tellAll(name)
  }
}

/** An earlier process has an answer of the control plane, or of the Secret, on record. */
const wasAskedBefore = (status: InstanceStatus | undefined): boolean =>
  status?.conditions?.some(
    ({ type, status }) =>
      (type === 'ControlPlaneHealthy' && status !== 'Unknown') ||
      (type === 'CredentialsResolved' && status === 'False'),
  ) ?? false
