import type { KubeObject, ObjectMeta } from '../../manifests/kube.js'

/** The parts of core and apps objects that the playground's controllers read. */

export interface Node extends KubeObject {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly NodeTaint[] }
  readonly status?: {
    readonly capacity?: Readonly<Record<string, string>>
    readonly allocatable?: Readonly<Record<string, string>>
    readonly conditions?: readonly NodeCondition[]
    readonly addresses?: readonly { readonly type: string; readonly address: string }[]
    readonly nodeInfo?: Readonly<Record<string, string>>
  }
}

/** core/v1 Taint of a node. */
export interface NodeTaint {
  readonly key: string
  readonly value?: string
  readonly effect: string
  readonly timeAdded?: string
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
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly ports?: readonly {
    readonly name?: string
    readonly containerPort: number
    readonly hostPort?: number
    readonly protocol?: string
  }[]
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>
    readonly limits?: Readonly<Record<string, string>>
  }
}

/** core/v1 NodeSelectorTerm. */
export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[]
  readonly matchFields?: readonly NodeSelectorRequirement[]
}

export interface NodeSelectorRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

/** core/v1 PodAffinityTerm. */
export interface PodAffinityTerm {
  readonly labelSelector?: object
  readonly topologyKey: string
  readonly namespaces?: readonly string[]
}

/** core/v1 Toleration. */
export interface PodToleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

export interface PodVolume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string }
}

export interface PodSpec {
  readonly nodeName?: string
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly restartPolicy?: string
  readonly hostname?: string
  readonly subdomain?: string
  readonly schedulerName?: string
  readonly schedulingGates?: readonly { readonly name: string }[]
  readonly terminationGracePeriodSeconds?: number
  readonly tolerations?: readonly PodToleration[]
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: {
        readonly nodeSelectorTerms: readonly NodeSelectorTerm[]
      }
    }
    readonly podAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[]
    }
    readonly podAntiAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[]
    }
  }
  readonly volumes?: readonly PodVolume[]
  readonly containers?: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly overhead?: Readonly<Record<string, string>>
}

/** core/v1 ContainerStatus. */
export interface ContainerStatus {
  readonly name: string
  readonly image: string
  readonly imageID: string
  readonly ready: boolean
  readonly started: boolean
  readonly restartCount: number
  readonly state: Readonly<Record<string, unknown>>
  readonly lastState: Readonly<Record<string, unknown>>
}

export interface PodStatus {
  readonly phase?: string
  readonly reason?: string
  readonly message?: string
  readonly qosClass?: string
  readonly podIP?: string
  readonly podIPs?: readonly { readonly ip: string }[]
  readonly hostIP?: string
  readonly hostIPs?: readonly { readonly ip: string }[]
  readonly startTime?: string
  readonly conditions?: readonly NodeCondition[]
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly initContainerStatuses?: readonly ContainerStatus[]
}

export interface Pod extends KubeObject {
  readonly spec?: PodSpec
  readonly status?: PodStatus
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
