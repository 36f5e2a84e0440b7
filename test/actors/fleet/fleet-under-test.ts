import { BehaviorSubject, first, NEVER, type Observable, of, Subject } from 'rxjs'
import { Supervisor } from '../../../actors/fleet/supervisor.js'
import { AskingBudget } from '../../../actors/instance/asking-budget.js'
import { ConcurrencyLimiter } from '../../../actors/instance/concurrency-limiter.js'
import type { EffectEvent, InstanceDependencies } from '../../../actors/instance/dependencies.js'
import { InstanceConnection } from '../../../actors/instance/instance-connection.js'
import { RecentUse } from '../../../actors/instance/recent-use.js'
import { StartupBurst } from '../../../actors/instance/startup-burst.js'
import type { Instance } from '../../../manifests/instance.js'
import { silent, unmetered } from '../../silent.js'
import { UNHURRIED } from '../kube/turns-under-test.js'
import { type ScriptedApi, scriptedApi } from '../scripted-api.js'

/** A watch on the host that shows what a test puts into it. */
function collection() {
  const objects = new Map<string, unknown>()
  const changes = new Subject<{ readonly type: string; readonly object?: unknown }>()
  let synced = false
  changes.subscribe(({ type }) => {
    synced ||= type === 'SYNCED'
  })
  return {
    objects,
    changes,
    contact: new BehaviorSubject('made'),
    inContact: true,
    get: (key: string) => objects.get(key),
    follow: (key: string) => of(objects.get(key)),
    /** When the next list is complete: not before the first one is, then at once, unless a test holds it back. */
    relisted: (): Observable<unknown> =>
      synced ? of(undefined) : changes.pipe(first(({ type }) => type === 'SYNCED')),
  }
}

/** A supervisor with real instance actors, over a scripted host and scripted control planes. Stop it when the test ends. */
export class FleetUnderTest {
  readonly instances = collection()
  readonly api: ScriptedApi = scriptedApi()
  /** Control planes by the kubeconfig that leads to them. */
  readonly planes = new Map<string, ScriptedApi>()
  readonly supervisor: Supervisor
  #leading = true

  constructor() {
    const connections = new Map<string, InstanceConnection>()
    const { api, instances, planes } = this
    const dependencies = {
      host: {
        api,
        instances,
        virtualClusters: collection(),
        registrations: collection(),
        karmadas: collection(),
        events: { record: async () => undefined },
        roleBindings: {
          ...{
            contact: new BehaviorSubject('made'),
            inContact: true,
            changed: NEVER,
            changesOf: () => NEVER,
          },
          ...{ of: () => [], endedOf: () => [], factOf: () => ({ revision: '', count: 0 }) },
        },
        secrets: {
          // The kubeconfig of an instance is its Secret's name.
          follow: (_namespace: string, name: string) => {
            const data = { kubeconfig: Buffer.from(name).toString('base64') }
            return planes.has(name) ? of({ secret: { data } }) : NEVER
          },
        },
      },
      connector: { connect: async (kubeconfig: string) => planes.get(kubeconfig) },
      log: silent,
      meter: unmetered,
      paces: { probeIntervalMs: 3_600_000, statusIntervalMs: 1_000, indexCanaryIntervalMs: 0 },
      random: () => 0.5,
      connectionOf: (name: string) => {
        const known = connections.get(name) ?? new InstanceConnection()
        connections.set(name, known)
        return known
      },
      freshness: { forget: () => undefined },
      canaryWrites: new Map(),
      gathering: new ConcurrencyLimiter(1),
      asking: new AskingBudget(() => 1_000),
      callers: new RecentUse(() => true),
      indexUse: new RecentUse(() => true),
      visiting: new ConcurrencyLimiter(1_000),
      writing: new ConcurrencyLimiter(1_000),
      startupBurst: new StartupBurst(() => 1_000),
      leadership: () => ({ leading: this.#leading, signal: new AbortController().signal }),
      effectChanged: (_: EffectEvent) => undefined,
    } as unknown as InstanceDependencies
    this.supervisor = new Supervisor({ dependencies, disconnect: () => undefined, turns: UNHURRIED })
    this.supervisor.start()
  }

  /** The watch on Instances shows an object. */
  observe(object: Instance, type = 'ADDED'): void {
    this.instances.objects.set(object.metadata.name, object)
    this.instances.changes.next({ type, object })
  }
  /** The watch on Instances shows that an object is gone. */
  remove(object: Instance): void {
    this.instances.objects.delete(object.metadata.name)
    this.instances.changes.next({ type: 'DELETED', object })
  }
  /** The first list of Instances is complete. */
  listed(): void {
    this.instances.changes.next({ type: 'SYNCED' })
  }
  /** The lease is won or lost. */
  lead(now: boolean): void {
    this.#leading = now
    this.supervisor.lead({ leading: now, signal: new AbortController().signal })
  }
}

/**
 * An Instance whose data triggers a defect of the chart, from the first look at it: reading its finalizers throws. It stands
 * for any code of ours that does not expect what some CR holds.
 */
export const poisoned = (object: Instance): Instance => ({
  ...object,
  metadata: {
    ...object.metadata,
    get finalizers(): string[] {
      throw new Error('a defect that this instance triggers')
    },
  },
})
