import { beforeEach } from 'vitest'
import { createActor, type PromiseActorLogic, toPromise } from 'xstate'
import { ConcurrencyLimiter } from '../../actors/instance/concurrency-limiter.js'
import type { EffectEvent, InstanceDependencies } from '../../actors/instance/dependencies.js'
import { InstanceConnection } from '../../actors/instance/instance-connection.js'
import { leaderDependencies } from '../../actors/instance/leader-dependencies.js'
import type { Assignment } from '../../machines/instance/task.js'
import { directBinding, type EffectiveBinding } from '../../manifests/effective-binding.js'
import type { Happening } from '../../manifests/event.js'
import type { Instance } from '../../manifests/instance.js'
import type { InstanceRoleBinding } from '../../manifests/instance-role-binding.js'
import { instance } from '../machines/instance/facts.js'
import { silent } from '../silent.js'
import { type ScriptedApi, scriptedApi } from './scripted-api.js'

type Effect = (dependencies: InstanceDependencies) => PromiseActorLogic<string, Assignment>
interface Task {
  readonly of?: Instance
  readonly wanted?: string
  readonly leftBehind?: readonly string[]
}

/** Effects of the instance alpha, run against a scripted host and a scripted control plane, both new for each test. */
export class EffectsUnderTest {
  host: ScriptedApi = scriptedApi()
  /** The control plane. */
  inside: ScriptedApi = scriptedApi()
  connection = new InstanceConnection()
  /** What the watches on the host show. */
  seen = {
    virtualClusters: new Map<string, unknown>(),
    registrations: new Map<string, unknown>(),
    karmadas: new Map<string, unknown>(),
  }
  bindings: InstanceRoleBinding[] = []
  /** Roles through workspaces. */
  inherited: EffectiveBinding[] = []
  /** Role bindings whose end has come. */
  ended: InstanceRoleBinding[] = []
  events: EffectEvent[] = []
  /** Kubernetes Events that were recorded. */
  happenings: Happening[] = []
  /** Whether this replica leads by the clock. */
  leading = true
  /** Aborted when somebody has noticed that the term is over. */
  term = new AbortController()

  constructor() {
    beforeEach(() => {
      this.host = scriptedApi()
      this.inside = scriptedApi()
      this.connection = new InstanceConnection()
      this.connection.replace({ api: this.inside, kubeconfig: 'kind: Config', fingerprint: 'one' })
      this.seen = { virtualClusters: new Map(), registrations: new Map(), karmadas: new Map() }
      this.bindings = []
      this.inherited = []
      this.ended = []
      this.events = []
      this.happenings = []
      this.leading = true
      this.term = new AbortController()
    })
  }

  /** Runs an effect once, as the chart would. */
  run(effect: Effect, task: Task = {}): Promise<string> {
    const actor = this.actor(effect, task)
    const done = toPromise(actor)
    actor.start()
    return done
  }

  /** An effect that is not started yet. */
  actor(effect: Effect, { of = instance(), wanted = '', leftBehind }: Task = {}) {
    return createActor(effect(leaderDependencies(this.dependencies())), {
      input: { name: 'alpha', instance: of, facts: {}, wanted, ...(leftBehind && { leftBehind }) },
    })
  }

  /** What all instances share, as observers get it. */
  dependencies(): InstanceDependencies {
    return {
      host: {
        api: this.host,
        ...this.seen,
        roleBindings: {
          of: () => [...this.bindings.map(directBinding), ...this.inherited],
          endedOf: () => this.ended,
        },
        events: { record: async (_: Instance, happening: Happening) => void this.happenings.push(happening) },
      },
      log: silent,
      connectionOf: () => this.connection,
      canaryWrites: new Map(),
      leadership: () => ({ leading: this.leading, signal: this.term.signal }),
      writing: new ConcurrencyLimiter(16),
      visiting: new ConcurrencyLimiter(32),
      effectChanged: (event: EffectEvent) => this.events.push(event),
    } as unknown as InstanceDependencies
  }
}

/** How an effect ended that is expected to fail. */
export const failing = (promise: Promise<unknown>) =>
  promise.then(
    () => 'succeeded',
    ({ failure }) => `${failure.reason}: ${failure.message}`,
  )
