import { type JsonObject, listAt, stringAt } from '../../apimachinery/json.js'
import { type Authorizer, type PolicyRule, policyRule, RBAC_COLLECTIONS } from '../access/authorizer.js'
import { MASTERS, type User } from '../access/user.js'
import { forbidden, notFound } from '../api-status.js'
import type { Target } from '../operations/target.js'

/**
 * A user grants only rights they hold: a role's rules, or those of the role a binding names, must be covered by the
 * writer's own, unless the writer may `escalate` the role or `bind` it.
 * @throws StatusError 403 naming what is missing
 */
export function refuseEscalation(target: Target, object: JsonObject, user: User): void {
  if (user.groups.includes(MASTERS)) return
  const { collection } = target.type
  const { authorizer } = target.cluster
  if (collection === RBAC_COLLECTIONS.roles || collection === RBAC_COLLECTIONS.clusterRoles) {
    if (may(authorizer, user, 'escalate', target.definition.plural, target.namespace, target.name)) return
    check(target, object, listAt(object, 'rules').map(policyRule), user)
  } else if (
    collection === RBAC_COLLECTIONS.roleBindings ||
    collection === RBAC_COLLECTIONS.clusterRoleBindings
  ) {
    const kind = stringAt(object, 'roleRef', 'kind')
    const name = stringAt(object, 'roleRef', 'name')
    const plural = kind === 'ClusterRole' ? 'clusterroles' : 'roles'
    if (may(authorizer, user, 'bind', plural, target.namespace, name)) return
    const key = kind === 'ClusterRole' ? name : `${target.namespace}/${name}`
    const role = target.cluster.collection(`${plural}.rbac.authorization.k8s.io`).get(key)
    if (!role) throw notFound({ group: GROUP, resource: plural }, name)
    check(target, object, listAt(role.object, 'rules').map(policyRule), user)
  }
}

const GROUP = 'rbac.authorization.k8s.io'

const may = (
  authorizer: Authorizer,
  user: User,
  verb: string,
  resource: string,
  namespace: string,
  name: string,
): boolean =>
  authorizer.authorize({
    user,
    verb,
    isResourceRequest: true,
    group: GROUP,
    version: 'v1',
    resource,
    subresource: '',
    namespace,
    name,
    path: '',
  }).allowed

function check(target: Target, object: JsonObject, wanted: readonly PolicyRule[], user: User): void {
  const held = target.cluster.authorizer.rulesOf(user, target.namespace)
  const missing = wanted.flatMap(breakDown).filter(one => !held.some(rule => covers(rule, one)))
  if (missing.length === 0) return
  const groups = user.groups.map(group => JSON.stringify(group)).join(' ')
  const list = missing.map(shown).join('\n')
  throw forbidden(
    target.qualified,
    stringAt(object, 'metadata', 'name'),
    `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${list}`,
  )
}

/** A rule as rules of one verb, group, resource and name each. */
function breakDown({
  verbs,
  apiGroups,
  resources,
  resourceNames,
  nonResourceURLs,
}: PolicyRule): PolicyRule[] {
  const one = (rule: Partial<PolicyRule>): PolicyRule => ({
    verbs: [],
    apiGroups: [],
    resources: [],
    resourceNames: [],
    nonResourceURLs: [],
    ...rule,
  })
  const names = resourceNames.length === 0 ? [[]] : resourceNames.map(name => [name])
  return verbs.flatMap(verb => [
    ...apiGroups.flatMap(group =>
      resources.flatMap(resource =>
        names.map(name =>
          one({ verbs: [verb], apiGroups: [group], resources: [resource], resourceNames: name }),
        ),
      ),
    ),
    ...nonResourceURLs.map(url => one({ verbs: [verb], nonResourceURLs: [url] })),
  ])
}

/** Whether `held` grants all of a broken-down rule. A wildcard is covered by a wildcard alone. */
function covers(held: PolicyRule, wanted: PolicyRule): boolean {
  const has = (list: readonly string[], values: readonly string[]) =>
    values.every(value => list.includes('*') || list.includes(value))
  if (!has(held.verbs, wanted.verbs)) return false
  if (wanted.nonResourceURLs.length > 0) {
    return wanted.nonResourceURLs.every(url =>
      held.nonResourceURLs.some(
        pattern =>
          pattern === '*' ||
          pattern === url ||
          (pattern.endsWith('*') && url.startsWith(pattern.slice(0, -1))),
      ),
    )
  }
  const [resource = ''] = wanted.resources
  const anyOfSubresource =
    resource.includes('/') && held.resources.includes(`*/${resource.split('/')[1] as string}`)
  return (
    has(held.apiGroups, wanted.apiGroups) &&
    (has(held.resources, wanted.resources) || anyOfSubresource) &&
    (held.resourceNames.length === 0 ||
      (wanted.resourceNames.length > 0 &&
        wanted.resourceNames.every(name => held.resourceNames.includes(name))))
  )
}

/** A rule as Kubernetes prints it. */
function shown(rule: PolicyRule): string {
  const list = (values: readonly string[]) => `[${values.map(value => JSON.stringify(value)).join(' ')}]`
  const parts = [
    rule.nonResourceURLs.length > 0 ? `NonResourceURLs:${list(rule.nonResourceURLs)}` : '',
    rule.apiGroups.length > 0 ? `APIGroups:${list(rule.apiGroups)}` : '',
    rule.resources.length > 0 ? `Resources:${list(rule.resources)}` : '',
    rule.resourceNames.length > 0 ? `ResourceNames:${list(rule.resourceNames)}` : '',
    `Verbs:${list(rule.verbs)}`,
  ]
  return `{${parts.filter(part => part !== '').join(', ')}}`
}
