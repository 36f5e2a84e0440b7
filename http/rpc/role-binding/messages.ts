import { isDelivered, type StoredBinding } from '../../../manifests/delivered-binding.js'
import type { InstanceRole, InstanceRoleBinding, Subject } from '../../../manifests/instance-role-binding.js'
import type { WorkspaceRoleBinding } from '../../../manifests/workspace-role-binding.js'
import type {
  InstanceRoleBinding as InstanceMessage,
  WorkspaceRoleBinding as WorkspaceMessage,
} from '../../../proto/gen/kairship/rolebinding_pb.js'
import { type RolePlaces, roleWarnings } from '../../identity/role-places.js'
import { conditionMessage } from '../instance/message.js'

/** What both kinds of messages have of a binding. */
function messageOf({ metadata, spec, status, ...binding }: StoredBinding, places: RolePlaces) {
  const { name, resourceVersion = '', creationTimestamp } = metadata
  return {
    ...{ name, resourceVersion, role: spec.role },
    subjects: spec.subjects.map(({ kind, name, namespace = '' }) => ({ kind, name, namespace })),
    expiresAt: spec.expiresAt ?? '',
    reason: spec.reason ?? '',
    delivered: isDelivered({ metadata, spec, ...binding } as StoredBinding),
    creationTimestamp: BigInt(Date.parse(creationTimestamp ?? '') || 0),
    warnings: [...roleWarnings(spec, places)],
    conditions: (status?.conditions ?? []).map(conditionMessage),
  }
}

/** An InstanceRoleBinding as messages have it. */
export const instanceMessageOf = (binding: InstanceRoleBinding, places: RolePlaces) => ({
  ...messageOf(binding, places),
  instance: binding.spec.instance,
  namespaces: [...(binding.spec.namespaces ?? [])],
})

/** A WorkspaceRoleBinding as messages have it. */
export const workspaceMessageOf = (binding: WorkspaceRoleBinding, places: RolePlaces) => ({
  ...messageOf(binding, places),
  workspace: binding.spec.workspace,
})

/** What a message says of a binding beside what it is about. The host checks it. */
export function changeOf(message: InstanceMessage | WorkspaceMessage) {
  const namespaces = 'namespaces' in message ? message.namespaces : []
  return {
    subjects: message.subjects.map(
      ({ kind, name, namespace }) => ({ kind, name, ...(namespace && { namespace }) }) as Subject,
    ),
    ...(namespaces.length > 0 && { namespaces }),
    ...(message.expiresAt && { expiresAt: message.expiresAt }),
    ...(message.reason && { reason: message.reason }),
  }
}

const created = { apiVersion: 'kairship.io/v1alpha1' } as const

/** The object that a message asks to create. */
export const instanceBindingOf = (message: InstanceMessage): InstanceRoleBinding => ({
  ...created,
  kind: 'InstanceRoleBinding',
  metadata: { name: message.name },
  spec: { instance: message.instance, role: message.role as InstanceRole, ...changeOf(message) },
})

/** The object that a message asks to create. */
export const workspaceBindingOf = (message: WorkspaceMessage): WorkspaceRoleBinding => ({
  ...created,
  kind: 'WorkspaceRoleBinding',
  metadata: { name: message.name },
  spec: { workspace: message.workspace, role: message.role as InstanceRole, ...changeOf(message) },
})
