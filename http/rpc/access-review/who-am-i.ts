import type { MessageInitShape } from '@bufbuild/protobuf'
import { isMeant } from '../../../karmada/rbac/subject.js'
import type { EffectiveBinding } from '../../../manifests/effective-binding.js'
import type { RoleBindings } from '../../../ports/role-bindings.js'
import {
  CallerCredential_Source,
  type CallerRoleSchema,
  type WhoAmIResponseSchema,
} from '../../../proto/gen/kairship/access_review_pb.js'
import type { Call } from '../../call/call.js'
import type { Caller } from '../../identity/caller.js'
import { type CredentialSource, sourceOf } from '../../identity/credential.js'
import { subjectMessage } from './messages.js'

/** Roles in one answer: a group may have one on each instance of a fleet. */
const MOST_ROLES = 1_000

/** What roles are read from, and for how long they count while the host is silent, milliseconds. */
export interface RolesOfCallers {
  readonly roleBindings: RoleBindings
  readonly graceMs: number
}

/** Whom Kairship takes a caller for, and the roles that the caller has. Instances that a lock closes to the caller are left out. */
export function whoAmI(
  { roleBindings, graceMs }: RolesOfCallers,
  { caller, isOpen }: Pick<Call, 'caller' | 'isOpen'>,
): MessageInitShape<typeof WhoAmIResponseSchema> {
  const { user, uid = '', groups, credential = {} } = caller
  const { instance: only } = credential
  const silent = roleBindings.silentForMs > graceMs
  const held = silent ? [] : distinct(roleBindings.heldBy(caller))
  const roles = held
    .filter(({ spec: { instance } }) => (only === undefined || instance === only) && isOpen(instance))
    .sort(byInstance)
  const notes = [
    ...(silent
      ? [
          `the host has not been heard for ${Math.round(roleBindings.silentForMs / 1_000)} s: roles do not count until it is`,
        ]
      : []),
    ...(only === undefined ? [] : [`the token is for the instance ${JSON.stringify(only)} alone`]),
    'rights by RBAC on the host, and inside instances past Kairship, are not listed: ask about one of them (kairship can-i, ExplainAccess)',
  ]
  return {
    ...{ user, uid, groups: [...groups], notes, totalRoles: roles.length },
    credential: {
      source: SOURCES[sourceOf(caller)],
      ...{ issuer: credential.issuer ?? '', instance: only ?? '', id: credential.id ?? '' },
      expiresAt: BigInt(Math.floor(credential.expiresAt ?? 0)),
    },
    roles: roles.slice(0, MOST_ROLES).map(role => roleMessage(caller, role)),
  }
}

const SOURCES: Readonly<Record<CredentialSource, CallerCredential_Source>> = {
  unknown: CallerCredential_Source.SOURCE_UNSPECIFIED,
  certificate: CallerCredential_Source.CERTIFICATE,
  issuer: CallerCredential_Source.ISSUER,
  host: CallerCredential_Source.HOST,
  kairship: CallerCredential_Source.KAIRSHIP,
}

/** A binding may name the caller and several of its groups. */
function distinct(bindings: Iterable<EffectiveBinding>): EffectiveBinding[] {
  const byKey = new Map<string, EffectiveBinding>()
  for (const binding of bindings) byKey.set(keyOf(binding), binding)
  return [...byKey.values()]
}

/** No instance, and no two kinds of bindings, has one name twice; neither name has a slash. */
const keyOf = ({ spec, metadata }: EffectiveBinding): string => `${spec.instance}/${metadata.name}`

const byInstance = (one: EffectiveBinding, other: EffectiveBinding): number =>
  keyOf(one) < keyOf(other) ? -1 : 1

function roleMessage(
  caller: Caller,
  { spec, origin }: EffectiveBinding,
): MessageInitShape<typeof CallerRoleSchema> {
  const { instance, role, namespaces = [], subjects } = spec
  const subject = subjects.find(one => isMeant(one, caller, ''))
  return {
    ...{ instance, role, namespaces: [...namespaces] },
    ...(subject && { subject: subjectMessage(subject) }),
    ...{ bindingKind: origin.kind, bindingName: origin.object.metadata.name },
    workspace: origin.kind === 'WorkspaceRoleBinding' ? origin.object.spec.workspace : '',
    expiresAt: origin.object.spec.expiresAt ?? '',
  }
}
