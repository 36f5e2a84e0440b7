import { INSTANCES, type Instance } from '../../manifests/instance.js'
import { type KubeList, resourcePath } from '../../manifests/kube.js'
import { isNotFound } from '../../manifests/status-error.js'
import type { Explanation, Fleet, InstanceView } from '../../ports/fleet.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { type Failure, notFound, unavailable } from '../errors/failure.js'
import type { OwnWrites, Reader } from './own-writes.js'

/** What there is to say of an instance: its actor's view, or the object alone where no actor here has seen it yet. */
export type ShownInstance =
  | InstanceView
  | { readonly name: string; readonly instance: Instance; readonly state?: undefined }

/**
 * Reads Instances from the fleet if it shows all of the caller's own writes, else from the host. Fields that only an actor
 * knows are absent in the latter case.
 */
export class InstanceReading {
  constructor(
    private readonly fleet: Fleet,
    private readonly host: KubeApi,
    private readonly ownWrites: OwnWrites,
  ) {}

  /** Sorted by name. @throws Failure UNAVAILABLE before the fleet was read; whatever the host throws */
  async all(call: Reader): Promise<readonly ShownInstance[]> {
    const known = () => this.#synced().list()
    known()
    if (await this.ownWrites.shown(call)) return known()
    const { items } = await this.host.request<KubeList<Instance>>({
      method: 'GET',
      path: resourcePath(INSTANCES),
      ...(call.signal && { signal: call.signal }),
    })
    return (items ?? []).map(instance => this.#asOnHost(instance)).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** @throws Failure NOT_FOUND; whatever the host throws */
  async one(name: string, call: Reader): Promise<ShownInstance> {
    const view = (await this.ownWrites.shown(call, name)) ? this.#viewOf(name) : undefined
    return view ?? this.#asOnHost(await this.onHost(name, call))
  }

  /** As its actor here sees it. @throws Failure NOT_FOUND; UNAVAILABLE while no actor shows what the host has */
  async view(name: string, call: Reader): Promise<InstanceView> {
    this.#synced()
    const view = (await this.ownWrites.shown(call, name)) ? this.#viewOf(name) : undefined
    if (view) return view
    await this.onHost(name, call)
    throw notSeenYet(`instance ${name} has`)
  }

  /** @throws Failure as `view` does */
  async explanation(name: string, call: Reader): Promise<Explanation> {
    await this.view(name, call)
    const explanation = this.fleet.explain(name)
    if (!explanation) throw notFoundInstance(name)
    return explanation
  }

  /** Returns once the fleet shows what the caller wrote. @throws Failure UNAVAILABLE when that takes long */
  async upToDate(call: Reader, name?: string): Promise<void> {
    if (!(await this.ownWrites.shown(call, name))) throw notSeenYet('your own last writes have')
  }

  /**
   * Makes sure that the fleet shows under this name what the caller last made of it, and not what bore the name before.
   * Undefined where that needs no waiting.
   * @throws Failure NOT_FOUND; UNAVAILABLE while the fleet shows another
   */
  sameAsWritten(name: string, call: Reader): Promise<void> | undefined {
    return this.ownWrites.hasUnseenWrite(call, name) ? this.#sameAsWritten(name, call) : undefined
  }

  async #sameAsWritten(name: string, call: Reader): Promise<void> {
    const { instance } = await this.one(name, call)
    if (this.#viewOf(name)?.instance.metadata.uid !== instance.metadata.uid)
      throw notSeenYet(`instance ${name} has`)
  }

  /** Past all actors. @throws Failure NOT_FOUND; whatever the host throws */
  async onHost(name: string, call: Reader): Promise<Instance> {
    try {
      return await this.host.request<Instance>({
        method: 'GET',
        path: resourcePath(INSTANCES, { name }),
        ...(call.signal && { signal: call.signal }),
      })
    } catch (error) {
      if (isNotFound(error)) throw notFoundInstance(name)
      throw error
    }
  }

  #synced(): Fleet {
    if (this.fleet.synced) return this.fleet
    throw notSeenYet('the instances have')
  }

  #viewOf(name: string): InstanceView | undefined {
    return this.fleet.synced ? this.fleet.get(name) : undefined
  }

  /** An Instance of the host with what its actor knows, where that is about the same one and not about its life before deletion. */
  #asOnHost(instance: Instance): ShownInstance {
    const { name, uid, deletionTimestamp } = instance.metadata
    const view = this.#viewOf(name)
    const isThat = view?.instance.metadata.uid === uid
    return view && isThat && (!deletionTimestamp || view.state === 'deleting')
      ? { ...view, instance }
      : { name, instance }
  }
}

const notSeenYet = (what: string): Failure =>
  unavailable(`${what} not been read from the host yet: try again in a moment`, { retryAfterSeconds: 1 })

const notFoundInstance = (name: string): Failure =>
  notFound(`there is no instance called ${JSON.stringify(name)}`, { reason: 'InstanceNotFound' })
