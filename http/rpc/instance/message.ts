import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import { type Instance as InstanceObject, type InstanceSpec, phaseOf } from '../../../manifests/instance.js'
import type { Condition } from '../../../manifests/kube.js'
import type { InstanceState, InstanceView, TransitionRecord } from '../../../ports/fleet.js'
import {
  type InstanceSchema,
  type InstanceSpecSchema,
  InstanceStatus_State as State,
} from '../../../proto/gen/kairship/instance_pb.js'
import type { ShownInstance } from '../../instances/instance-reading.js'
import { metadataMessage } from '../kind/object-meta.js'

type Instance = MessageInitShape<typeof InstanceSchema>

/** The contract's state for each of the machine's public states. */
export const stateOf: Readonly<Record<InstanceState, State>> = {
  registering: State.INSTANCE_STATE_INPROCESS,
  virtualClusterSynced: State.INSTANCE_STATE_INPROCESS,
  ready: State.INSTANCE_STATE_RUNNING,
  degraded: State.INSTANCE_STATE_UNAVAILABLE,
  deleting: State.INSTANCE_STATE_TERMINAL,
}

/** An instance as well as it is known. */
export const messageOf = (shown: ShownInstance): Instance =>
  shown.state === undefined ? messageOfObject(shown.instance) : messageOfView(shown)

/** An instance as its actor knows it now: fresher than the CR's status, which the leader writes back. */
export function messageOfView(view: InstanceView): Instance {
  const { instance } = view
  return {
    metadata: metadataMessage(instance.metadata),
    spec: specOf(instance.spec),
    status: {
      ...statusOf(instance),
      state: stateOf[view.state],
      phase: phaseOf(view.state),
      since: view.since,
      conditions: view.conditions.map(conditionMessage),
      ...(view.endpoint ? { endpoint: view.endpoint } : {}),
      ...(view.kubernetesVersion ? { kubernetesVersion: view.kubernetesVersion } : {}),
      ...(view.karmadaVersion ? { karmadaVersion: view.karmadaVersion } : {}),
      ...(view.summary ? { summary: view.summary } : {}),
    },
  }
}

/** An Instance object that no actor has seen yet: just created, or read past this replica's watch. */
export function messageOfObject(instance: InstanceObject): Instance {
  const deleting = instance.metadata.deletionTimestamp !== undefined
  return {
    metadata: metadataMessage(instance.metadata),
    spec: specOf(instance.spec),
    status: {
      ...statusOf(instance),
      state: deleting ? State.INSTANCE_STATE_TERMINAL : State.INSTANCE_STATE_UNKNOWN,
      conditions: (instance.status?.conditions ?? []).map(conditionMessage),
    },
  }
}

function statusOf({ status }: InstanceObject) {
  return {
    karmadaVersion: status?.karmadaVersion ?? '',
    kubernetesVersion: status?.kubernetesVersion ?? '',
    endpoint: status?.endpoint ?? '',
    controlPlaneId: status?.controlPlaneID ?? '',
    observedGeneration: BigInt(status?.observedGeneration ?? 0),
    ...(status?.summary ? { summary: status.summary } : {}),
  }
}

function specOf(spec: InstanceSpec): MessageInitShape<typeof InstanceSpecSchema> {
  const secretRef = spec.install?.hostCluster?.secretRef
  const hostCluster = secretRef
    ? { secretRef: { name: secretRef.name, namespace: secretRef.namespace } }
    : undefined
  return {
    alias: spec.alias ?? '',
    description: spec.description ?? '',
    deletionPolicy: spec.deletionPolicy ?? '',
    ...(hostCluster ? { hostCluster } : {}),
    ...(spec.kubeconfigSecretRef ? { kubeconfigSecretRef: { ...spec.kubeconfigSecretRef } } : {}),
    ...(spec.install
      ? {
          install: {
            namespace: spec.install.namespace ?? '',
            ...(hostCluster ? { hostCluster } : {}),
            ...(spec.install.karmadaSpec ? { karmadaSpec: spec.install.karmadaSpec as JsonObject } : {}),
          },
        }
      : {}),
    ...(spec.index
      ? {
          index: {
            resources: spec.index.resources.map(({ group, versions, resources }) => ({
              group,
              versions: [...(versions ?? [])],
              resources: [...resources],
            })),
          },
        }
      : {}),
  }
}

/** A condition in the API's shape; Kubernetes knows one time only, so both are it. */
export const conditionMessage = (condition: Condition) => ({
  type: condition.type,
  status: condition.status,
  reason: condition.reason,
  message: condition.message,
  lastTransitionTime: condition.lastTransitionTime,
  lastUpdateTime: condition.lastTransitionTime,
  observedGeneration: BigInt(condition.observedGeneration ?? 0),
})

/** One transition as the API shows it. */
export const transitionOf = (record: TransitionRecord) => ({
  time: record.time,
  from: record.from,
  to: record.to,
  event: record.event,
  cause: record.cause,
  ...(record.detail ? { detail: plainJson(record.detail) } : {}),
})

/** What JSON keeps of a record: a Struct holds nothing else (no undefined, no bigint, no cycles). */
export const plainJson = (record: unknown): JsonObject => JSON.parse(JSON.stringify(record)) as JsonObject
