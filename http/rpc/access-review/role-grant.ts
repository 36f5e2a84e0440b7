import type { InstanceRole, Subject } from '../../../manifests/instance-role-binding.js'
import type { AccessSubject } from '../../../proto/gen/kairship/access_review_pb.js'
import { type FieldViolation, invalidFields } from '../../errors/failure.js'
import { isPathSegment, noPathSegment } from '../../operation/path-segment.js'

/** What a role binding would say, whatever it is on. */
export interface ProposedGrant {
  readonly role: InstanceRole
  readonly subjects: readonly Subject[]
  /** Absent for all that it is on. */
  readonly namespaces?: readonly string[]
}

const ROLES: readonly string[] = ['Admin', 'Editor', 'Viewer'] satisfies readonly InstanceRole[]
const KINDS: readonly string[] = ['User', 'Group', 'ServiceAccount'] satisfies readonly Subject['kind'][]
const MOST_NAMESPACES = 256

/** The name of a binding that has none yet. A colon is in no name of an object, so that it is no other binding's. */
export const NEW_BINDING = 'preview:new'

/** @throws Failure INVALID_ARGUMENT naming each field that the CRD would refuse */
export function proposedGrant({
  role,
  subjects,
  namespaces = [],
}: {
  readonly role: string
  readonly subjects: readonly Pick<AccessSubject, 'kind' | 'name' | 'namespace'>[]
  readonly namespaces?: readonly string[]
}): ProposedGrant {
  const violations: FieldViolation[] = []
  const wrong = (field: string, description: string) =>
    violations.push({ field: `grant.${field}`, description })
  if (!ROLES.includes(role))
    wrong('role', `is ${JSON.stringify(role)}: it must be one of ${ROLES.join(', ')}`)
  if (namespaces.length > MOST_NAMESPACES)
    wrong('namespaces', `has ${namespaces.length}: a binding has ${MOST_NAMESPACES} at most`)
  for (const namespace of namespaces)
    if (namespace === '' || !isPathSegment(namespace))
      wrong('namespaces', namespace === '' ? 'has an empty name' : noPathSegment(namespace))
  if (subjects.length === 0) wrong('subjects', 'is empty: a binding has a subject at least')
  for (const subject of subjects) {
    if (!KINDS.includes(subject.kind))
      wrong('subjects', `has the kind ${JSON.stringify(subject.kind)}: it must be one of ${KINDS.join(', ')}`)
    if (subject.name === '') wrong('subjects', 'has an empty name')
    if ((subject.kind === 'ServiceAccount') !== (subject.namespace !== ''))
      wrong('subjects', 'has a namespace where it is a ServiceAccount, and only there')
  }
  if (violations.length > 0) throw invalidFields(violations)
  return {
    role: role as InstanceRole,
    subjects: subjects.map(({ kind, name, namespace }) => ({
      ...{ kind: kind as Subject['kind'], name },
      ...(namespace !== '' && { namespace }),
    })),
    ...(namespaces.length > 0 && { namespaces }),
  }
}
