import type { AccessRequest } from '../../../karmada/rbac/policy-rule.js'
import type { RbacObjects } from '../../../karmada/rbac/rbac-objects.js'
import { accountUser, type RbacSubject } from '../../../karmada/rbac/subject.js'
import { MASTERS, subjectsWith } from '../../../karmada/rbac/walk.js'
import type { RoleBindings } from '../../../ports/role-bindings.js'
import type { Action } from '../../identity/authorize.js'
import { includes } from '../../identity/role-rights.js'
import { type Grant, grantOf } from './link.js'

/** Somebody whom RBAC lets do something, by which bindings, and whether a role lets it through Kairship. */
export interface SubjectWithAccess {
  readonly subject: RbacSubject
  readonly grants: readonly Grant[]
  readonly passesKairship: boolean
}

/** What no list of subjects can know. */
export const UNKNOWN_HERE: readonly string[] = [
  `members of groups are known to issuers and certificates alone; those of ${MASTERS} may do everything and are not listed`,
  'other authorizers than RBAC (webhooks, nodes) are not looked at',
  'a subject that passes Kairship by RBAC on the host, or by a group, is not marked so',
]

/** Everybody whom the RBAC of a control plane lets do something, by kind and name. */
export function accessSubjects(
  rbac: RbacObjects,
  request: AccessRequest,
  kairship: {
    readonly instance: string
    readonly action: Action | undefined
    readonly roleBindings: RoleBindings
  },
): readonly SubjectWithAccess[] {
  const bySubject = new Map<string, { readonly subject: RbacSubject; readonly grants: Grant[] }>()
  for (const found of subjectsWith(rbac, request)) {
    const { kind, name } = found.subject
    const namespace = found.subject.namespace || found.binding.metadata.namespace
    const subject = kind === 'ServiceAccount' && namespace ? { kind, name, namespace } : { kind, name }
    const key = JSON.stringify([kind, name, 'namespace' in subject ? subject.namespace : ''])
    const known = bySubject.get(key) ?? { subject, grants: [] }
    known.grants.push(grantOf(found))
    bySubject.set(key, known)
  }
  return [...bySubject]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { subject, grants }]) => ({ subject, grants, passesKairship: passes(subject, kairship) }))
}

function passes(
  { kind, name, namespace = '' }: RbacSubject,
  {
    instance,
    action,
    roleBindings,
  }: { readonly instance: string; readonly action: Action | undefined; readonly roleBindings: RoleBindings },
): boolean {
  if (!action || 'path' in action) return false
  const holder =
    kind === 'Group'
      ? { user: '', groups: [name] }
      : { user: kind === 'ServiceAccount' ? accountUser(namespace, name) : name, groups: [] }
  for (const { spec } of roleBindings.givenTo(instance, holder))
    if (includes(spec.role, spec.namespaces === undefined ? 'instance' : 'namespaces', action)) return true
  return false
}
