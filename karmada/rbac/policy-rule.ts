/** rbac.authorization.k8s.io/v1 PolicyRule. */
export interface PolicyRule {
  readonly verbs?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

/** What is requested of an API server, as a SubjectAccessReview says it. */
export type AccessRequest = ResourceAccess | PathAccess

/** A request about objects. */
export interface ResourceAccess {
  readonly verb: string
  /** Empty for the core group. */
  readonly group: string
  /** In the plural. */
  readonly resource: string
  /** Empty for the object itself. */
  readonly subresource: string
  /** Empty for types without one, and for all namespaces. */
  readonly namespace: string
  /** Empty where no object is named. */
  readonly name: string
}

/** A request for a path that names no resource, such as `/metrics`. */
export interface PathAccess {
  readonly verb: string
  readonly path: string
}

/**
 * Whether a rule includes a request, as k8s.io/kubernetes decides it (pkg/apis/rbac/v1/evaluation_helpers.go). An empty list of names
 * stands for all; a request that names no object is not included where names are listed.
 */
export function ruleAllows(rule: PolicyRule, request: AccessRequest): boolean {
  if (!includes(rule.verbs, request.verb)) return false
  if ('path' in request) return (rule.nonResourceURLs ?? []).some(url => matchesPath(url, request.path))
  return (
    includes(rule.apiGroups, request.group) &&
    matchesResource(rule.resources, request) &&
    ((rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).includes(request.name))
  )
}

function matchesResource(
  resources: readonly string[] = [],
  { resource, subresource }: Pick<ResourceAccess, 'resource' | 'subresource'>,
): boolean {
  const whole = subresource === '' ? resource : `${resource}/${subresource}`
  return resources.some(
    one => one === '*' || one === whole || (subresource !== '' && one === `*/${subresource}`),
  )
}

const matchesPath = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(patternStart(pattern)))

/** Go's `strings.TrimRight` takes every star from the end. */
const patternStart = (pattern: string): string => pattern.replace(/\*+$/, '')

const includes = (list: readonly string[] = [], value: string): boolean =>
  list.some(one => one === '*' || one === value)
