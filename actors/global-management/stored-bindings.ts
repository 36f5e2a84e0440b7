import { SEQUENCE_ANNOTATION, type StoredBinding } from '../../manifests/delivered-binding.js'
import { INSTANCE_ROLE_BINDINGS } from '../../manifests/instance-role-binding.js'
import type { GroupVersionResource } from '../../manifests/kube.js'
import { WORKSPACE_ROLE_BINDINGS } from '../../manifests/workspace-role-binding.js'
import { ForeignBindingError } from '../../ports/role-binding-deliveries.js'
import { fingerprint } from '../host/kept-object.js'

/** The type that a stored binding is of. */
export const typeOf = ({ kind }: StoredBinding): GroupVersionResource =>
  kind === 'WorkspaceRoleBinding' ? WORKSPACE_ROLE_BINDINGS : INSTANCE_ROLE_BINDINGS

/** A stored binding with a part of its spec changed by what a sequence says. */
export const changed = (
  { status: _, ...stored }: StoredBinding,
  sequence: number,
  spec: Partial<StoredBinding['spec']>,
): StoredBinding =>
  ({
    ...stored,
    metadata: {
      ...stored.metadata,
      annotations: { ...stored.metadata.annotations, [SEQUENCE_ANNOTATION]: `${sequence}` },
    },
    spec: { ...stored.spec, ...spec },
  }) as StoredBinding

/** Whether two bindings of one name give the same. */
export const isSame = (one: StoredBinding, other: StoredBinding): boolean =>
  fingerprint(one.spec) === fingerprint(other.spec)

/** Whether one gives another role, or on something else, than another of its name. */
export const isRebound = (one: StoredBinding, other: StoredBinding): boolean =>
  fingerprint(aboutOf(one)) !== fingerprint(aboutOf(other))
const aboutOf = ({ spec }: StoredBinding) => ({
  ...spec,
  namespaces: 0,
  subjects: 0,
  expiresAt: 0,
  reason: 0,
})

/** Why a binding that was not delivered is left alone. */
export const foreign = ({ kind, metadata }: StoredBinding): ForeignBindingError =>
  new ForeignBindingError(
    `the ${kind} "${metadata.name}" was not delivered: it is somebody else's and stays as it is; delete it, or use another name`,
  )
