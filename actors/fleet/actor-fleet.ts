import { type Observable, Subject } from 'rxjs'
import { canonical } from '../../machines/canonical.js'
import { chartOf } from '../../machines/chart.js'
import { instanceMachine } from '../../machines/instance/instance.js'
import type { AccessLocks } from '../../ports/access-locks.js'
import { joined } from '../../ports/cancellation.js'
import type { Fleet, FleetEvent, InspectionEvent, InstanceView } from '../../ports/fleet.js'
import type { InstanceIndex } from '../../ports/instance-index.js'
import type { RoleBindings } from '../../ports/role-bindings.js'
import type { Leadership } from '../election/leadership.js'
import type { MemberGroups } from '../instance/impersonation/member-groups.js'
import type { InstanceConnection } from '../instance/instance-connection.js'
import type { Registry, RegistryChange } from './registry.js'

/** What the read model reads from. */
export interface FleetSources {
  readonly registry: Registry
  readonly isWarm: () => boolean
  /** The version up to which the registry has received every change of the Instances. */
  readonly resourceVersion: () => string | undefined
  readonly leadership: () => Leadership
  readonly connectionOf: (name: string) => InstanceConnection
  readonly indexOf: (name: string) => InstanceIndex | undefined
  /** Called when a caller is about to use the control plane of an instance, which may still wait for its turn to come up. */
  readonly used: (name: string) => void
  readonly memberGroupsOf: (name: string) => MemberGroups
  readonly roleBindings: RoleBindings
  readonly accessLocks: AccessLocks
  /** Aborted when the process stops: every reader's stream ends. */
  readonly stopping: AbortSignal
}

/** How many inspection events may wait for a slow reader; beyond that the oldest are dropped. */
const INSPECTION_BACKLOG = 1_000

/**
 * The read model over the instance actors: snapshots in, views out. Its one effect: `connection()` says that a caller uses an instance.
 */
export class ActorFleet implements Fleet {
  constructor(private readonly sources: FleetSources) {}

  get synced(): boolean {
    return this.sources.isWarm()
  }

  get roleBindings(): RoleBindings {
    return this.sources.roleBindings
  }

  get accessLocks(): AccessLocks {
    return this.sources.accessLocks
  }

  get resourceVersion(): string | undefined {
    return this.sources.resourceVersion()
  }

  list(): readonly InstanceView[] {
    return [...this.sources.registry.values()]
      .map(actor => actor.view())
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  get(name: string): InstanceView | undefined {
    return this.sources.registry.get(name)?.view()
  }

  async *watch({ signal, name }: { signal: AbortSignal; name?: string }): AsyncIterable<FleetEvent> {
    const pending = new PendingNames(this.sources.registry.changes, name)
    const { signal: ended, clear } = joined([signal, this.sources.stopping])
    const sent = new Map<string, string>()
    const last = new Map<string, InstanceView>()
    try {
      for (const view of name === undefined
        ? this.list()
        : [this.get(name)].filter(view => view !== undefined)) {
        sent.set(view.name, canonical(view))
        last.set(view.name, view)
        yield { type: 'ADDED', view }
      }
      yield { type: 'BOOKMARK' }
      while (!ended.aborted) {
        for (const changed of await pending.next(ended)) {
          const event = this.#difference(changed, sent, last)
          if (event) yield event
        }
      }
    } finally {
      clear()
      pending.end()
    }
  }

  explain(name: string) {
    return this.sources.registry.get(name)?.explain(this.sources.leadership().leading)
  }

  chart(): unknown {
    return chartOf(instanceMachine)
  }

  async *inspect(name: string, { signal }: { signal: AbortSignal }): AsyncIterable<InspectionEvent> {
    const actor = this.sources.registry.get(name)
    if (!actor) return
    const { signal: ended, clear } = joined([signal, this.sources.stopping])
    const backlog: InspectionEvent[] = []
    const arrived = new Subject<void>()
    const stop = actor.inspect(event => {
      if (backlog.length >= INSPECTION_BACKLOG) backlog.shift()
      backlog.push(event)
      arrived.next()
    })
    try {
      while (!ended.aborted) {
        const event = backlog.shift()
        if (event) yield event
        else await until(arrived, ended)
      }
    } finally {
      clear()
      stop()
    }
  }

  connection(name: string) {
    if (!this.sources.registry.get(name)) return undefined
    this.sources.used(name)
    return this.sources.connectionOf(name).current?.api
  }

  groupsAtMember(name: string, cluster: string | undefined) {
    return this.sources.registry.get(name) ? this.sources.memberGroupsOf(name).of(cluster) : undefined
  }

  index(name: string) {
    return this.sources.registry.get(name) && this.sources.indexOf(name)
  }

  leadership() {
    const { leading, holder } = this.sources.leadership()
    return { leading, ...(holder !== undefined && { holder }) }
  }

  /** The event that a reader needs about one instance; none if it has the present view. */
  #difference(
    name: string,
    sent: Map<string, string>,
    last: Map<string, InstanceView>,
  ): FleetEvent | undefined {
    const view = this.get(name)
    const before = sent.get(name)
    if (!view) {
      const gone = last.get(name)
      sent.delete(name)
      last.delete(name)
      return gone && { type: 'DELETED', view: gone }
    }
    const now = canonical(view)
    last.set(name, view)
    if (now === before) return undefined
    sent.set(name, now)
    return { type: before === undefined ? 'ADDED' : 'MODIFIED', view }
  }
}

/** The names that changed since they were last read: a slow reader gets each once, however often it changed. */
class PendingNames {
  readonly #names = new Set<string>()
  readonly #arrived = new Subject<void>()
  readonly #subscription: { unsubscribe(): void }

  constructor(changes: Observable<RegistryChange>, only: string | undefined) {
    this.#subscription = changes.subscribe(({ name }) => {
      if (only !== undefined && name !== only) return
      this.#names.add(name)
      this.#arrived.next()
    })
  }

  async next(ended: AbortSignal): Promise<readonly string[]> {
    if (this.#names.size === 0) await until(this.#arrived, ended)
    const names = [...this.#names]
    this.#names.clear()
    return names
  }

  end(): void {
    this.#subscription.unsubscribe()
  }
}

/** Resolves when something arrived or the signal aborts, whichever is first; leaves no listener behind. */
function until(arrived: Observable<void>, ended: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      subscription.unsubscribe()
      ended.removeEventListener('abort', done)
      resolve()
    }
    const subscription = arrived.subscribe(done)
    ended.addEventListener('abort', done)
    if (ended.aborted) done()
  })
}
