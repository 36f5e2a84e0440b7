import { type Actor, createActor, fromCallback, fromPromise } from 'xstate'
import type { InstanceEvent } from '../../../machines/instance/events.js'
import { transitionsBetween } from '../../../machines/instance/history.js'
import { instanceMachine } from '../../../machines/instance/instance.js'
import { brokenClaims, type InstanceSnapshot, stateOf } from '../../../machines/instance/invariants.js'
import type { RestInput } from '../../../machines/instance/setup.js'
import type { Assignment } from '../../../machines/instance/task.js'
import type { TransitionRecord } from '../../../ports/fleet.js'
import { type Sight, sights, type World } from './world.js'

const effectNames = [
  'add the finalizer',
  'install the control plane',
  'ensure the virtual cluster',
  'publish the registration',
  'materialize the role bindings',
  'withdraw the registration',
  'remove the role bindings',
  'delete the virtual cluster',
  'uninstall the control plane',
  'remove the finalizer',
] as const

/** One replica's actor for the instance, with effects that change the world and rests that end when a test says so. */
export class Replica {
  #actor: Actor<typeof instanceMachine> | undefined
  readonly #logic: typeof instanceMachine
  #rests = new Set<() => void>()
  #state: string | undefined
  /** What it was shown since it started, the last of each kind; written by the test, not by the machine. */
  told: Partial<Record<Sight, InstanceEvent>> = {}
  readonly transitions: TransitionRecord[] = []

  constructor(
    readonly name: string,
    private readonly world: World,
  ) {
    this.#logic = this.#provided()
  }

  get running(): boolean {
    return this.#actor !== undefined && this.#actor.getSnapshot().status === 'active'
  }
  get snapshot(): InstanceSnapshot | undefined {
    return this.#actor?.getSnapshot()
  }
  get state(): string | undefined {
    return this.snapshot && stateOf(this.snapshot)
  }

  #provided(): typeof instanceMachine {
    const { world } = this
    const run = (name: string) =>
      fromPromise<string, Assignment>(({ input, signal }) =>
        world.turn(signal, () => world.run(this, name, input), name),
      )
    const logic = instanceMachine.provide({
      actors: {
        ...(Object.fromEntries(effectNames.map(name => [name, run(name)])) as Record<
          (typeof effectNames)[number],
          ReturnType<typeof run>
        >),
        'write the status': fromPromise<string, Assignment>(({ input, signal }) =>
          world.turn(signal, () => world.writeStatus(this, input), 'write the status'),
        ),
        rest: fromCallback(({ input, sendBack }) => {
          const { task } = input as RestInput
          sendBack({ type: 'rest.began', task, until: 0 })
          const end = () => sendBack({ type: 'rest.ended', task })
          this.#rests.add(end)
          return () => this.#rests.delete(end)
        }),
      },
    })
    const observed = Object.create(logic) as typeof logic
    observed.transition = (snapshot, event, scope) => {
      const next = logic.transition(snapshot, event, scope)
      this.transitions.push(...transitionsBetween(snapshot, next, event, 'now'))
      this.#check(next)
      return next
    }
    return observed
  }

  start(): void {
    const { world } = this
    if (this.#actor || !world.cr) return
    this.told = { cr: world.sight('cr', this) }
    this.#state = undefined
    this.#actor = createActor(this.#logic, { input: { instance: world.cr, leading: world.leader === this } })
    this.#actor.subscribe({ error: error => world.violations.push(`crashed: ${String(error)}`) })
    this.#actor.start()
  }

  crash(): void {
    this.#actor?.stop()
    this.#actor = undefined
    this.#rests.clear()
    if (this.world.leader === this) this.world.leader = undefined
  }

  tell(event: InstanceEvent): void {
    if (this.running) this.#actor?.send(event)
  }

  show(kind: Sight): void {
    const event = this.world.sight(kind, this)
    this.told[kind] = event
    this.tell(event)
    // A watch that is silent and one that shows something take turns.
    if (event.type === 'virtualCluster.observed' || event.type === 'registration.observed')
      this.tell({ type: 'host.contactMade', of: kind as 'virtualCluster' | 'registration' })
  }

  /** There is no connection any more, and what was observed over it does not count. */
  loseContact(): void {
    const { controlPlane: _, index: __, ...rest } = this.told
    this.told = rest
    this.tell({ type: 'controlPlane.contactLost' })
  }

  /** Is shown everything. */
  look(): void {
    for (const kind of sights) this.show(kind)
  }

  /** Rests end. */
  wait(): void {
    for (const end of [...this.#rests]) end()
  }

  #check(snapshot: InstanceSnapshot): void {
    const { violations } = this.world
    violations.push(...brokenClaims(snapshot))
    const state = stateOf(snapshot) ?? 'gone'
    if (this.#state === 'deleting' && state !== 'deleting' && state !== 'gone')
      violations.push(`deleting became ${state}`)
    if (snapshot.hasTag('acting') && this.world.leader !== this) violations.push('acting without the lease')
    this.#state = state
  }
}
