import { badRequest, forbidden } from '../api-status.js'
import { type ApiRequest, header } from '../wire/exchange.js'
import { type Attributes, type Authorizer, refusal } from './authorizer.js'
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, ANONYMOUS, type User } from './user.js'

const EXTRA = 'impersonate-extra-'
const AUTHENTICATION = 'authentication.k8s.io'

/**
 * Who the request is made for. Every part of another identity must be granted by the verb `impersonate`: the user (or
 * service account), each group, the uid and each extra.
 * @throws StatusError 403 naming the part that is not granted, 400 when groups come without a user
 */
export function impersonated(request: ApiRequest, user: User, authorizer: Authorizer): User {
  const name = header(request, 'impersonate-user')
  const uid = header(request, 'impersonate-uid')
  const groups = [request.headers['impersonate-group'] ?? []].flat()
  const extra = extras(request)
  if (name === '') {
    if (groups.length === 0 && uid === '' && Object.keys(extra).length === 0) return user
    throw badRequest('requested impersonation of groups, uid or extra without impersonating a user')
  }
  const may = (group: string, resource: string, subresource: string, which: string, namespace = '') =>
    check(authorizer, {
      user,
      verb: 'impersonate',
      isResourceRequest: true,
      group,
      version: group === '' ? '' : 'v1',
      resource,
      subresource,
      namespace,
      name: which,
      path: '',
    })
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name)
  if (account) may('', 'serviceaccounts', '', account[2] as string, account[1])
  else may('', 'users', '', name)
  for (const group of groups) may('', 'groups', '', group)
  if (uid !== '') may(AUTHENTICATION, 'uids', '', uid)
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) may(AUTHENTICATION, 'userextras', key, value)
  }
  const implied =
    groups.length === 0 && account
      ? ['system:serviceaccounts', `system:serviceaccounts:${account[1] as string}`]
      : groups
  return { name, groups: withEveryone(name, implied), extra, ...(uid === '' ? {} : { uid }) }
}

function check(authorizer: Authorizer, attributes: Attributes): void {
  if (authorizer.authorize(attributes).allowed) return
  const { group, resource, name } = attributes
  throw forbidden({ group, resource }, name, refusal(attributes))
}

function withEveryone(name: string, groups: readonly string[]): readonly string[] {
  if (groups.includes(ALL_AUTHENTICATED) || groups.includes(ALL_UNAUTHENTICATED)) return groups
  return [...groups, name === ANONYMOUS.name ? ALL_UNAUTHENTICATED : ALL_AUTHENTICATED]
}

function extras({ headers }: ApiRequest): Record<string, readonly string[]> {
  const found: Record<string, readonly string[]> = {}
  for (const name in headers) {
    const value = name.startsWith(EXTRA) ? headers[name] : undefined
    if (value === undefined) continue
    found[unescapeKey(name.slice(EXTRA.length))] = [value].flat()
  }
  return found
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key).toLowerCase()
  } catch {
    return key.toLowerCase()
  }
}
