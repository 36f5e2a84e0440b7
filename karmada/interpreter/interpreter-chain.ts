import type { Component } from '../objects/binding.js'
import type { MemberStatus, Status } from '../objects/member-status.js'
import type { Dependency } from './dependencies.js'
import type { Replicas } from './replicas.js'
import type { MaybeAnswer, ResourceInterpreter } from './resource-interpreter.js'
import type { Resource } from './workload.js'

/** Asks interpreters one after the other; the first that has a rule for the kind answers. What it throws is thrown on. */
export class InterpreterChain {
  constructor(private readonly interpreters: readonly ResourceInterpreter[]) {}

  /** Undefined for kinds without a rule for replicas. */
  replicas(resource: Resource): Promise<Replicas | undefined> {
    return this.#first(one => one.replicas(resource))
  }

  /** Undefined for kinds that have none. */
  components(resource: Resource): Promise<readonly Component[] | undefined> {
    return this.#first(one => one.components(resource))
  }

  async revise(resource: Resource, replicas: number): Promise<Resource> {
    return (await this.#first(one => one.revise(resource, replicas))) ?? resource
  }

  async retain(desired: Resource, observed: Resource): Promise<Resource> {
    return (await this.#first(one => one.retain(desired, observed))) ?? desired
  }

  /** The status of the template; undefined for kinds whose template keeps its status. @param now RFC 3339 */
  aggregate(template: Resource, members: readonly MemberStatus[], now: string): Promise<Status | undefined> {
    return this.#first(one => one.aggregate(template, members, now))
  }

  /** Undefined for kinds that need nothing. */
  dependencies(resource: Resource): Promise<readonly Dependency[] | undefined> {
    return this.#first(one => one.dependencies(resource))
  }

  /** Undefined where there is nothing to report. */
  reflect(resource: Resource): Promise<Status | undefined> {
    return this.#first(one => one.reflect(resource))
  }

  /** Undefined for kinds without a rule for health. */
  health(resource: Resource): Promise<boolean | undefined> {
    return this.#first(one => one.health(resource))
  }

  /** Whether a kind has a rule for health. */
  readonly knowsHealth = (kind: { readonly apiVersion: string; readonly kind: string }): boolean =>
    this.interpreters.some(one => one.knowsHealth(kind))

  async #first<T>(ask: (interpreter: ResourceInterpreter) => MaybeAnswer<T>): Promise<T | undefined> {
    for (const interpreter of this.interpreters) {
      const answer = await ask(interpreter)
      if (answer) return answer.value
    }
    return undefined
  }
}
