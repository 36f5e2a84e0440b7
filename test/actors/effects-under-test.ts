import { beforeEach } from 'vitest'
import { createActor, type PromiseActorLogic, toPromise } from 'xstate'
import { InstanceConnection } from '../../actors/connection.js'
import type { EffectEvent, Surroundings } from '../../actors/surroundings.js'
import { Turnstile } from '../../actors/turnstile.js'
import type { Assignment } from '../../machines/task.js'
import type { Instance } from '../../manifests/instance.js'
import type { InstanceRoleBinding } from '../../manifests/instance-role-binding.js'
import { instance } from '../machines/facts.js'
import { type ScriptedApi, scriptedApi } from './scripted-api.js'

type Effect = (surroundings: Surroundings) => PromiseActorLogic<string, Assignment>
interface Task {
  readonly of?: Instance
  readonly wanted?: string
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
  events: EffectEvent[] = []
  leading = true

  constructor() {
    beforeEach(() => {
      this.host = scriptedApi()
      this.inside = scriptedApi()
      this.connection = new InstanceConnection()
      this.connection.replace({ api: this.inside, kubeconfig: 'kind: Config', fingerprint: 'one' })
      this.seen = { virtualClusters: new Map(), registrations: new Map(), karmadas: new Map() }
      this.bindings = []
      this.events = []
      this.leading = true
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
  actor(effect: Effect, { of = instance(), wanted = '' }: Task = {}) {
    const surroundings = {
      host: { api: this.host, ...this.seen, roleBindings: { of: () => this.bindings } },
      connectionOf: () => this.connection,
      canaryWrites: new Map(),
      leadership: () => ({ leading: this.leading, signal: new AbortController().signal }),
      writing: new Turnstile(16),
      visiting: new Turnstile(32),
      effectChanged: (event: EffectEvent) => this.events.push(event),
    } as unknown as Surroundings
    return createActor(effect(surroundings), {
      input: { name: 'alpha', instance: of, facts: {}, wanted },
    })
  }
}

/** How an effect ended that is expected to fail. */
export const failing = (promise: Promise<unknown>) =>
  promise.then(
    () => 'succeeded',
    ({ failure }) => `${failure.reason}: ${failure.message}`,
  )
