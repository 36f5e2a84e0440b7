import { includes } from '../../http/identity/role-rights.js'
import { objectFieldsOf, permissionOf } from '../../http/operation/permission.js'
import { rulesOf, secretRules } from '../../manifests/instance-rbac.js'
import type { InstanceRole } from '../../manifests/instance-role-binding.js'
import { bindingsOf, type HttpMethod } from '../../transcoding/binding.js'
import { services } from '../proto/services.js'
import type { Column } from './columns.js'

/**
 * What becomes of a call: it passes all authorization; it passes and shows only what its caller may see; it is refused by Kairship before
 * its handler runs; the instance's own RBAC refuses it; or the RBAC of a member cluster decides.
 */
export type Verdict = 'allowed' | 'filtered' | 'refused' | 'refused inside' | 'member'

/** Where a call goes, as its caller's role sees it. */
export interface Where {
  /** The instance that the role is on, or another one. */
  readonly instance: 'own' | 'other'
  /** A namespace that the role covers, or another one. */
  readonly namespace: 'bound' | 'other'
}
export const AT_HOME: Where = { instance: 'own', namespace: 'bound' }

/** Every operation of every service. */
export const operations: readonly HttpMethod[] = services.flatMap(
  ({ methods }) => methods as readonly unknown[] as readonly HttpMethod[],
)

/** `Core.GetSecret`. */
export const nameOf = ({ parent, name }: HttpMethod): string =>
  `${parent.name.replace(/Service$/, '')}.${name}`

/** What one request does inside an instance. */
export interface Inside {
  readonly verb: string
  readonly group: string
  readonly resource: string
  /** The namespace is that of the request; 'all' for lists over all of them; absent for what has none. */
  readonly namespace?: 'named' | 'all'
  /** The name of the object is that of a namespace. */
  readonly isNamespace?: true
}

const CLUSTER_WIDE: ReadonlySet<string> = new Set([
  ...['namespaces', 'clusters', 'customresourcedefinitions', 'ingressclasses'],
  ...['clusterpropagationpolicies', 'clusteroverridepolicies', 'clusterresourcebindings'],
])
const LISTS: ReadonlySet<string> = new Set(['list', 'watch'])

/** What operations do inside without one type of objects in their permission: the first right that not everybody there has. */
const BEYOND: Readonly<Record<string, Inside>> = {
  // The template, whichever type it is of: tests trace a ConfigMap.
  'Placement.TracePropagation': { verb: 'get', group: '', resource: 'configmaps', namespace: 'named' },
  'Placement.ExplainPlacement': { verb: 'list', group: 'cluster.karmada.io', resource: 'clusters' },
  'Placement.PreviewPolicy': { verb: 'list', group: 'cluster.karmada.io', resource: 'clusters' },
  'Placement.RehearseTaints': { verb: 'list', group: 'cluster.karmada.io', resource: 'clusters' },
}

/** What an operation does inside an instance; undefined where Kairship alone decides. */
export function insideOf(method: HttpMethod): Inside | 'member' | undefined {
  const fields = objectFieldsOf(method)
  if (!fields) return BEYOND[nameOf(method)]
  if (inPath(method, 'cluster')) return 'member'
  const { verb, group } = fields.action
  // Where the request names the type, one of its own is meant: no role but Admin has it.
  const isCustom = fields.action.resource === ''
  const resource = isCustom ? 'boats' : fields.action.resource
  const object = { verb, group: isCustom ? 'example.io' : group, resource }
  if (resource === 'namespaces' && LISTS.has(verb)) return { ...object, namespace: 'all' }
  // Of a namespace Kubernetes asks as of what is in it, but for its creation.
  if (resource === 'namespaces' && verb !== 'create') return { ...object, isNamespace: true }
  if (CLUSTER_WIDE.has(resource) || /Cluster(Custom)Resource/.test(method.name)) return object
  return { ...object, namespace: inPath(method, 'namespace') ? 'named' : 'all' }
}

/** Whether every path of a method has the field. */
export const inPath = (method: HttpMethod, field: string): boolean =>
  bindingsOf(method).every(({ template }) =>
    template.segments.some(segment => 'field' in segment && segment.field === field),
  )

/** What the table says of one call. */
export function expected(method: HttpMethod, column: Column, where: Where): Verdict {
  const right = permissionOf(method)
  if (!right) return 'refused'
  if (right.anyCaller) return 'allowed'
  if (column.platform) return 'allowed'
  const { verb, resource } = right
  if (right.filtered) return 'filtered'
  const { role } = column
  const isOfInstance = right.nameField !== ''
  if (
    !role ||
    !isOfInstance ||
    where.instance === 'other' ||
    !includes(role.name, role.covers, { verb, resource })
  )
    return 'refused'
  const inside = insideOf(method)
  if (inside === undefined) return 'allowed'
  if (inside === 'member') return 'member'
  // Of a list over all namespaces a role on some sees those.
  const isFiltered = role.covers === 'namespaces' && inside.namespace === 'all' && isMerged(method)
  const named = { ...inside, ...(isFiltered && { namespace: 'named' as const }) }
  const verdict = verdictInside(named, role, isFiltered ? AT_HOME : where)
  return isFiltered && verdict === 'allowed' ? 'filtered' : verdict
}

/** Whether Kairship makes the list over all namespaces of those that it has in single ones. It follows none of them. */
const isMerged = ({ methodKind }: HttpMethod): boolean => methodKind === 'unary'

/** A request to the proxy. */
export interface Proxied {
  readonly title: string
  readonly verbs: readonly string[]
  readonly group: string
  readonly resource: string
  readonly namespace: NonNullable<Inside['namespace']> | 'none'
  /** The right on the host beside that of its verb. */
  readonly upgrade?: true
}

const READ = ['get', 'list', 'watch'] as const
const WRITE = ['create', 'update', 'patch', 'delete'] as const
const proxied = (
  title: string,
  verbs: readonly string[],
  group: string,
  resource: string,
  namespace: Proxied['namespace'] = 'named',
): Proxied => ({ title, verbs, group, resource, namespace })

/** Requests to the proxy that stand for their kinds. */
export const PROXIED: readonly Proxied[] = [
  proxied('read what a team deploys, in a namespace', READ, 'apps', 'deployments'),
  proxied('list it over all namespaces', ['list', 'watch'], 'apps', 'deployments', 'all'),
  proxied('write it', WRITE, 'apps', 'deployments'),
  proxied('read policies of a namespace', READ, 'policy.karmada.io', 'propagationpolicies'),
  proxied('write them', WRITE, 'policy.karmada.io', 'propagationpolicies'),
  proxied(
    'write policies of the whole instance',
    WRITE,
    'policy.karmada.io',
    'clusterpropagationpolicies',
    'none',
  ),
  proxied('read Secrets of a namespace', READ, '', 'secrets'),
  proxied('list Secrets over all namespaces', ['list', 'watch'], '', 'secrets', 'all'),
  proxied('write Secrets', WRITE, '', 'secrets'),
  proxied('read where templates were placed', READ, 'work.karmada.io', 'resourcebindings'),
  proxied('read Works', READ, 'work.karmada.io', 'works'),
  proxied('write Works', WRITE, 'work.karmada.io', 'works'),
  proxied('read member clusters', READ, 'cluster.karmada.io', 'clusters', 'none'),
  proxied('write member clusters', WRITE, 'cluster.karmada.io', 'clusters', 'none'),
  proxied('write roles of a namespace', WRITE, 'rbac.authorization.k8s.io', 'roles'),
  proxied('write roles of the whole instance', WRITE, 'rbac.authorization.k8s.io', 'clusterroles', 'none'),
]

/** What the table says of a request to the proxy. */
export function expectedProxied(
  { verbs, group, resource, namespace }: Proxied,
  column: Column,
  where: Where,
): Verdict {
  const { role } = column
  if (column.platform) return 'allowed'
  if (!role || where.instance === 'other') return 'refused'
  const rights = verbs.map(verb => ({
    verb: READ.includes(verb as 'get') ? 'get' : verb,
    resource: 'instances/proxy',
  }))
  if (!rights.every(right => includes(role.name, role.covers, right))) return 'refused'
  const verdicts = verbs.map(verb =>
    verdictInside({ verb, group, resource, ...(namespace !== 'none' && { namespace }) }, role, where),
  )
  return verdicts.every(verdict => verdict === 'allowed') ? 'allowed' : 'refused inside'
}

/** What the instance's RBAC says that Kairship makes of a role. */
export function verdictInside(
  { verb, group, resource, namespace, isNamespace }: Inside,
  { name, covers }: { readonly name: InstanceRole; readonly covers: 'instance' | 'namespaces' },
  where: Where,
): Verdict {
  const isIn = (rules: ReturnType<typeof rulesOf>) =>
    rules.some(
      ({ apiGroups = [], resources = [], verbs }) =>
        [group, '*'].some(one => apiGroups.includes(one)) &&
        [resource, '*'].some(one => resources.includes(one)) &&
        [verb, '*'].some(one => verbs.includes(one)),
    )
  const ofRole = isIn(rulesOf(name))
  const ofSecrets = name === 'Editor' && isIn(secretRules)
  if (!ofRole && !ofSecrets) return 'refused inside'
  // Editors get Secrets in single namespaces.
  if (covers === 'instance') return !ofRole && namespace !== 'named' ? 'refused inside' : 'allowed'
  if (namespace === 'named' || isNamespace) return where.namespace === 'bound' ? 'allowed' : 'refused inside'
  return 'refused inside'
}
