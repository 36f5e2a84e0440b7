import type { ContractOperation } from '../proto/sample.js'

/** The scenarios of one service. */
export interface ServiceScenarios {
  /** As in operation ids: `Networking`. */
  readonly service: string
  readonly scenarios: readonly Scenario[]
}

/** One story over real objects. It fails by throwing. */
export interface Scenario {
  /** The rpcs that it proves: each is called, and without its effect the story fails. */
  readonly proves: readonly string[]
  /** It changes what other scenarios see, of the instance as a whole: none may run at the same time. */
  readonly alone?: boolean
  run(stage: Stage): Promise<void>
}

/** What a scenario acts on. */
export interface Stage {
  /** A running instance with one member. */
  readonly instance: string
  readonly member: string
  /** A namespace of this run alone, in the instance; nobody has put anything into it. */
  readonly namespace: string
  /** A text that no other run has, for names of what has no namespace. */
  readonly unique: string
  /**
   * Calls an operation of the service with its parameters by their names: those of the path, of the query, and for a body
   * all that is left. `instance`, `cluster` and `namespace` are those of the stage unless given. Validates the answer.
   * @throws Error for an answer other than 200, or one that the contract's schema does not allow
   */
  ask<T = Answer>(rpc: string, parameters?: Readonly<Record<string, unknown>>): Promise<T>
  /** The same of a call that must be refused: its HTTP status. */
  refused(rpc: string, parameters?: Readonly<Record<string, unknown>>): Promise<number>
  /** The instance's own API as its administrator, and the member's, past Kairship. */
  readonly karmada: Direct
  readonly inMember: Direct
  /** The host's API as its administrator. */
  readonly host: Direct
  /** Text of an administrator's kubeconfig of a cluster that has joined nothing. */
  readonly kubeconfig: string
  /** Repeats a check until it holds, with the last failure where it never does. */
  eventually<T>(check: () => Promise<T>): Promise<T>
}

// biome-ignore lint/suspicious/noExplicitAny: scenarios look into answers freely
export type Answer = any

/** One request past Kairship. */
export type Direct = <T = Answer>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<T>

/** `Networking_GetIngress`, as the contract's operationIds are. */
export const idOf = ({ service, rpc }: Pick<ContractOperation, 'service' | 'rpc'>): string =>
  `${service}_${rpc}`
