import type { Instance } from '../../manifests/instance.js'
import type { Failure } from '../failure.js'
import type { Facts } from './facts.js'

/** What is kept true while an instance is managed. Each is an effect that may run again and again. */
export type Reconciler =
  | 'finalizer'
  | 'installation'
  | 'virtualCluster'
  | 'registration'
  | 'roleBindings'
  | 'status'

/** What is done once on the way out, in this order. Each may run twice. */
export type TeardownStep =
  | 'unpublishing'
  | 'removingRoleBindings'
  | 'deletingVirtualCluster'
  | 'uninstalling'
  | 'releasing'

/** Anything an instance does outside. */
export type Task = Reconciler | TeardownStep

/** The teardown steps in their order. */
export const TEARDOWN_STEPS: readonly TeardownStep[] = [
  'unpublishing',
  'removingRoleBindings',
  'deletingVirtualCluster',
  'uninstalling',
  'releasing',
]

/** What each task does, in words: `is adding the finalizer`, `adding the finalizer failed`. */
export const doing: Record<Task, string> = {
  finalizer: 'adding the finalizer',
  installation: 'letting karmada-operator install the control plane',
  virtualCluster: 'making the virtual cluster as it should be',
  registration: 'publishing the registration',
  roleBindings: 'materializing the role bindings',
  status: 'writing the status',
  unpublishing: 'withdrawing the registration',
  removingRoleBindings: 'removing the role bindings',
  deletingVirtualCluster: 'deleting the virtual cluster',
  uninstalling: 'uninstalling the control plane',
  releasing: 'removing the finalizer',
}

/** Whether it is the name of a task. */
export const isTask = (name: string | undefined): name is Task => name !== undefined && name in doing

/** What an effect is given: everything, so that it decides on the whole and not on what changed. */
export interface Assignment {
  readonly name: string
  readonly instance: Instance
  readonly facts: Facts
  /** What a reconciler is to make true, as `wanted.ts` spelled it; empty for a teardown step. */
  readonly wanted: string
  /** What earlier teardown steps could not remove, a sentence each; for the last step. */
  readonly leftBehind?: readonly string[]
}

/** How one task is going. */
export interface Work {
  /** Failures in a row. */
  readonly attempts: number
  /** What was wanted when it was last tried. */
  readonly tried?: string
  /** The revision that the last success left behind, as our watch will show it. */
  readonly outcome?: string
  /** Why the last try failed; absent after a success. */
  readonly failure?: Failure
  /** When the present rest ends, milliseconds since the epoch; what the person on call wants to know. */
  readonly until?: number
  /** The present rest is over. */
  readonly rested?: boolean
}

/** A task that was never tried. */
export const untried: Work = { attempts: 0 }
