import { Failed, type Failure, type Stage } from '../../../machines/failure.js'
import type { InstanceEvent } from '../../../machines/instance/events.js'
import { FINALIZER, type OutsideObject } from '../../../machines/instance/facts.js'
import type { Assignment } from '../../../machines/instance/task.js'
import type { Instance, InstanceStatus } from '../../../manifests/instance.js'
import { instance } from './facts.js'
import type { Replica } from './replica.js'

/** What a replica can be shown, one kind at a time, as late as it pleases. */
export const sights = [
  'cr',
  'credentials',
  'controlPlane',
  'duplicate',
  'installation',
  'virtualCluster',
  'index',
  'impersonation',
  'registration',
  'roleBindings',
] as const
export type Sight = (typeof sights)[number]

/** Types on the host that may be unknown to it. */
export type HostType = 'virtualCluster' | 'registration'

/** Requests whose caller may give up while the server executes them all the same, later. */
const maybeLate: readonly string[] = ['ensure the virtual cluster', 'publish the registration']

/**
 * The world outside, small and independent of the machine: what exists, who leads, what works. Effects change it at once;
 * whether a replica is shown it is another matter. It is as harsh as the real one: types may be unknown to the host, an
 * endpoint may answer 404 to everything or be no Karmada, a kubeconfig may lead elsewhere, and a request whose caller gave up
 * may be executed later.
 */
export class World {
  cr: Instance | undefined
  secret = true
  reachable = true
  aggregated = true
  /** `gone`: the endpoint answers 404 to everything. `plain`: it is a cluster, and no Karmada. */
  endpoint: 'karmada' | 'plain' | 'gone' = 'karmada'
  /** The kubeconfig in the Secret leads to the control plane of another, older Instance. */
  alias = false
  older = false
  /** Types that the host does not know now. Their objects went with them. */
  readonly unserved = new Set<HostType>()
  /** What the last step of the deletion was told that others left. */
  leftBehind: readonly string[] | undefined
  /** The index takes in what is written, whatever it claims. */
  moving = true
  /** Requests to the host fail; `lossy` ones are executed and their answer is lost. */
  host: 'up' | 'down' | 'lossy' = 'up'
  virtualCluster: { uid: number; synced: boolean; late?: boolean } | undefined
  registration: { uid: number; late?: boolean } | undefined
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
  /** What the instance has outside, but for what a late request made behind the back of its deletion: Kubernetes removes that. */
  get outside(): string[] {
    return [
      ...(this.virtualCluster && !this.virtualCluster.late ? ['virtual cluster'] : []),
      ...(this.registration && !this.registration.late ? ['registration'] : []),
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

  /** Requests that were given up, and that the server has not executed yet. */
  #late: string[] = []

  /** Executes a request: at once, or after a while; when its caller gave up until then, perhaps later. */
  async turn<T>(signal: AbortSignal, request: () => T, name: string): Promise<T> {
    await Promise.resolve()
    if (this.slow) await new Promise<void>(resolve => this.#unanswered.push(resolve))
    if (signal.aborted && maybeLate.includes(name)) this.#late.push(name)
    signal.throwIfAborted()
    return request()
  }

  get pendingLate(): readonly string[] {
    return this.#late
  }

  /** The server executes requests whose caller gave up. */
  executeLate(): void {
    for (const name of this.#late.splice(0)) {
      if (name === 'ensure the virtual cluster' && !this.unserved.has('virtualCluster'))
        this.virtualCluster ??= { uid: ++this.#uids, synced: false, late: this.deletionAsked || !this.cr }
      if (name === 'publish the registration' && !this.unserved.has('registration'))
        this.registration ??= { uid: ++this.#uids, late: this.deletionAsked || !this.cr }
    }
    this.#collectGarbage()
  }

  /** What Kubernetes does with objects whose owner is gone. */
  #collectGarbage(): void {
    if (!this.cr) [this.virtualCluster, this.registration] = [undefined, undefined]
  }

  /** The host forgets a type, and its objects with it; or knows it again. */
  serve(type: HostType, is: boolean): void {
    if (is) this.unserved.delete(type)
    else {
      this.unserved.add(type)
      this[type] = undefined
    }
  }

  answer(): void {
    for (const resolve of this.#unanswered.splice(0)) resolve()
  }

  /** One request of an effect. */
  run(replica: Replica, name: string, { leftBehind }: Pick<Assignment, 'leftBehind'> = {}): string {
    if (this.leader !== replica) this.violations.push(`${replica.name} acted without leading: ${name}`)
    const { duplicate } = replica.told
    if (duplicate && 'first' in duplicate && duplicate.first && creative.test(name))
      this.violations.push(`${name} for the control plane of an older instance`)
    const { controlPlane, credentials } = replica.told
    if (
      /^(ensure|publish)/.test(name) &&
      controlPlane?.type === 'controlPlane.probed' &&
      isPlain(controlPlane)
    )
      this.violations.push(`${name} for a cluster that is no Karmada`)
    // Whatever the kubeconfig leads to now: the one that the replica knows is the one that it hands on.
    const handsOn = credentials?.type === 'credentials.observed' && credentials.credentials
    if (name === 'ensure the virtual cluster' && handsOn && handsOn.ok && handsOn.fingerprint === 'alias')
      this.violations.push('handed on a kubeconfig of the control plane of another Instance')
    if (this.host === 'down') throw lost('status')
    if (name === 'remove the finalizer') this.leftBehind = leftBehind ?? []
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
        this.#mustServe('virtualCluster')
        if (!this.virtualCluster) this.#write(name)
        this.virtualCluster ??= { uid: ++this.#uids, synced: false }
        return String(this.virtualCluster.uid)
      case 'publish the registration':
        this.#forbidUnclaimed(name)
        this.#mustServe('registration')
        if (!this.registration) this.#write(name)
        this.registration ??= { uid: ++this.#uids }
        return String(this.registration.uid)
      case 'materialize the role bindings':
        this.#forbidUnclaimed(name)
        if (this.endpoint === 'gone') throw failing('NotServed', 'role bindings')
        if (!this.reachable) throw unreachable('role bindings')
        if (!this.rbac) this.#write(name)
        this.rbac = true
        return 'unwatched'
      case 'withdraw the registration':
        this.#mustServe('registration')
        this.registration = undefined
        return 'gone'
      case 'remove the role bindings':
        if (this.registration && !this.registration.late)
          this.violations.push('role bindings removed before the registration')
        if (this.endpoint === 'gone') throw failing('NotServed', 'role bindings')
        if (!this.reachable || !this.secret) throw unreachable('role bindings')
        this.rbac = false
        return 'gone'
      case 'delete the virtual cluster':
        // Whoever came here without removing the role bindings gave them up.
        if (this.rbac) this.rbacAbandoned = true
        this.#mustServe('virtualCluster')
        this.virtualCluster = undefined
        return 'gone'
      case 'uninstall the control plane':
        if (this.virtualCluster && !this.virtualCluster.late)
          this.violations.push('uninstalled before the virtual cluster was gone')
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
    this.#collectGarbage()
  }
  #mustServe(type: HostType): void {
    if (this.unserved.has(type)) throw failing('NotServed', 'virtual cluster')
  }

  /** How one kind of thing stands, as the fact that a replica would be sent. */
  sight(kind: Sight, replica: Replica): InstanceEvent {
    if ((kind === 'virtualCluster' || kind === 'registration') && this.unserved.has(kind))
      return { type: 'host.contactLost', of: kind, failure: failing('NotServed', 'virtual cluster').failure }
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
              ? { ok: true, endpoint: 'https://alpha', fingerprint: this.alias ? 'alias' : 'one' }
              : {
                  ok: false,
                  failure: { reason: 'SecretNotFound', stage: 'credentials', message: 'no Secret' },
                },
        }
      case 'controlPlane':
        return this.#probed()
      case 'duplicate': {
        // As the supervisor compares: by what the replica itself knows of its control plane.
        const known = replica.snapshot?.context.facts.controlPlane
        const duplicate = this.older || (known?.ok === true && known.id === 'cp-alias')
        return {
          type: 'duplicate.observed',
          ...(duplicate && { first: { name: 'first', shares: 'endpoint' } }),
        }
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
            : { ok: false, failure: failing('Stalled', 'virtual cluster').failure },
        }
      case 'impersonation':
        return {
          type: 'impersonation.answered',
          impersonation: this.reachable
            ? { ok: true }
            : { ok: false, failure: failing('ImpersonationRefused', 'control plane').failure },
        }
      case 'registration':
        return { type: 'registration.observed', registration: outside(this.registration) }
      case 'roleBindings':
        return { type: 'roleBindings.observed', roleBindings: { revision: 'one', count: 1 } }
    }
  }

  #probed(): InstanceEvent {
    const reached = this.reachable && this.endpoint !== 'gone'
    const away = (stage: Stage) =>
      this.endpoint === 'gone' ? failing('NotServed', stage).failure : unreachable(stage).failure
    return {
      type: 'controlPlane.probed',
      controlPlane: reached
        ? { ok: true, id: this.alias ? 'cp-alias' : 'cp-1', kubernetesVersion: 'v1.36.2' }
        : { ok: false, failure: away('control plane') },
      aggregatedApi:
        reached && this.endpoint === 'plain'
          ? { ok: false, failure: failing('NotServed', 'aggregated API').failure }
          : reached && this.aggregated
            ? { ok: true }
            : { ok: false, failure: away('aggregated API') },
      ...(reached && { fingerprint: this.alias ? 'alias' : 'one' }),
    }
  }
}

/** Effects that make something for an instance outside its CR. */
const creative = /^(ensure|publish|materialize)/

const isPlain = ({ aggregatedApi }: Extract<InstanceEvent, { type: 'controlPlane.probed' }>): boolean =>
  !aggregatedApi.ok && aggregatedApi.failure.reason === 'NotServed'

const failing = (reason: Failure['reason'], stage: Stage): Failed =>
  new Failed({ reason, stage, message: `${stage}: ${reason}` })
const unreachable = (stage: Stage) => failing('Unreachable', stage)
const lost = (stage: Stage) => failing('Unavailable', stage)
const conflict = () => failing('Conflict', 'status')
