import { randomUUID } from 'node:crypto'
import { type KubeList, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { update } from '../../client/write.js'
import { remember } from '../../objects/bounded-memory.js'
import { EVENTS } from '../../objects/core-types.js'
import { timestamp } from '../../objects/timestamp.js'
import { isInLeavingNamespace } from './leaving-namespace.js'
import type { Note } from './plan.js'

/** Events live for an hour, as kube-apiserver's --event-ttl says; they are swept when a new one comes, at most so often. */
const LIFETIME_MS = 3_600_000
const SWEEP_MS = 600_000
/** Events that may still be counted up. */
const MOST_KNOWN = 1_000

interface Event extends KubeObject {
  readonly count?: number
  readonly lastTimestamp?: string
}

/** Writes Events; what happens to an object again is counted and not written anew. */
export class EventRecorder {
  readonly #known = new Map<string, string>()
  #swept: number

  constructor(
    readonly api: KubeApi,
    readonly now: () => number,
  ) {
    this.#swept = now()
  }

  readonly tell = async (object: KubeObject, note: Note, component: string): Promise<void> => {
    const { namespace = 'default', name, uid, resourceVersion } = object.metadata
    await this.#sweep()
    const key = [uid, note.reason, note.message, component].join('\n')
    const time = timestamp(this.now())
    const known = this.#known.get(key)
    if (known) {
      const counted = await update<Event>(this.api, EVENTS, { namespace, name: known }, event => ({
        ...event,
        count: (event.count ?? 1) + 1,
        lastTimestamp: time,
      }))
      if (counted) return
    }
    const eventName = `${name}.${randomUUID().replaceAll('-', '').slice(0, 16)}`
    const body = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: eventName },
      involvedObject: {
        apiVersion: object.apiVersion,
        kind: object.kind,
        name,
        // What the object is not, or what is not known of it, is left out: undefined is no JSON.
        ...(object.metadata.namespace !== undefined && { namespace: object.metadata.namespace }),
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
      },
      ...note,
      source: { component },
      reportingComponent: component,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    }
    try {
      await this.api.request({ method: 'POST', path: resourcePath(EVENTS, { namespace }), body })
    } catch (error) {
      // What happens in a namespace that is going away still has to be done, and gets no Event.
      if (!isInLeavingNamespace(error)) throw error
      return
    }
    remember(this.#known, key, eventName, MOST_KNOWN)
  }

  async #sweep(): Promise<void> {
    const now = this.now()
    if (now < this.#swept + SWEEP_MS) return
    this.#swept = now
    const { items } = await this.api.request<KubeList<Event>>({ method: 'GET', path: resourcePath(EVENTS) })
    for (const { metadata, lastTimestamp } of items) {
      const last = Date.parse(lastTimestamp ?? metadata.creationTimestamp ?? '')
      if (now < last + LIFETIME_MS) continue
      const place = { namespace: metadata.namespace ?? '', name: metadata.name }
      await this.api.request({ method: 'DELETE', path: resourcePath(EVENTS, place) }).catch(error => {
        if (!isNotFound(error)) throw error
      })
    }
  }
}
