import { type GroupVersionResource, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isAlreadyExists, isConflict, isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { equal, type Json } from '../../apimachinery/json.js'
import type { ReconcileResult } from '../../client/reconciler.js'
import { PODS } from '../../objects/core-types.js'
import { isInLeavingNamespace } from './leaving-namespace.js'
import type { Change, Note, Plan } from './plan.js'

/** Delay before the next try after a conflict, milliseconds. */
const SOON = 20

/** Tells what happened to an object. */
export type Tell = (object: KubeObject, note: Note, component: string) => Promise<void>

/** On whose behalf is written. */
export interface Performance {
  /** The controller, as the source of Events. */
  readonly component: string
  /** The object as it is now, for its status. */
  readonly latest: () => KubeObject | undefined
}

/** Writes what controllers plan. */
export class Writer {
  constructor(
    readonly api: KubeApi,
    readonly tell: Tell,
  ) {}

  /**
   * Writes changes, status and Events of a plan in this order. After a conflict the plan is made again.
   * @returns when to look at the object again by itself
   */
  async perform(
    type: GroupVersionResource,
    object: KubeObject | undefined,
    plan: Plan,
    { component, latest }: Performance,
  ): Promise<ReconcileResult> {
    try {
      for (const change of plan.changes ?? []) {
        const said = await this.#write(change)
        if (said && object) await this.tell(object, said, component)
      }
      const current = latest()
      if (current && current.metadata.uid === object?.metadata.uid) await this.#report(type, current, plan)
      if (object) for (const note of plan.notes ?? []) await this.tell(object, note, component)
    } catch (error) {
      if (isConflict(error)) return { again: SOON }
      if (isNotFound(error)) return undefined
      throw error
    }
    return plan.again === undefined ? undefined : { again: plan.again }
  }

  async #write(change: Change): Promise<Note | undefined> {
    if ('create' in change) {
      const { namespace } = change.object.metadata
      const path = resourcePath(change.create, namespace === undefined ? {} : { namespace })
      try {
        const made = await this.api.request<KubeObject>({ method: 'POST', path, body: change.object })
        return change.noted?.(made)
      } catch (error) {
        if (!isAlreadyExists(error) && !isInLeavingNamespace(error)) throw error
        return undefined
      }
    }
    if ('update' in change) {
      await this.api.request({
        method: 'PUT',
        path: resourcePath(change.update, placeOf(change.object)),
        body: change.object,
      })
      return undefined
    }
    if ('bind' in change) {
      const path = resourcePath(PODS, { ...placeOf(change.bind), subresource: 'binding' })
      const target = { apiVersion: 'v1', kind: 'Node', name: change.node }
      await this.api.request({ method: 'POST', path, body: { apiVersion: 'v1', kind: 'Binding', target } })
      return undefined
    }
    const { uid, deletionTimestamp } = change.object.metadata
    // The second deletion of a pod comes from its kubelet, which has ended it.
    const isEnd = change.remove === PODS && deletionTimestamp !== undefined
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      preconditions: { uid },
      ...(isEnd && { gracePeriodSeconds: 0 }),
    }
    try {
      const path = resourcePath(change.remove, placeOf(change.object))
      await this.api.request({ method: 'DELETE', path, body })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    return undefined
  }

  async #report(type: GroupVersionResource, current: KubeObject, plan: Plan): Promise<void> {
    const { status: before } = current as KubeObject & { readonly status?: Json }
    const { annotations } = current.metadata
    const status = (plan.status as Json | undefined) ?? before ?? {}
    const wanted = plan.annotations ?? annotations ?? {}
    if (equal(before ?? {}, status) && equal((annotations ?? {}) as Json, wanted as Json)) return
    await this.api.request({
      method: 'PUT',
      path: resourcePath(type, { ...placeOf(current), subresource: 'status' }),
      body: { ...current, metadata: { ...current.metadata, annotations: wanted }, status },
    })
  }
}

const placeOf = ({ metadata: { namespace, name } }: KubeObject) => ({
  name,
  ...(namespace !== undefined && { namespace }),
})
