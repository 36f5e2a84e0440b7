import { isObject, type Json, type JsonObject, listAt, stringAt } from '../../apimachinery/json.js'
import type { Collection, StoreEvent } from '../store/collection.js'
import type { Store } from '../store/store.js'
import { MASTERS, type User } from './user.js'

/** What is requested, in the words of a SubjectAccessReview. */
export interface Attributes {
  readonly user: User
  readonly verb: string
  readonly isResourceRequest: boolean
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
}

export interface Decision {
  readonly allowed: boolean
  /** Which binding allowed it, as RBAC words it; empty when nothing did. */
  readonly reason: string
}

/** One rule of a role (rbac/v1 PolicyRule). */
export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

interface Grant {
  /** '' holds everywhere. */
  readonly namespace: string
  readonly rules: readonly PolicyRule[]
  readonly reason: string
  /** The binding that gives it. */
  readonly binding: JsonObject
}

export const RBAC_COLLECTIONS = {
  roles: 'roles.rbac.authorization.k8s.io',
  roleBindings: 'rolebindings.rbac.authorization.k8s.io',
  clusterRoles: 'clusterroles.rbac.authorization.k8s.io',
  clusterRoleBindings: 'clusterrolebindings.rbac.authorization.k8s.io',
} as const

/** Namespaces for which a user's grants are remembered. */
const MOST_NAMESPACES = 1_000

const WATCHED: ReadonlySet<string> = new Set(Object.values(RBAC_COLLECTIONS))

/**
 * RBAC as kube-apiserver's: default deny, the sum of all bindings of the user and its groups. The bindings are indexed by
 * subject when they are first requested, and again after they changed.
 */
export class Authorizer {
  #grants: Map<string, Grant[]> | undefined
  /** What was found for a user before, by namespace; ends with the grants it was found in. */
  #found = new WeakMap<User, Map<string, readonly Grant[]>>()

  constructor(private readonly store: Store) {
    store.onChange((collection: Collection, _event: StoreEvent) => {
      if (!WATCHED.has(collection.id)) return
      this.#grants = undefined
      this.#found = new WeakMap()
    })
  }

  authorize(attributes: Attributes): Decision {
    if (attributes.user.groups.includes(MASTERS)) return { allowed: true, reason: '' }
    for (const grant of this.#grantsOf(attributes.user, attributes.namespace)) {
      if (grant.rules.some(rule => ruleAllows(rule, attributes)))
        return { allowed: true, reason: grant.reason }
    }
    return { allowed: false, reason: '' }
  }

  /** Every rule that holds for a user in a namespace, for SelfSubjectRulesReview and escalation checks. */
  rulesOf(user: User, namespace: string): readonly PolicyRule[] {
    if (user.groups.includes(MASTERS)) return [EVERYTHING, EVERY_PATH]
    return this.#grantsOf(user, namespace).flatMap(grant => grant.rules)
  }

  #grantsOf(user: User, namespace: string): readonly Grant[] {
    const known = this.#found.get(user) ?? new Map<string, readonly Grant[]>()
    this.#found.set(user, known)
    const before = known.get(namespace)
    if (before) return before
    this.#grants ??= this.#index()
    const grants = this.#grants
    const subjects = [`User ${user.name}`, ...user.groups.map(group => `Group ${group}`)]
    const found = subjects.flatMap(subject =>
      (grants.get(subject) ?? []).filter(grant => grant.namespace === '' || grant.namespace === namespace),
    )
    // A binding gives its rules once, however often it names the user: Kubernetes looks for the first subject that applies.
    const bindings = new Set<JsonObject>()
    const once = found.filter(({ binding }) => !bindings.has(binding) && bindings.add(binding))
    if (known.size < MOST_NAMESPACES) known.set(namespace, once)
    return once
  }

  #index(): Map<string, Grant[]> {
    const grants = new Map<string, Grant[]>()
    const add = (binding: JsonObject, namespace: string, kind: string) => {
      const reference = {
        kind: stringAt(binding, 'roleRef', 'kind'),
        name: stringAt(binding, 'roleRef', 'name'),
      }
      const rules = this.#rules(reference, namespace)
      const bindingName = stringAt(binding, 'metadata', 'name')
      const shown = namespace === '' ? bindingName : `${bindingName}/${namespace}`
      for (const subject of listAt(binding, 'subjects')) {
        const key = subjectKey(subject, namespace)
        const who = `${stringAt(subject, 'kind')} ${JSON.stringify(subjectName(subject))}`
        const reason = `RBAC: allowed by ${kind} "${shown}" of ${reference.kind} "${reference.name}" to ${who}`
        const list = grants.get(key)
        const grant = { namespace, rules, reason, binding }
        if (list) list.push(grant)
        else grants.set(key, [grant])
      }
    }
    for (const { object } of this.store.collection(RBAC_COLLECTIONS.clusterRoleBindings).values()) {
      add(object, '', 'ClusterRoleBinding')
    }
    for (const { object } of this.store.collection(RBAC_COLLECTIONS.roleBindings).values()) {
      add(object, stringAt(object, 'metadata', 'namespace'), 'RoleBinding')
    }
    return grants
  }

  #rules({ kind, name }: { kind: string; name: string }, namespace: string): readonly PolicyRule[] {
    const role =
      kind === 'ClusterRole'
        ? this.store.collection(RBAC_COLLECTIONS.clusterRoles).get(name)
        : this.store.collection(RBAC_COLLECTIONS.roles).get(`${namespace}/${name}`)
    return listAt(role?.object, 'rules').map(policyRule)
  }
}

const EVERYTHING: PolicyRule = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  resourceNames: [],
  nonResourceURLs: [],
}
const EVERY_PATH: PolicyRule = {
  verbs: ['*'],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: ['*'],
}

const parsedRules = new WeakMap<object, PolicyRule>()

/** @param rule one entry of a role's `rules`; read once per object, since stored objects never change */
export function policyRule(rule: Json): PolicyRule {
  const known = isObject(rule) ? parsedRules.get(rule) : undefined
  if (known) return known
  const strings = (key: string) => listAt(rule, key).map(String)
  const parsed = {
    verbs: strings('verbs'),
    apiGroups: strings('apiGroups'),
    resources: strings('resources'),
    resourceNames: strings('resourceNames'),
    nonResourceURLs: strings('nonResourceURLs'),
  }
  if (isObject(rule)) parsedRules.set(rule, parsed)
  return parsed
}

const subjectName = (subject: Json): string =>
  stringAt(subject, 'kind') === 'ServiceAccount'
    ? `${stringAt(subject, 'name')}/${stringAt(subject, 'namespace')}`
    : stringAt(subject, 'name')

function subjectKey(subject: Json, namespace: string): string {
  const name = stringAt(subject, 'name')
  if (stringAt(subject, 'kind') !== 'ServiceAccount') return `${stringAt(subject, 'kind')} ${name}`
  return `User system:serviceaccount:${stringAt(subject, 'namespace') || namespace}:${name}`
}

function ruleAllows(rule: PolicyRule, requested: Omit<Attributes, 'user'>): boolean {
  if (!has(rule.verbs, requested.verb)) return false
  if (!requested.isResourceRequest)
    return rule.nonResourceURLs.some(pattern => pathMatches(pattern, requested.path))
  const resource =
    requested.subresource === '' ? requested.resource : `${requested.resource}/${requested.subresource}`
  return (
    has(rule.apiGroups, requested.group) &&
    (has(rule.resources, resource) ||
      (requested.subresource !== '' && rule.resources.includes(`*/${requested.subresource}`))) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(requested.name))
  )
}

const has = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value)

const pathMatches = (pattern: string, path: string): boolean =>
  pattern === '*' ||
  pattern === path ||
  (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')))

/** The sentence after "is forbidden:". */
export function refusal({
  user,
  verb,
  group,
  resource,
  subresource,
  namespace,
  isResourceRequest,
  path,
}: Attributes): string {
  if (!isResourceRequest) return `User "${user.name}" cannot ${verb} path "${path}"`
  const what = subresource === '' ? resource : `${resource}/${subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`
  return `User "${user.name}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`
}
