import type { KubeObject } from '../../manifests/kube.js'

/** Any template or member object; what a kind's interpreter reads of it is typed where it is read. */
export interface Resource extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

/** `group/version Kind`, the key of every table here. */
export const typeOf = ({ apiVersion, kind }: KubeObject): string => `${apiVersion} ${kind}`

/** core/v1 PodSpec, as far as Karmada reads it. */
export interface PodSpec {
  readonly containers?: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly ephemeralContainers?: readonly Container[]
  readonly volumes?: readonly Volume[]
  readonly imagePullSecrets?: readonly Named[]
  readonly serviceAccountName?: string
  readonly nodeName?: string
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly tolerations?: readonly unknown[]
  readonly affinity?: {
    readonly nodeAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: unknown }
  }
  readonly overhead?: ResourceList
  readonly priorityClassName?: string
}

export type ResourceList = Readonly<Record<string, string | number>>
export interface Named {
  readonly name?: string
}

export interface Container {
  readonly name?: string
  readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList }
  readonly envFrom?: readonly { readonly secretRef?: Named; readonly configMapRef?: Named }[]
  readonly env?: readonly {
    readonly valueFrom?: { readonly secretKeyRef?: Named; readonly configMapKeyRef?: Named }
  }[]
  readonly volumeMounts?: readonly unknown[]
}

/** core/v1 Volume: one of these sources is set. */
export interface Volume {
  readonly name: string
  readonly configMap?: Named
  readonly secret?: { readonly secretName?: string }
  readonly persistentVolumeClaim?: { readonly claimName?: string }
  readonly projected?: {
    readonly sources?: readonly { readonly secret?: Named; readonly configMap?: Named }[]
  }
  readonly azureFile?: { readonly secretName?: string }
  readonly csi?: { readonly nodePublishSecretRef?: Named }
  readonly cephfs?: WithSecret
  readonly cinder?: WithSecret
  readonly flexVolume?: WithSecret
  readonly iscsi?: WithSecret
  readonly rbd?: WithSecret
  readonly scaleIO?: WithSecret
  readonly storageos?: WithSecret
}

interface WithSecret {
  readonly secretRef?: Named
}

interface PodTemplated {
  readonly template?: { readonly spec?: PodSpec }
  readonly jobTemplate?: { readonly spec?: { readonly template?: { readonly spec?: PodSpec } } }
}

/** Where each kind says what its pods are. */
const podSpecs: Readonly<Record<string, (spec: PodTemplated) => PodSpec | undefined>> = {
  'apps/v1 Deployment': ({ template }) => template?.spec,
  'apps/v1 ReplicaSet': ({ template }) => template?.spec,
  'apps/v1 StatefulSet': ({ template }) => template?.spec,
  'apps/v1 DaemonSet': ({ template }) => template?.spec,
  'batch/v1 Job': ({ template }) => template?.spec,
  'batch/v1 CronJob': ({ jobTemplate }) => jobTemplate?.spec?.template?.spec,
  'v1 Pod': spec => spec as PodSpec,
}

/** The pods of a workload; undefined for kinds without. */
export function podSpecOf(resource: Resource): PodSpec | undefined {
  const find = podSpecs[typeOf(resource)]
  return find && (find((resource.spec ?? {}) as PodTemplated) ?? {})
}
