import type { Component } from '../objects/binding.js'
import { componentsOf } from './components.js'
import { type Replicas, replicasOf } from './replicas.js'
import type { Resource } from './workload.js'

/** How many pods a template wants: of several components, or else of one kind; neither for what has no pods. */
export interface Counted {
  readonly components?: readonly Component[] | undefined
  readonly replicas?: Replicas | undefined
}

/** What Karmada's own rules say of a template. @throws QuantityError where a resource is no quantity */
export function countedNatively(template: Resource): Counted {
  const components = componentsOf(template)
  return components ? { components } : { replicas: replicasOf(template) }
}
