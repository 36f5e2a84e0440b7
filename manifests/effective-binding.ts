import type { InstanceRoleBinding } from './instance-role-binding.js'
import type { WorkspaceBinding } from './workspace.js'
import type { WorkspaceRoleBinding } from './workspace-role-binding.js'

/** A role that is given on one instance, as far as the rights that follow depend on it. */
export interface RoleGrant {
  /** Names the RBAC that is made of it inside the instance: no two of an instance have the same. */
  readonly metadata: { readonly name: string }
  readonly spec: Pick<InstanceRoleBinding['spec'], 'instance' | 'namespaces' | 'role' | 'subjects'>
}

/** Which object gives a role, and by what it reaches the instance. */
export type BindingOrigin =
  | { readonly kind: 'InstanceRoleBinding'; readonly object: InstanceRoleBinding }
  | {
      readonly kind: 'WorkspaceRoleBinding'
      readonly object: WorkspaceRoleBinding
      /** The WorkspaceBindings by which the instance, or namespaces of it, belong to the workspace. */
      readonly through: readonly WorkspaceBinding[]
    }

/** A role that is in effect on an instance, given directly or through a workspace. */
export interface EffectiveBinding extends RoleGrant {
  readonly origin: BindingOrigin
}

/** What an InstanceRoleBinding gives. */
export const directBinding = (object: InstanceRoleBinding): EffectiveBinding => ({
  metadata: { name: object.metadata.name },
  spec: object.spec,
  origin: { kind: 'InstanceRoleBinding', object },
})

/**
 * What a WorkspaceRoleBinding gives on an instance. Names of objects have no colon, so that this one is no InstanceRoleBinding's.
 * @param through what of the instance belongs to the workspace; one of the whole instance covers its namespaces too
 */
export function inheritedBinding(
  instance: string,
  object: WorkspaceRoleBinding,
  through: readonly WorkspaceBinding[],
): EffectiveBinding {
  const { role, subjects } = object.spec
  const whole = through.find(({ spec }) => spec.namespace === undefined)
  const namespaces = through.flatMap(({ spec }) => spec.namespace ?? []).sort()
  return {
    metadata: { name: `${object.metadata.name}:workspace` },
    spec: { instance, role, subjects, ...(!whole && { namespaces }) },
    origin: { kind: 'WorkspaceRoleBinding', object, through: whole ? [whole] : through },
  }
}

/** Which object gives a role, in words. */
export function originOf({ origin }: EffectiveBinding): string {
  const { kind, object } = origin
  const through =
    origin.kind === 'WorkspaceRoleBinding' ? ` of the workspace ${origin.object.spec.workspace}` : ''
  return `the ${kind} "${object.metadata.name}"${through}`
}
