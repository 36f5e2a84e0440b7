import type { Resource } from '../../../karmada/interpreter/workload.js'
import { type Binding, bindingScopeOf } from '../../../karmada/objects/resource-binding.js'
import { MARKS } from '../../../karmada/objects/work.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import { EventRecorder } from '../../member/controllers/event-recorder.js'
import { remember } from '../../objects/bounded-memory.js'

/** client-go lets a component say so much of one object at once, and one thing more every five minutes. */
const BURST = 25
const REFILL_MS = 300_000
/** Objects of which it is known how much was said of them. */
const MOST_OBJECTS = 4_096
/** Events that wait to be written; more are dropped, as client-go does. */
const MOST_WAITING = 1_000

interface Bucket {
  readonly tokens: number
  readonly at: number
}

/** An event to be written. */
export interface Note {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/**
 * Karmada's Events. They are written one after the other after the change that they report, and never delay it: what cannot be written
 * is logged. Owns what is still to be written; `close` waits for the one that is being written.
 */
export class Events {
  readonly #recorder: EventRecorder
  readonly #now: () => number
  readonly #log: Log
  readonly #buckets = new Map<string, Bucket>()
  readonly #waiting: (() => Promise<void>)[] = []
  #writing: Promise<void> | undefined
  #closed = false

  constructor(control: KubeApi, now: () => number, log: Log) {
    this.#recorder = new EventRecorder(control, now)
    this.#now = now
    this.#log = log
  }

  /** @param component the name under which Karmada's part reports */
  tell(object: KubeObject, component: string, note: Note): void {
    if (this.#closed || this.#waiting.length >= MOST_WAITING || !this.#mayTell(object, component)) return
    this.#waiting.push(() => this.#recorder.tell(object, note, component))
    this.#writing ??= this.#write()
  }

  /** Tells it of a binding and of its template. */
  tellOfBoth(binding: Binding, component: string, note: Note): void {
    this.tell(binding, component, note)
    this.tell(templateOf(binding), component, note)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#waiting.length = 0
    await this.#writing
  }

  async #write(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      await next().catch((error: unknown) => {
        if (!this.#closed) this.#log.warn({ error }, 'an event could not be written')
      })
    this.#writing = undefined
  }

  #mayTell({ metadata }: KubeObject, component: string): boolean {
    const key = `${component} ${metadata.uid ?? `${metadata.namespace}/${metadata.name}`}`
    const now = this.#now()
    const { tokens, at } = this.#buckets.get(key) ?? { tokens: BURST, at: now }
    const left = Math.min(BURST, tokens + (now - at) / REFILL_MS)
    remember(this.#buckets, key, { tokens: left < 1 ? left : left - 1, at: now }, MOST_OBJECTS)
    return left >= 1
  }
}

/** What a binding was made for, as far as an event names it. */
export const templateOf = ({ spec: { resource } }: Binding): KubeObject => ({
  apiVersion: resource.apiVersion,
  kind: resource.kind,
  metadata: {
    name: resource.name,
    ...(resource.namespace && { namespace: resource.namespace }),
    ...(resource.uid !== undefined && { uid: resource.uid }),
  },
})

/** The template that a Work's manifest was made from. */
export const templateOfManifest = ({ apiVersion, kind, metadata }: Resource): KubeObject => {
  const uid = metadata.annotations?.[MARKS.templateUid]
  const { namespace, name } = metadata
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace && { namespace }), ...(uid !== undefined && { uid }) },
  }
}

/** `namespace/name` of a ResourceBinding, the name of a ClusterResourceBinding, with its kind: as messages name it. */
export const bindingText = (binding: Binding): string => {
  const { namespace, name } = binding.metadata
  return `${bindingScopeOf(binding).kind}(${namespace ? `${namespace}/` : ''}${name})`
}

export const normal = (reason: string, message: string): Note => ({ type: 'Normal', reason, message })
export const warning = (reason: string, error: unknown): Note => ({
  type: 'Warning',
  reason,
  message: error instanceof Error ? error.message : String(error),
})
