import { aggregatedStatus } from './aggregate-status.js'
import { componentsOf } from './components.js'
import { dependenciesOf, hasDependencies } from './dependencies.js'
import { isHealthy, knowsHealth } from './health.js'
import { reflectedStatus } from './reflect-status.js'
import { replicasOf, withReplicas } from './replicas.js'
import type { Answer, ResourceInterpreter } from './resource-interpreter.js'
import { retained } from './retain.js'

const answered = <T>(value: T | undefined): Answer<T> | undefined =>
  value === undefined ? undefined : { value }

/** Karmada's rules for well-known third-party kinds, as far as they are here: their components. */
export const thirdPartyInterpreter: ResourceInterpreter = {
  replicas: () => undefined,
  components: resource => answered(componentsOf(resource)),
  revise: () => undefined,
  retain: () => undefined,
  aggregate: () => undefined,
  dependencies: () => undefined,
  reflect: () => undefined,
  health: () => undefined,
  knowsHealth: () => false,
}

/** Karmada's rules for native kinds. For kinds of which it knows nothing, objects are written as they are and reported whole. */
export const nativeInterpreter: ResourceInterpreter = {
  replicas: resource => answered(replicasOf(resource)),
  components: () => undefined,
  revise: (resource, replicas) => ({ value: withReplicas(resource, replicas) }),
  retain: (desired, observed) => ({ value: retained(desired, observed) }),
  aggregate: (template, members, now) => answered(aggregatedStatus(template, members, now)),
  dependencies: resource => (hasDependencies(resource) ? { value: dependenciesOf(resource) } : undefined),
  reflect: resource => ({ value: reflectedStatus(resource) }),
  health: resource => answered(isHealthy(resource)),
  knowsHealth,
}
