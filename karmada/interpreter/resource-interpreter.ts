import type { Component } from '../objects/binding.js'
import type { MemberStatus, Status } from '../objects/member-status.js'
import type { Dependency } from './dependencies.js'
import type { Replicas } from './replicas.js'
import type { Resource } from './workload.js'

/** An answer of an interpreter that has one for the kind; its value may be nothing. */
export interface Answer<T> {
  readonly value: T
}

/** An interpreter's answer; undefined where it has no rule for the kind, and the next interpreter is asked. */
export type MaybeAnswer<T> = Answer<T> | undefined | Promise<Answer<T> | undefined>

/**
 * Knows how objects of some kinds are to be read and written (Karmada's resource interpreter). Karmada has four: customizations with
 * Lua scripts, webhooks, rules for well-known third-party kinds, and rules for native kinds.
 */
export interface ResourceInterpreter {
  /** `InterpretReplica`. */
  replicas(resource: Resource): MaybeAnswer<Replicas>
  /** `InterpretComponent`. */
  components(resource: Resource): MaybeAnswer<readonly Component[]>
  /** `ReviseReplica`. */
  revise(resource: Resource, replicas: number): MaybeAnswer<Resource>
  /** `Retain`. */
  retain(desired: Resource, observed: Resource): MaybeAnswer<Resource>
  /** `AggregateStatus`: the status that the template gets. @param now RFC 3339 */
  aggregate(
    template: Resource,
    members: readonly MemberStatus[],
    now: string,
  ): MaybeAnswer<Status | undefined>
  /** `InterpretDependency`. */
  dependencies(resource: Resource): MaybeAnswer<readonly Dependency[]>
  /** `InterpretStatus`. */
  reflect(resource: Resource): MaybeAnswer<Status | undefined>
  /** `InterpretHealth`. */
  health(resource: Resource): MaybeAnswer<boolean>
  /** Whether there is a rule for the health of a kind. */
  knowsHealth(kind: { readonly apiVersion: string; readonly kind: string }): boolean
}
