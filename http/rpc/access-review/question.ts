import type { AccessRequest } from '../../../karmada/rbac/policy-rule.js'
import { type FieldViolation, invalidFields } from '../../errors/failure.js'
import type { Action } from '../../identity/authorize.js'
import { type Caller, isChangedByHeader } from '../../identity/caller.js'
import { withAuthenticated } from '../../identity/groups.js'
import { isPathSegment, noPathSegment } from '../../operation/path-segment.js'

/** Group of Kairship's own resources, about which Kairship alone decides. */
const KAIRSHIP = 'kairship.io'
/** No caller has as many; each is one header to the instance and one row of a review. */
const MOST_GROUPS = 500
/** Characters of a name: the longest that objects have is 253. */
const LONGEST = 1_024

/** The fields by which requests say what is done. */
export interface AccessFields {
  readonly instance: string
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
  /** A member; empty or absent for the control plane. */
  readonly cluster?: string
}

/** The method of the proxy by which each verb goes, as Kairship and `clusters/proxy` authorize it; other verbs are no request. */
const PROXIED: Readonly<Record<string, string>> = {
  ...{ get: 'get', list: 'get', watch: 'get' },
  ...{ create: 'create', update: 'update', patch: 'patch', delete: 'delete', deletecollection: 'delete' },
}

/** What is done, in an API server's words. @throws Failure INVALID_ARGUMENT naming each field that cannot be */
export function accessOf({
  verb,
  group,
  resource,
  namespace,
  name,
  path,
  cluster = '',
}: AccessFields): AccessRequest {
  const violations: FieldViolation[] = []
  const wrong = (field: string, description: string) => violations.push({ field, description })
  for (const [field, text] of Object.entries({ verb, group, resource, namespace, name, path, cluster }))
    if (text.length > LONGEST) wrong(field, `has ${text.length} characters: ${LONGEST} at most are looked at`)
  if (!isPathSegment(cluster)) wrong('cluster', noPathSegment(cluster))
  if (path !== '') {
    const given = Object.entries({ group, resource, namespace, name }).filter(([, text]) => text !== '')
    for (const [field] of given) wrong(field, 'is given beside a path: a request is about one of them')
    if (!path.startsWith('/')) wrong('path', `is ${JSON.stringify(path)}: it begins with a slash`)
  } else {
    if (resource === '') wrong('resource', 'is empty: name a resource in the plural, or a path')
    if (resource.split('/').length > 2)
      wrong('resource', `is ${JSON.stringify(resource)}: write resource, or resource/subresource`)
    for (const [field, text] of Object.entries({ namespace, name }))
      if (!isPathSegment(text)) wrong(field, noPathSegment(text))
  }
  if (violations.length > 0) throw invalidFields(violations)
  if (path !== '') return { verb, path }
  const [type = '', subresource = ''] = resource.split('/')
  return { verb, group, resource: type, subresource, namespace, name }
}

/** Actions of one review: a screen has fewer buttons and visible rows, and each may be a review by the host. */
const MOST_ACTIONS = 100

/** What is done with one of Kairship's own resources on the host. */
export interface HostActionFields {
  readonly verb: string
  /** With its subresource after a slash. */
  readonly resource: string
  readonly name: string
}

/** Actions as they can be authorized. @throws Failure INVALID_ARGUMENT naming each field that cannot be */
export function hostActionsOf(
  actions: readonly HostActionFields[],
): readonly Exclude<Action, { readonly path: string }>[] {
  if (actions.length === 0 || actions.length > MOST_ACTIONS)
    throw invalidFields([
      { field: 'actions', description: `has ${actions.length} actions: 1 to ${MOST_ACTIONS} are reviewed` },
    ])
  const violations = actions.flatMap(({ verb, resource, name }, index) =>
    Object.entries({
      verb: wrongVerb(verb),
      resource: wrongResource(resource),
      name: wrongName(name),
    }).flatMap(([field, description]) =>
      description === undefined ? [] : [{ field: `actions[${index}].${field}`, description }],
    ),
  )
  if (violations.length > 0) throw invalidFields(violations)
  return actions.map(({ verb, resource, name }) => ({ verb, resource, ...(name !== '' && { name }) }))
}

const wrongVerb = (verb: string): string | undefined =>
  /^[a-z]{1,63}$/.test(verb)
    ? undefined
    : `is ${JSON.stringify(verb.slice(0, 80))}: verbs are of lower-case letters`

const wrongResource = (resource: string): string | undefined =>
  /^[a-z]{1,63}(\/[a-z]{1,63})?$/.test(resource)
    ? undefined
    : `is ${JSON.stringify(resource.slice(0, 80))}: write resource, or resource/subresource, of the group ${KAIRSHIP}`

const wrongName = (name: string): string | undefined =>
  name.length > LONGEST
    ? `has ${name.length} characters: ${LONGEST} at most are looked at`
    : isPathSegment(name)
      ? undefined
      : noPathSegment(name)

/** What Kairship itself authorizes for it; undefined for a verb that is no request, such as `impersonate` or `bind`. */
export function kairshipActionOf({ instance, verb, group, resource }: AccessFields): Action | undefined {
  if (group === KAIRSHIP && resource.split('/')[0] === 'instances') return { verb, resource, name: instance }
  const proxied = PROXIED[verb]
  return proxied === undefined ? undefined : { verb: proxied, resource: 'instances/proxy', name: instance }
}

/** Whether it is about the Instance on the host, which no control plane knows. */
export const isOfKairship = ({ group, resource }: Pick<AccessFields, 'group' | 'resource'>): boolean =>
  group === KAIRSHIP && resource.split('/')[0] === 'instances'

/** The request for a member's object, as the control plane authorizes it. */
export const memberProxyAccess = (verb: string, cluster: string): AccessRequest => ({
  verb: PROXIED[verb] ?? verb,
  ...{
    group: 'cluster.karmada.io',
    resource: 'clusters',
    subresource: 'proxy',
    namespace: '',
    name: cluster,
  },
})

/**
 * Whose access is meant, and whether that is the caller's own: without a user, with exactly the groups that the caller has.
 * @throws Failure INVALID_ARGUMENT for a name that no server would take as it is
 */
export function subjectOf(
  { user, groups }: { readonly user: string; readonly groups: readonly string[] },
  caller: Caller,
): { readonly subject: Caller; readonly isOwn: boolean } {
  const isOwn = (user === '' || user === caller.user) && groups.length === 0
  if (isOwn) return { subject: caller, isOwn }
  const wrong = (field: string, description: string) => invalidFields([{ field, description }])
  if (groups.length > MOST_GROUPS)
    throw wrong('groups', `has ${groups.length} groups: ${MOST_GROUPS} at most are looked at`)
  for (const [field, names] of [
    ['user', [user]],
    ['groups', groups],
  ] as const)
    for (const name of names) {
      if (isChangedByHeader(name) || name.length > LONGEST)
        throw wrong(field, `has ${JSON.stringify(name.slice(0, 80))}, which no server takes as a name`)
      if (name === '' && field === 'groups') throw wrong(field, 'has an empty name')
    }
  return { subject: { user: user || caller.user, groups: withAuthenticated(groups), extra: {} }, isOwn }
}
