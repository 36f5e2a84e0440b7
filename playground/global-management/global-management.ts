import { INSTANCE_REGISTRATIONS, type InstanceRegistration } from '../../manifests/instance-registration.js'
import {
  INSTANCE_ROLE_BINDINGS,
  type InstanceRole,
  type InstanceRoleBinding,
  type Subject,
} from '../../manifests/instance-role-binding.js'
import { WORKSPACES, type Workspace } from '../../manifests/workspace.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import { Mirror } from '../client/mirror.js'
import { Reconciler } from '../client/reconciler.js'
import { ensure, remove, update } from '../client/write.js'
import { setConditions } from '../objects/conditions.js'
import { timestamp } from '../objects/timestamp.js'

/** A user that Global Management knows, with their role on every instance. */
export interface Grant {
  /** Becomes part of the binding's name. */
  readonly key: string
  readonly role: InstanceRole
  readonly subjects: readonly Subject[]
}

/** How Global Management is started on a host. */
export interface GlobalManagementOptions {
  /** A connection with the rights of `kairship-global-management`. */
  readonly host: KubeApi
  readonly log: Log
  readonly now?: () => number
  /** Who gets what on each registered instance. */
  readonly grants: readonly Grant[]
}

/** On role bindings this engine wrote, so that it removes its own and no other's. */
const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'playground-global-management' } as const
const INSTANCE_LABEL = 'kairship.io/instance'

/** Accepts every registration, writes role bindings for it, and takes them back when the instance is withdrawn. */
export class GlobalManagement {
  readonly #options: GlobalManagementOptions
  readonly #registrations: Mirror<InstanceRegistration>
  readonly #bindings: Mirror<InstanceRoleBinding>
  readonly #queue: Reconciler

  constructor(options: GlobalManagementOptions) {
    this.#options = options
    this.#queue = new Reconciler({
      log: options.log,
      reconcile: async name => {
        await this.#reconcile(name)
        return undefined
      },
    })
    const labelSelector = Object.entries(MANAGED_BY)
      .map(([key, value]) => `${key}=${value}`)
      .join()
    this.#registrations = new Mirror<InstanceRegistration>(options.host, INSTANCE_REGISTRATIONS, change => {
      if (change.type === 'SYNCED') this.#sweep()
      else this.#queue.add(change.object.spec.resourceName)
    })
    this.#bindings = new Mirror<InstanceRoleBinding>(
      options.host,
      INSTANCE_ROLE_BINDINGS,
      change => {
        if (change.type === 'SYNCED') this.#sweep()
        else if (change.type === 'DELETED') this.#queue.add(change.object.spec.instance)
      },
      { labelSelector },
    )
  }

  async close(): Promise<void> {
    this.#registrations.close()
    this.#bindings.close()
    await this.#queue.close()
  }

  /** Instances that were withdrawn between two looks. */
  #sweep(): void {
    if (!this.#registrations.store.synced || !this.#bindings.store.synced) return
    for (const { spec } of this.#bindings.store.values()) this.#queue.add(spec.instance)
  }

  async #reconcile(instance: string): Promise<void> {
    await this.#registrations.synced
    const registration = [...this.#registrations.store.values()].find(
      ({ spec, metadata }) => spec.resourceName === instance && !metadata.deletionTimestamp,
    )
    if (!registration) {
      await this.#withdraw(instance)
      return
    }
    await this.#accept(registration)
    for (const binding of this.#options.grants.map(grant => bindingOf(instance, grant)))
      if (!this.#bindings.store.get(binding.metadata.name))
        await ensure(this.#options.host, INSTANCE_ROLE_BINDINGS, binding)
  }

  async #accept({ metadata: { name } }: InstanceRegistration): Promise<void> {
    const { host, now = Date.now } = this.#options
    const place = { name, subresource: 'status' }
    await update<InstanceRegistration>(host, INSTANCE_REGISTRATIONS, place, registration => {
      const { conditions = [] } = registration.status ?? {}
      const registered = {
        type: 'Registered',
        status: 'True',
        reason: 'Accepted',
        message: 'known to Global Management',
        ...(registration.metadata.generation !== undefined && {
          observedGeneration: registration.metadata.generation,
        }),
      } as const
      const next = setConditions(conditions, [registered], timestamp(now()))
      return next === conditions
        ? registration
        : { ...registration, status: { ...registration.status, conditions: next } }
    })
  }

  async #withdraw(instance: string): Promise<void> {
    await this.#bindings.synced
    for (const { metadata, spec } of this.#bindings.store.values())
      if (spec.instance === instance)
        await remove(this.#options.host, INSTANCE_ROLE_BINDINGS, { name: metadata.name })
  }
}

/** Makes workspaces known on the host, as Global Management does with those that people create there. */
export async function offerWorkspaces(host: KubeApi, names: readonly string[]): Promise<void> {
  for (const [index, name] of names.entries())
    await ensure<Workspace>(host, WORKSPACES, {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'Workspace',
      metadata: { name },
      spec: { id: index + 1 },
    })
}

const bindingOf = (instance: string, { key, role, subjects }: Grant): InstanceRoleBinding => ({
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'InstanceRoleBinding',
  metadata: { name: `${instance}-${key}`, labels: { ...MANAGED_BY, [INSTANCE_LABEL]: instance } },
  spec: { instance, role, subjects },
})
