import { type Actor, createActor, fromCallback, fromPromise } from 'xstate'
import type { InstanceEvent } from '../../machines/events.js'
import { FINALIZER, type OutsideObject } from '../../machines/facts.js'
import { Failed, type Failure, type Stage } from '../../machines/failure.js'
import { transitionsBetween } from '../../machines/history.js'
import { instanceMachine } from '../../machines/instance.js'
import { brokenClaims, type InstanceSnapshot, stateOf } from '../../machines/invariants.js'
import type { Assignment } from '../../machines/task.js'
import type { RestInput } from '../../machines/vocabulary.js'
import type { Instance, InstanceStatus } from '../../manifests/instance.js'
import type { TransitionRecord } from '../../ports/fleet.js'
import { instance } from './facts.js'

/** What a replica can be shown, one kind at a time, as late as it pleases. */
export const sights = [
  'cr',
  'credentials',
  'controlPlane',
  'duplicate',
  'installation',
  'virtualCluster',
  'index',
  'registration',
  'roleBindings',
] as const
export type Sight = (typeof sights)[number]

/**
 * The world outside, small and independent of the machine: what exists, who leads, what works. Effects change it at once;
 * whether the replica hears of it is another matter.
 */
export class World {
  cr: Instance | undefined
  secret = true
  reachable = true
  aggregated = true
  elder = false
  /** The index takes in what is written, whatever it claims. */
  moving = true
  /** Requests to the host fail; `lossy` ones are executed and their answer is lost. */
  host: 'up' | 'down' | 'lossy' = 'up'
  virtualCluster: { uid: number; synced: boolean } | undefined
  registration: { uid: number } | undefined
  installation: { uid: number } | undefined
  rbac = false
  rbacAbandoned = false
  /** Whatever must not be, once it was. */
  readonly violations: string[] = []
  readonly writes: string[] = []
  leader: Replica | undefined
  #uids = 0

  constructor(install: boolean) {
    this.cr = instance({
      finalizers: [],
      resourceVersion: '1',
      ...(install && { spec: { install: {}, deletionPolicy: 'Delete' } }),
    })
  }

  get deletionAsked(): boolean {
    return this.cr?.metadata.deletionTimestamp !== undefined
  }
  get outside(): string[] {
    return [
      ...(this.virtualCluster ? ['virtual cluster'] : []),
      ...(this.registration ? ['registration'] : []),
      ...(this.installation ? ['installation'] : []),
      ...(this.rbac && !this.rbacAbandoned ? ['rbac'] : []),
    ]
  }

  askDeletion(): void {
    if (!this.cr) return
    this.#metadata({ deletionTimestamp: '2026-01-01T00:00:00Z' })
    if (!this.cr.metadata.finalizers?.length) this.#removeCr()
  }

  /** Requests are answered only when `answer` is called. */
  slow = false
  #unanswered: (() => void)[] = []

  /** Executes a request: at once, or after a while, and not when it was aborted until then. */
  async turn<T>(signal: AbortSignal, request: () => T): Promise<T> {
    await Promise.resolve()
    if (this.slow) await new Promise<void>(resolve => this.#unanswered.push(resolve))
    signal.throwIfAborted()
    return request()
  }

  answer(): void {
    for (const resolve of this.#unanswered.splice(0)) resolve()
  }

  /** One request of an effect. */
  run(replica: Replica, name: string): string {
    if (this.leader !== replica) this.violations.push(`${replica.name} acted without leading: ${name}`)
    const { duplicate } = replica.told
    if (duplicate && 'elder' in duplicate && duplicate.elder && creative.test(name))
      this.violations.push(`${name} for the control plane of an elder`)
    if (this.host === 'down') throw lost('status')
    const outcome = this.#execute(name)
    if (this.host === 'lossy') throw lost('status')
    return outcome
  }

  #execute(name: string): string {
    const { cr } = this
    switch (name) {
      case 'add the finalizer':
        if (!cr || this.deletionAsked) throw conflict()
        this.#write(name)
        this.#metadata({ finalizers: [FINALIZER] })
        return 'held'
      case 'install the control plane':
        this.#forbidUnclaimed(name)
        if (!this.installation) this.#write(name)
        this.installation ??= { uid: ++this.#uids }
        return String(this.installation.uid)
      case 'ensure the virtual cluster':
        this.#forbidUnclaimed(name)
        if (!this.virtualCluster) this.#write(name)
        this.virtualCluster ??= { uid: ++this.#uids, synced: false }
        return String(this.virtualCluster.uid)
      case 'publish the registration':
        this.#forbidUnclaimed(name)
        if (!this.registration) this.#write(name)
        this.registration ??= { uid: ++this.#uids }
        return String(this.registration.uid)
      case 'materialize the role bindings':
        this.#forbidUnclaimed(name)
        if (!this.reachable) throw unreachable('role bindings')
        if (!this.rbac) this.#write(name)
        this.rbac = true
        return 'unwatched'
      case 'withdraw the registration':
        this.registration = undefined
        return 'gone'
      case 'remove the role bindings':
        if (this.registration) this.violations.push('role bindings removed before the registration')
        if (!this.reachable || !this.secret) throw unreachable('role bindings')
        this.rbac = false
        return 'gone'
      case 'delete the virtual cluster':
        // Whoever came here without removing the role bindings gave them up.
        if (this.rbac) this.rbacAbandoned = true
        this.virtualCluster = undefined
        return 'gone'
      case 'uninstall the control plane':
        if (this.virtualCluster) this.violations.push('uninstalled before the virtual cluster was gone')
        this.installation = undefined
        this.rbac = false
        return 'gone'
      case 'remove the finalizer':
        if (cr && this.outside.length > 0)
          this.violations.push(`the finalizer went before: ${this.outside.join(', ')}`)
        if (cr && !this.deletionAsked) this.violations.push('the finalizer went without a deletion')
        this.#removeCr()
        return 'gone'
      default:
        throw new Error(`the world knows no effect '${name}'`)
    }
  }

  writeStatus(replica: Replica, { instance: seen, wanted }: Assignment): string {
    if (this.leader !== replica) this.violations.push(`${replica.name} wrote the status without leading`)
    if (this.host === 'down') throw lost('status')
    if (!this.cr) return wanted
    if (this.cr.metadata.resourceVersion !== seen.metadata.resourceVersion) throw conflict()
    this.#write('write the status')
    this.cr = { ...this.cr, status: JSON.parse(wanted) as InstanceStatus }
    this.#metadata({})
    if (this.host === 'lossy') throw lost('status')
    return wanted
  }

  #forbidUnclaimed(what: string): void {
    if (!this.cr?.metadata.finalizers?.includes(FINALIZER)) this.violations.push(`unclaimed: ${what}`)
  }
  #write(what: string): void {
    this.writes.push(what)
  }
  #metadata(change: object): void {
    if (!this.cr) return
    const resourceVersion = String(Number(this.cr.metadata.resourceVersion) + 1)
    this.cr = { ...this.cr, metadata: { ...this.cr.metadata, ...change, resourceVersion } }
  }
  #removeCr(): void {
    this.cr = undefined
  }

  /** How one kind of thing stands, as the fact a replica would be told. */
  sight(kind: Sight): InstanceEvent {
    const outside = (object: { uid: number } | undefined, more: Partial<OutsideObject> = {}) =>
      object ? { revision: String(object.uid), deleting: false, ...more } : ('absent' as const)
    switch (kind) {
      case 'cr':
        return this.cr ? { type: 'instance.observed', instance: this.cr } : { type: 'instance.removed' }
      case 'credentials':
        return {
          type: 'credentials.observed',
          credentials:
            this.secret && (!this.cr?.spec.install || this.installation)
              ? { ok: true, endpoint: 'https://alpha', fingerprint: 'one' }
              : {
                  ok: false,
                  failure: { reason: 'SecretNotFound', stage: 'credentials', message: 'no Secret' },
                },
        }
      case 'controlPlane':
        return {
          type: 'controlPlane.probed',
          controlPlane: this.reachable
            ? { ok: true, id: 'cp-1', kubernetesVersion: 'v1.36.2' }
            : { ok: false, failure: unreachable('control plane').failure },
          aggregatedApi:
            this.reachable && this.aggregated
              ? { ok: true }
              : { ok: false, failure: unreachable('aggregated API').failure },
        }
      case 'duplicate':
        return {
          type: 'duplicate.observed',
          ...(this.elder && { elder: { name: 'elder', shares: 'endpoint' } }),
        }
      case 'installation':
        return { type: 'installation.observed', installation: outside(this.installation) }
      case 'virtualCluster':
        return {
          type: 'virtualCluster.observed',
          virtualCluster: outside(
            this.virtualCluster,
            this.virtualCluster && {
              verdict: { holds: this.virtualCluster.synced, reason: 'Synced', message: '' },
            },
          ),
        }
      case 'index':
        return {
          type: 'index.measured',
          index: this.moving
            ? { ok: true }
            : { ok: false, failure: failing('StandsStill', 'virtual cluster').failure },
        }
      case 'registration':
        return { type: 'registration.observed', registration: outside(this.registration) }
      case 'roleBindings':
        return { type: 'roleBindings.observed', roleBindings: { revision: 'one', count: 1 } }
    }
  }
}

/** Effects that make something for an instance outside its CR. */
const creative = /^(ensure|publish|materialize)/

const failing = (reason: Failure['reason'], stage: Stage): Failed =>
  new Failed({ reason, stage, message: `${stage}: ${reason}` })
const unreachable = (stage: Stage) => failing('Unreachable', stage)
const lost = (stage: Stage) => failing('Unavailable', stage)
const conflict = () => failing('Conflict', 'status')

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

/** One replica's actor for the instance, with effects that change the world and rests that end when told. */
export class Replica {
  #actor: Actor<typeof instanceMachine> | undefined
  readonly #logic: typeof instanceMachine
  #rests = new Set<() => void>()
  #state: string | undefined
  /** What it was told since it started, the last of each kind; written by the test, not by the machine. */
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
      fromPromise<string, Assignment>(({ signal }) => world.turn(signal, () => world.run(this, name)))
    const logic = instanceMachine.provide({
      actors: {
        ...(Object.fromEntries(effectNames.map(name => [name, run(name)])) as Record<
          (typeof effectNames)[number],
          ReturnType<typeof run>
        >),
        'write the status': fromPromise<string, Assignment>(({ input, signal }) =>
          world.turn(signal, () => world.writeStatus(this, input)),
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
    this.told = { cr: world.sight('cr') }
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
    const event = this.world.sight(kind)
    this.told[kind] = event
    this.tell(event)
  }

  /** There is no connection any more, and what was learned over it does not count. */
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
