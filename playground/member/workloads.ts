import type { KubeObject } from '../../manifests/kube.js'
import type { PodTemplate } from '../objects/core.js'

/** apps/v1 Deployment, the parts the simulation reads. */
export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number
    readonly paused?: boolean
    readonly selector: object
    readonly template: PodTemplate
  }
  readonly status?: Readonly<Record<string, unknown>>
}

/** apps/v1 ReplicaSet, the parts the simulation reads. */
export interface ReplicaSet extends KubeObject {
  readonly spec: { readonly replicas?: number; readonly selector: object; readonly template: PodTemplate }
  readonly status?: {
    readonly replicas?: number
    readonly readyReplicas?: number
    readonly observedGeneration?: number
  }
}

/** True when the object is controlled by the one with this uid. */
export const isControlledBy = ({ metadata }: KubeObject, uid: string | undefined): boolean =>
  metadata.ownerReferences?.some(owner => owner.controller && owner.uid === uid) ?? false

/** The reference that makes `owner` the controller of what carries it. */
export const controllerReference = ({ apiVersion, kind, metadata }: KubeObject) => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
})
