import {
  EVENT_NAMESPACE,
  EVENTS,
  type Happening,
  type KubeEvent,
  renderEvent,
} from '../../manifests/event.js'
import type { Instance } from '../../manifests/instance.js'
import { resourcePath } from '../../manifests/kube.js'
import { isNotFound } from '../../manifests/status-error.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Meter } from '../../ports/meter.js'

/** The same happening within this time adds to the count of one Event, milliseconds (client-go's EventAggregator: 10 minutes). */
const SAME_WITHIN_MS = 600_000
/** So many Events of one Instance at once, and then one in five minutes (client-go's EventSourceObjectSpamFilter). */
const BURST = 25
const REFILL_MS = 300_000
/** An Event is not worth waiting longer for, milliseconds. */
const WITHIN_MS = 2_000
/** So many happenings and Instances are remembered; the oldest are forgotten. */
const REMEMBERED = 4_096

interface Written {
  readonly name: string
  readonly count: number
  readonly at: number
}
interface Budget {
  readonly left: number
  readonly at: number
}

/**
 * Writes Kubernetes Events about Instances. Never fails and never takes long: an Event that cannot be written is counted in
 * `kairship_events_total` and dropped, because no work depends on it.
 */
export class EventRecorder {
  readonly #written = new Map<string, Written>()
  readonly #budgets = new Map<string, Budget>()
  #suffixes = Date.now()

  constructor(
    private readonly api: KubeApi,
    private readonly meter: Meter,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async record(instance: Instance, happening: Happening, signal: AbortSignal): Promise<void> {
    const { uid = instance.metadata.name } = instance.metadata
    const key = JSON.stringify([uid, happening.type, happening.reason, happening.message])
    const at = this.now()
    if (!this.#mayWrite(uid, at)) return this.meter.count('kairship_events_total', { outcome: 'dropped' })
    try {
      const known = this.#written.get(key)
      const same = known && at - known.at < SAME_WITHIN_MS ? await this.#again(known, signal) : undefined
      const written = same ?? (await this.#create(instance, happening, signal))
      remember(this.#written, key, { ...written, at })
      this.meter.count('kairship_events_total', { outcome: 'written' })
    } catch {
      // As stated above: counted, and dropped. An effect whose signal ended finds that out by its own requests.
      this.meter.count('kairship_events_total', { outcome: 'failed' })
    }
  }

  async #create(instance: Instance, happening: Happening, signal: AbortSignal): Promise<Omit<Written, 'at'>> {
    this.#suffixes += 1
    const event = renderEvent(instance, happening, {
      suffix: this.#suffixes.toString(16),
      now: new Date().toISOString(),
    })
    const path = resourcePath(EVENTS, { namespace: EVENT_NAMESPACE })
    await this.api.request({ method: 'POST', path, body: event, signal, timeoutMs: WITHIN_MS })
    return { name: event.metadata.name, count: 1 }
  }

  /** @returns undefined when the Event was deleted meanwhile (an API server keeps Events for an hour) */
  async #again({ name, count }: Written, signal: AbortSignal): Promise<Omit<Written, 'at'> | undefined> {
    const change: Pick<KubeEvent, 'count' | 'lastTimestamp'> = {
      count: count + 1,
      lastTimestamp: new Date().toISOString(),
    }
    try {
      await this.api.request({
        method: 'PATCH',
        path: resourcePath(EVENTS, { namespace: EVENT_NAMESPACE, name }),
        contentType: 'application/merge-patch+json',
        body: change,
        signal,
        timeoutMs: WITHIN_MS,
      })
      return { name, count: change.count }
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  #mayWrite(uid: string, at: number): boolean {
    const before = this.#budgets.get(uid) ?? { left: BURST, at }
    const left = Math.min(BURST, before.left + (at - before.at) / REFILL_MS)
    const allowed = left >= 1
    remember(this.#budgets, uid, { left: allowed ? left - 1 : left, at })
    return allowed
  }
}

/** Puts an entry last and forgets the first ones beyond the limit. */
function remember<T>(entries: Map<string, T>, key: string, entry: T): void {
  entries.delete(key)
  entries.set(key, entry)
  for (const oldest of entries.keys()) {
    if (entries.size <= REMEMBERED) break
    entries.delete(oldest)
  }
}
