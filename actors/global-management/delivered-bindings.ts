import {
  DELIVERED_SELECTOR,
  type DeliveredBinding,
  isDelivered,
  renderDelivered,
  resourceOfDelivered,
  type StoredBinding,
  sequenceOf,
} from '../../manifests/delivered-binding.js'
import { INSTANCE_ROLE_BINDINGS, type Subject } from '../../manifests/instance-role-binding.js'
import { type GroupVersionResource, type KubeList, resourcePath } from '../../manifests/kube.js'
import { isOver } from '../../manifests/role-end.js'
import { isAlreadyExists, isConflict, isNotFound } from '../../manifests/status-error.js'
import { WORKSPACE_ROLE_BINDINGS } from '../../manifests/workspace-role-binding.js'
import type { KubeApi } from '../../ports/kube-api.js'
import {
  BusyBindingError,
  type Reception,
  type RoleBindingDeliveries,
  type RoleBindingEvent,
} from '../../ports/role-binding-deliveries.js'
import { find, remove } from '../kube/apply.js'
import { DeletedSubjects, rememberedDeletion, type SubjectDeleted } from './deleted-subjects.js'
import { changed, foreign, isRebound, isSame, typeOf } from './stored-bindings.js'

/** Other replicas write the same binding at most so often in a row before the sender is asked to deliver again. */
const TRIES = 5

/**
 * Ended bindings are removed after a day, and with one goes what it remembers. An event that is older than this is left out, so that none
 * from before an end comes after its removal, milliseconds.
 */
const OLDEST_EVENT_MS = 23 * 3_600_000

/** The two types that bindings are delivered in. */
export const DELIVERED_TYPES: readonly GroupVersionResource[] = [
  INSTANCE_ROLE_BINDINGS,
  WORKSPACE_ROLE_BINDINGS,
]

/** What a binding is to be, and which sequence says so. */
interface Wanted {
  readonly binding: DeliveredBinding
  readonly sequence: number
  /** When it was deleted, RFC 3339. */
  readonly endedAt?: string
}

/**
 * Writes what Global Management delivers as objects on the host. Each carries the sequence of what it is the result of, so that repeated,
 * late and concurrent deliveries, through any replica and after any restart, end with the newest.
 */
export class DeliveredBindings implements RoleBindingDeliveries {
  /** @param host under a credential that may write role bindings @param now milliseconds since 1970 */
  constructor(
    private readonly host: KubeApi,
    private readonly now: () => number = Date.now,
  ) {}

  async take(event: RoleBindingEvent, signal: AbortSignal): Promise<Reception> {
    if (Date.parse(event.occurredAt) < this.now() - OLDEST_EVENT_MS) return 'outdated'
    if (!('binding' in event)) return this.#removeSubject(event, signal)
    const { binding, sequence } = event
    const isDeleted = event.type === 'binding.deleted'
    return this.store(
      { binding, sequence, ...(isDeleted && { endedAt: this.#notLater(event.occurredAt) }) },
      signal,
    )
  }

  /** Stores a binding unless a newer one is stored. @throws as `take` */
  async store(wanted: Wanted, signal: AbortSignal): Promise<Reception> {
    const { binding, sequence } = wanted
    const resource = resourceOfDelivered(binding)
    let isWritten = false
    for (let tries = 1; tries <= TRIES; tries++) {
      const [subjects, stored] = await Promise.all([
        this.#left(wanted, signal),
        find<StoredBinding>(this.host, resource, { name: binding.name }, signal),
      ])
      // It needs a subject: of one that has none left it keeps them, and has ended.
      const endedAt =
        subjects.length > 0 ? wanted.endedAt : (wanted.endedAt ?? new Date(this.now()).toISOString())
      const object = renderDelivered(
        subjects.length > 0 ? { ...binding, subjects } : binding,
        sequence,
        endedAt,
      )
      if (stored && !isDelivered(stored)) throw foreign(stored)
      if (stored && sequenceOf(stored) > sequence) return 'outdated'
      const isStored = stored && sequenceOf(stored) === sequence
      if (isStored && (isSame(stored, object) || (subjects.length === 0 && isOver(stored, this.now()))))
        return isWritten ? 'stored' : 'unchanged'
      if (!(await this.#replace(resource, stored, object, signal))) continue
      isWritten = true
      // A subject that is deleted meanwhile is found now, or whoever deletes it finds the binding.
      if ((await this.#left(wanted, signal)).length === subjects.length) return 'stored'
    }
    throw new BusyBindingError(`${binding.name} is being changed by others again and again: deliver it again`)
  }

  /** The subjects of a binding without those who were deleted since. */
  async #left({ binding, sequence }: Wanted, signal: AbortSignal): Promise<DeliveredBinding['subjects']> {
    const deleted = await DeletedSubjects.among(this.host, binding.subjects, signal)
    return [...deleted.left(binding.subjects, sequence)] as DeliveredBinding['subjects']
  }

  /**
   * Ends a binding that is not there any more where it came from.
   * @returns whether it was changed; not if a newer one is stored, or it gives nothing by now
   * @throws BusyBindingError; StatusError, UnreachableError as `KubeApi.request`
   */
  async end(stored: StoredBinding, sequence: number, signal: AbortSignal): Promise<boolean> {
    const { name } = stored.metadata
    let current: StoredBinding | undefined = stored
    for (let tries = 1; tries <= TRIES; tries++) {
      if (!current || !isDelivered(current) || !this.#isToEnd(current, sequence)) return false
      if (await this.#endOnce(current, sequence, signal)) return true
      current = await find<StoredBinding>(this.host, typeOf(stored), { name }, signal)
    }
    throw new BusyBindingError(`${name} is being changed by others again and again, and still gives its role`)
  }

  /** @returns false where somebody else was faster too: look again */
  async #endOnce(stored: StoredBinding, sequence: number, signal: AbortSignal): Promise<boolean> {
    const expiresAt = new Date(this.now()).toISOString()
    return this.#replace(typeOf(stored), stored, changed(stored, sequence, { expiresAt }), signal)
  }

  #isToEnd(stored: StoredBinding, sequence: number): boolean {
    return sequenceOf(stored) <= sequence && !isOver(stored, this.now())
  }

  /** An end that is to come would leave the rights until then. */
  #notLater(time: string): string {
    return new Date(Math.min(Date.parse(time), this.now())).toISOString()
  }

  /** @returns false when somebody else was faster: look again */
  async #replace(
    resource: GroupVersionResource,
    stored: StoredBinding | undefined,
    object: StoredBinding,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { name } = object.metadata
    try {
      if (stored && isRebound(stored, object)) {
        // What a binding is about is immutable. The sender has no answer until both are done, and delivers again if not.
        await remove(this.host, resource, stored.metadata, signal)
        await this.#create(resource, object, signal)
      } else if (stored) {
        const metadata = {
          ...stored.metadata,
          ...object.metadata,
          labels: { ...stored.metadata.labels, ...object.metadata.labels },
          annotations: { ...stored.metadata.annotations, ...object.metadata.annotations },
        }
        const path = resourcePath(resource, { name })
        await this.host.request({ method: 'PUT', path, body: { ...object, metadata }, signal })
      } else await this.#create(resource, object, signal)
      return true
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return false
      throw error
    }
  }

  async #create(resource: GroupVersionResource, body: StoredBinding, signal: AbortSignal): Promise<void> {
    await this.host.request({ method: 'POST', path: resourcePath(resource), body, signal })
  }

  /** Takes a user or a group out of all delivered bindings; one that has no other subject ends. */
  async #removeSubject(event: SubjectDeleted, signal: AbortSignal): Promise<Reception> {
    const { type, name, sequence } = event
    const isNew = await this.#remember(event, signal)
    const kind = type === 'user.deleted' ? 'User' : 'Group'
    const isGone = (subject: Subject) => subject.kind === kind && subject.name === name
    for (let tries = 1; tries <= TRIES; tries++) {
      const all = await this.delivered(signal)
      const named = all.filter(
        stored =>
          stored.spec.subjects.some(isGone) && sequenceOf(stored) < sequence && !isOver(stored, this.now()),
      )
      if (named.length === 0) return isNew || tries > 1 ? 'stored' : 'unchanged'
      for (const stored of named) {
        const subjects = stored.spec.subjects.filter(subject => !isGone(subject))
        const own = sequenceOf(stored)
        // It stays as new as it is: what is delivered late, and is newer than that, says who else has left.
        if (subjects.length === 0) {
          if (this.#isToEnd(stored, own)) await this.#endOnce(stored, own, signal)
        } else await this.#replace(typeOf(stored), stored, changed(stored, own, { subjects }), signal)
      }
    }
    throw new BusyBindingError(
      `bindings of ${name} are being changed by others again and again: deliver it again`,
    )
  }

  /** @returns whether it was not remembered before */
  async #remember(event: SubjectDeleted, signal: AbortSignal): Promise<boolean> {
    const object = rememberedDeletion(event, this.#notLater(event.occurredAt))
    const { name } = object.metadata
    for (let tries = 1; tries <= TRIES; tries++) {
      const stored = await find<StoredBinding>(this.host, WORKSPACE_ROLE_BINDINGS, { name }, signal)
      if (stored && !isDelivered(stored)) throw foreign(stored)
      if (stored && sequenceOf(stored) >= event.sequence) return false
      if (await this.#replace(WORKSPACE_ROLE_BINDINGS, stored, object, signal)) return true
    }
    throw new BusyBindingError(`the deletion of ${event.name} is being stored by others: deliver it again`)
  }

  /** All delivered bindings on the host now. */
  async delivered(signal: AbortSignal): Promise<readonly StoredBinding[]> {
    const query = { labelSelector: DELIVERED_SELECTOR }
    const lists = await Promise.all(
      DELIVERED_TYPES.map(async resource => {
        const path = resourcePath(resource)
        const { items } = await this.host.request<KubeList<StoredBinding>>({
          method: 'GET',
          path,
          query,
          signal,
        })
        // Items of a list may lack what the list says for all of them.
        const kind = resource === INSTANCE_ROLE_BINDINGS ? 'InstanceRoleBinding' : 'WorkspaceRoleBinding'
        return (items ?? []).map(
          item => ({ ...item, apiVersion: 'kairship.io/v1alpha1', kind }) as StoredBinding,
        )
      }),
    )
    return lists.flat()
  }
}
