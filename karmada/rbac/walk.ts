import { selectsLabels } from '../../manifests/label-selector.js'
import { type AccessRequest, type PolicyRule, ruleAllows } from './policy-rule.js'
import type { RbacBinding, RbacObjects, RbacRole } from './rbac-objects.js'
import { type Identity, isMeant, type RbacSubject } from './subject.js'

/** One binding that includes a request: whom it means, and the rule that does it. */
export interface RbacGrant {
  readonly binding: RbacBinding
  readonly subject: RbacSubject
  readonly role: RbacRole
  readonly rule: PolicyRule
  /** The ClusterRole that the rule was aggregated from, where that is another one. */
  readonly aggregatedFrom?: string
}

/** A binding that names the user and does not include the request. */
export interface NearMiss {
  readonly binding: RbacBinding
  readonly subject: RbacSubject
  /** What it lacks: the role itself, the verb on these objects, their name, or these objects. */
  readonly lacks: 'Role' | 'Verb' | 'Name' | 'Rule'
}

/** Members of this group may do everything, whatever RBAC says. */
export const MASTERS = 'system:masters'

/** What RBAC says of a request: all bindings that include it, and those that mean the identity and do not. */
export interface RbacAnswer {
  readonly grants: readonly RbacGrant[]
  readonly nearMisses: readonly NearMiss[]
}

/**
 * Walks the bindings of an API server as its RBAC authorizer does: ClusterRoleBindings, then the RoleBindings of the request's namespace.
 * It knows nothing of other authorizers (`system:masters`, nodes, webhooks).
 */
export function walkRbac(objects: RbacObjects, identity: Identity, request: AccessRequest): RbacAnswer {
  const grants: RbacGrant[] = []
  const nearMisses: NearMiss[] = []
  for (const { binding, subject, role } of boundTo(objects, identity, namespaceOf(request))) {
    const rule = role?.rules?.find(one => ruleAllows(one, request))
    if (!role || !rule) nearMisses.push({ binding, subject, lacks: role ? lackOf(role, request) : 'Role' })
    else grants.push({ binding, subject, role, rule, ...origin(objects, role, request) })
  }
  return { grants, nearMisses }
}

/** Who may do something, by the subjects of the bindings that include it. */
export function subjectsWith(objects: RbacObjects, request: AccessRequest): readonly RbacGrant[] {
  const namespace = namespaceOf(request)
  return bindingsFor(objects, namespace).flatMap(binding => {
    const role = roleOf(objects, binding)
    const rule = role?.rules?.find(one => ruleAllows(one, request))
    if (!role || !rule) return []
    const from = origin(objects, role, request)
    return (binding.subjects ?? []).map(subject => ({ binding, subject, role, rule, ...from }))
  })
}

/** Every rule that holds for a user in a namespace; with an empty one, those that hold everywhere. */
export function rulesFor(objects: RbacObjects, identity: Identity, namespace: string): readonly PolicyRule[] {
  return boundTo(objects, identity, namespace).flatMap(({ role }) => role?.rules ?? [])
}

interface Bound {
  readonly binding: RbacBinding
  readonly subject: RbacSubject
  readonly role: RbacRole | undefined
}

/** The bindings that name a user, each with its first subject that does. */
function boundTo(objects: RbacObjects, identity: Identity, namespace: string): readonly Bound[] {
  return bindingsFor(objects, namespace).flatMap(binding => {
    const subject = binding.subjects?.find(one => isMeant(one, identity, binding.metadata.namespace ?? ''))
    return subject ? [{ binding, subject, role: roleOf(objects, binding) }] : []
  })
}

/** RoleBindings count for objects of their own namespace alone. */
const bindingsFor = (
  { clusterRoleBindings, roleBindings }: RbacObjects,
  namespace: string,
): readonly RbacBinding[] => [
  ...clusterRoleBindings,
  ...(namespace === '' ? [] : roleBindings.filter(({ metadata }) => metadata.namespace === namespace)),
]

function roleOf(
  { clusterRoles, roles }: RbacObjects,
  { metadata, roleRef }: RbacBinding,
): RbacRole | undefined {
  if (roleRef.kind === 'ClusterRole') return clusterRoles.find(role => role.metadata.name === roleRef.name)
  return roles.find(
    role =>
      metadata.namespace !== undefined &&
      role.metadata.namespace === metadata.namespace &&
      role.metadata.name === roleRef.name,
  )
}

const namespaceOf = (request: AccessRequest): string => ('path' in request ? '' : request.namespace)

/** Where the rule of an aggregated ClusterRole is written down. */
function origin(
  { clusterRoles }: RbacObjects,
  { metadata, aggregationRule }: RbacRole,
  request: AccessRequest,
): Pick<RbacGrant, 'aggregatedFrom'> {
  const selectors = aggregationRule?.clusterRoleSelectors ?? []
  const from = clusterRoles.find(
    role =>
      role.metadata.name !== metadata.name &&
      selectors.some(selector => selectsLabels(selector, role.metadata.labels)) &&
      role.rules?.some(rule => ruleAllows(rule, request)),
  )
  return from ? { aggregatedFrom: from.metadata.name } : {}
}

function lackOf({ rules }: RbacRole, request: AccessRequest): NearMiss['lacks'] {
  if ('path' in request) return 'Rule'
  const all = rules ?? []
  if (all.some(rule => ruleAllows({ ...rule, resourceNames: [] }, request))) return 'Name'
  if (all.some(rule => ruleAllows({ ...rule, verbs: ['*'] }, request))) return 'Verb'
  return 'Rule'
}
