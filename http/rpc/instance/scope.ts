import type { InstanceRole as Role } from '../../../manifests/instance-role-binding.js'
import { dns1123Label } from '../../../manifests/name-format.js'
import { isReservedNamespace } from '../../../manifests/reserved-namespaces.js'
import {
  type CreateInstanceScopedKubeConfigRequest,
  InstanceRole,
} from '../../../proto/gen/kairship/instance_pb.js'
import { invalidFields } from '../../errors/failure.js'
import type { Scope } from './issued-account.js'

const ROLES: Readonly<Record<InstanceRole, Role | undefined>> = {
  [InstanceRole.UNSPECIFIED]: undefined,
  [InstanceRole.VIEWER]: 'Viewer',
  [InstanceRole.EDITOR]: 'Editor',
  [InstanceRole.ADMIN]: 'Admin',
}
/** Each namespace is one request to the control plane. */
const MOST_NAMESPACES = 50

/**
 * The role and namespaces of a request, each namespace once.
 * @throws Failure INVALID_ARGUMENT naming the fields
 */
export function scopeOf(
  request: Pick<CreateInstanceScopedKubeConfigRequest, 'role' | 'namespaces'>,
): Exclude<Scope, string> {
  const namespaces = [...new Set(request.namespaces)]
  const role = ROLES[request.role]
  const violations = [
    ...(role ? [] : [{ field: 'role', description: `is missing: it must be ${names.join(', ')}` }]),
    ...(namespaces.length > MOST_NAMESPACES
      ? [{ field: 'namespaces', description: `has ${namespaces.length} names: at most ${MOST_NAMESPACES}` }]
      : []),
    ...request.namespaces.flatMap((name, index) =>
      [
        ...dns1123Label(name),
        ...(role === 'Admin' && isReservedNamespace(name)
          ? [
              `is ${name}: an Admin there could take rights on the whole instance; use CreateInstanceAdminKubeConfig for those`,
            ]
          : []),
      ].map(description => ({ field: `namespaces[${index}]`, description })),
    ),
  ]
  if (!role || violations.length > 0) throw invalidFields(violations)
  return { role, namespaces }
}

const names = ['VIEWER', 'EDITOR', 'ADMIN'].map(name => `INSTANCE_ROLE_${name}`)
