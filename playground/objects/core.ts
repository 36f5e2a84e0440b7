import type { KubeObject, ObjectMeta } from '../../manifests/kube.js'

/** The parts of core and apps objects that the playground's controllers read. */

export interface Node extends KubeObject {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly unknown[] }
  readonly status?: {
    readonly capacity?: Readonly<Record<string, string>>
    readonly allocatable?: Readonly<Record<string, string>>
    readonly conditions?: readonly NodeCondition[]
  }
}

export interface NodeCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
  readonly lastHeartbeatTime?: string
  readonly lastTransitionTime?: string
}

export interface Container {
  readonly name: string
  readonly image?: string
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>
    readonly limits?: Readonly<Record<string, string>>
  }
}

export interface PodSpec {
  readonly nodeName?: string
  readonly containers?: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly overhead?: Readonly<Record<string, string>>
}

export interface Pod extends KubeObject {
  readonly spec?: PodSpec
  readonly status?: { readonly phase?: string; readonly conditions?: readonly NodeCondition[] }
}

/** The template of a workload's pods. */
export interface PodTemplate {
  readonly metadata?: Partial<ObjectMeta>
  readonly spec?: PodSpec
}

export interface Namespace extends KubeObject {
  readonly status?: { readonly phase?: 'Active' | 'Terminating' }
}

/** core/v1 Secret; values are base64. */
export interface Secret extends KubeObject {
  readonly type?: string
  readonly data?: Readonly<Record<string, string>>
}

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}
