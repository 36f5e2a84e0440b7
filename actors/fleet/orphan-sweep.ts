import { merge, type Observable, Subscription } from 'rxjs'
import type { Stage } from '../../machines/failure.js'
import { INSTANCES, type Instance } from '../../manifests/instance.js'
import { INSTANCE_REGISTRATIONS } from '../../manifests/instance-registration.js'
import type { GroupVersionResource } from '../../manifests/kube.js'
import { INSTANCE_LABEL, isMadeFor } from '../../manifests/names.js'
import { PEDIA_CLUSTERS } from '../../manifests/pedia-cluster.js'
import { isConflict } from '../../manifests/status-error.js'
import type { Kept } from '../host/kept-object.js'
import type { InstanceDependencies } from '../instance/dependencies.js'
import { INSTANCE_NOT_FOUND, reportMaterialized } from '../instance/effects/binding-status.js'
import type { Work } from '../instance/effects/leader-effect.js'
import { find, remove } from '../kube/apply.js'
import { isAboutOneObject } from '../kube/refused-object.js'
import type { Collection } from '../watches/collection.js'
import { runLeaderWork } from './run-leader-work.js'

/** After a change that may have left an orphan, milliseconds: many come together, and most are gone again by then. */
const QUIET_MS = 2_000
/** After a sweep that failed, milliseconds. */
const AGAIN_MS = 60_000

interface Swept {
  readonly kind: string
  readonly stage: Stage
  readonly resource: GroupVersionResource
  readonly collection: Collection<Kept>
}

/**
 * Removes what Kairship made on the host for Instances that do not exist, and takes back what role bindings of such claim to
 * be. A request that was given up may still be executed, after the deletion has looked: its object would stay for ever.
 * Owner references let Kubernetes remove most of them; this one knows those of earlier versions too, and hosts without a
 * garbage collector. It sweeps when leadership begins, when a watch is current again, and after changes.
 *
 * It never touches an installed Karmada: one that was retained on purpose looks the same (see
 * docs/adr/0025-what-an-instance-owns.md).
 */
export class OrphanSweep {
  readonly #subscription = new Subscription()
  #timer: NodeJS.Timeout | undefined
  #sweeping = false
  /** What the host refused in this sweep. */
  readonly #refused: Error[] = []

  constructor(
    private readonly dependencies: InstanceDependencies,
    private readonly quietMs = QUIET_MS,
  ) {}

  start(): void {
    const { instances, roleBindings } = this.dependencies.host
    const { bindings } = roleBindings.sources
    const sources: Observable<unknown>[] = [
      ...this.#types().flatMap(({ collection }) => [collection.changes, collection.contact]),
      ...[instances.changes, instances.contact, bindings.changes, bindings.contact],
    ]
    this.#subscription.add(merge(...sources).subscribe(() => this.look()))
  }

  stop(): void {
    this.#subscription.unsubscribe()
    clearTimeout(this.#timer)
  }

  /** Sweeps soon if there seems to be anything to sweep; costs a walk over names in memory, once in a while. */
  look(afterMs: number = this.quietMs): void {
    if (!this.dependencies.leadership().leading || this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#sweep().catch((err: unknown) => {
        this.dependencies.log.warn({ err }, 'objects of Instances that do not exist could not be removed')
        this.look(AGAIN_MS)
      })
    }, afterMs).unref()
  }

  #types(): readonly Swept[] {
    const { virtualClusters, registrations } = this.dependencies.host
    return [
      {
        kind: 'PediaCluster',
        stage: 'virtual cluster',
        resource: PEDIA_CLUSTERS,
        collection: virtualClusters as unknown as Collection<Kept>,
      },
      {
        kind: 'InstanceRegistration',
        stage: 'registration',
        resource: INSTANCE_REGISTRATIONS,
        collection: registrations,
      },
    ]
  }

  async #sweep(): Promise<void> {
    const { host, leadership } = this.dependencies
    if (this.#sweeping || !leadership().leading || !host.instances.inContact) return
    this.#sweeping = true
    this.#refused.length = 0
    try {
      for (const type of this.#types()) await this.#sweepType(type)
      await this.#sweepBindings()
    } finally {
      this.#sweeping = false
    }
    const [first, ...more] = this.#refused
    if (!first) return
    const others = more.length > 0 ? ` (and ${more.length} more)` : ''
    throw new Error(`${first.message}${others}`, { cause: first })
  }

  async #sweepType({ kind, stage, resource, collection }: Swept): Promise<void> {
    const { host, log } = this.dependencies
    if (!collection.inContact) return
    for (const { metadata, outside } of [...collection.values()]) {
      const instance = metadata.labels?.[INSTANCE_LABEL]
      if (instance === undefined || !isMadeFor({ metadata }, instance)) continue
      if (outside.deleting || host.instances.get(instance)) continue
      await this.#run(instance, stage, async (_, signal) => {
        if (await this.#exists(instance, signal)) return 'kept'
        try {
          await remove(host.api, resource, metadata, signal)
          log.info(
            { instance, kind, name: metadata.name },
            'removed an object of an Instance that does not exist',
          )
        } catch (error) {
          // It was changed since it was seen: by a new Instance of that name, perhaps. The watch shows it, and leads here again.
          if (!isConflict(error)) throw error
        }
        return 'gone'
      })
    }
  }

  async #sweepBindings(): Promise<void> {
    const { host } = this.dependencies
    const { bindings } = host.roleBindings.sources
    if (!bindings.inContact) return
    for (const binding of [...bindings.values()]) {
      const { instance } = binding.spec
      const said = binding.status?.conditions?.find(({ type }) => type === 'Materialized')
      if (host.instances.get(instance) || said?.reason === INSTANCE_NOT_FOUND.reason) continue
      await this.#run(instance, 'role bindings', async (_, signal) => {
        if (!(await this.#exists(instance, signal)))
          await reportMaterialized(host.api, binding, INSTANCE_NOT_FOUND, signal)
        return 'reported'
      })
    }
  }

  /** The watch may be behind; what is removed is removed on the server's word. */
  async #exists(name: string, signal: AbortSignal): Promise<boolean> {
    return (await find<Instance>(this.dependencies.host.api, INSTANCES, { name }, signal)) !== undefined
  }

  /** An object that the host refuses to change, because of a policy, keeps no other back. @throws what is not about one object */
  async #run(instance: string, stage: Stage, work: Work): Promise<void> {
    try {
      await runLeaderWork(this.dependencies, { instance, effect: 'sweep an orphan', stage }, work)
    } catch (error) {
      const { cause } = error as Error
      if (!isAboutOneObject(cause)) throw error
      this.#refused.push(cause)
    }
  }
}
