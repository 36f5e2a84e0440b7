import type { KubeObject } from '../../manifests/kube.js'
import type { ResourceSelector } from './override-policy.js'
import type { Placement } from './placement.js'

/** policy.karmada.io/v1alpha1 PropagationPolicy or ClusterPropagationPolicy. */
export interface PropagationPolicy extends KubeObject {
  readonly spec: PropagationSpec
}

export interface PropagationSpec {
  readonly resourceSelectors: readonly ResourceSelector[]
  readonly placement: Placement
  /** Higher wins; 0 unless set. */
  readonly priority?: number
  /** `Always` takes templates over from policies of lower priority, where the control plane allows that. */
  readonly preemption?: 'Always' | 'Never'
  /** Override policies that must be there before anything is propagated. */
  readonly dependentOverrides?: readonly string[]
  readonly propagateDeps?: boolean
  readonly schedulerName?: string
  /** Whose priority the bindings of namespaced templates get. */
  readonly schedulePriority?: {
    readonly priorityClassSource: 'KubePriorityClass'
    readonly priorityClassName: string
  }
  readonly conflictResolution?: 'Abort' | 'Overwrite'
  /** `Lazy`: changes of the policy wait for the next change of the template. */
  readonly activationPreference?: 'Lazy'
  readonly preserveResourcesOnDeletion?: boolean
  readonly suspension?: Readonly<Record<string, unknown>>
  readonly failover?: Failover
}

/** What happens to a template whose cluster or whose application fails. */
export interface Failover {
  readonly application?: {
    readonly decisionConditions: { readonly tolerationSeconds?: number }
    readonly purgeMode?: PurgeMode
    readonly gracePeriodSeconds?: number
    readonly statePreservation?: StatePreservation
  }
  readonly cluster?: { readonly purgeMode?: PurgeMode; readonly statePreservation?: StatePreservation }
}

/** Which parts of an application's status become labels of the application in its next cluster. */
export interface StatePreservation {
  readonly rules?: readonly { readonly aliasLabelName: string; readonly jsonPath: string }[]
}

export type PurgeMode = 'Directly' | 'Gracefully' | 'Never'
