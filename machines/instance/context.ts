import type { Instance } from '../../manifests/instance.js'
import type { InstanceState } from '../../ports/fleet.js'
import type { Facts } from './facts.js'
import type { Reconciler, Task, Work } from './task.js'

/** What each reconciler should make true now, spelled so that any difference that matters changes it; undefined: nothing. */
export type Wanted = Partial<Record<Reconciler, string>>

/** The context of an instance actor: what was observed, what is being done, and what follows from both. */
export interface InstanceContext {
  readonly name: string
  /** The CR as last observed. */
  readonly instance: Instance
  /** Whether this replica acts, as the supervisor last said. */
  readonly leading: boolean
  /** The public state that the chart is in, for the status; the chart is the truth and an invariant holds the two together. */
  readonly phase: InstanceState
  readonly facts: Facts
  readonly work: Partial<Record<Task, Work>>
  /** What should be, given all of the above. */
  readonly wanted: Wanted
}
