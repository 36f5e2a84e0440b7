import { eachHeader } from '../../ports/raw-headers.js'
import { invalidArgument, permissionDenied } from '../errors/failure.js'
import { accountNamespace } from './account-namespace.js'
import { type Caller, isChangedByHeader } from './caller.js'
import { withAuthenticated } from './groups.js'

/**
 * Holds the name of the user who acts as another. Instances and their audit logs see it, and no caller can send it: the domain is
 * Kairship's own.
 */
export const ORIGINAL_USER = 'kairship.io/original-user'
/** Keys of Kairship's own extras. */
const RESERVED_EXTRA = /^([^/]*\.)?kairship\.io(\/|$)/
/** Some servers take an underscore for a dash. */
const IMPERSONATE = /^impersonate[-_]/i
const EXTRA = 'impersonate-extra-'
/** Each name costs a review of the instance, for each request. */
const MOST_NAMES = 32
/** Characters of a name: they stand in audit events too, which have no longer ones. */
const LONGEST_NAME = 256

/** One name that a caller wants to have, as kube-apiserver authorizes it: the verb is `impersonate`. */
export interface ActingAttribute {
  readonly group: '' | 'authentication.k8s.io'
  readonly version: 'v1'
  readonly resource: 'users' | 'serviceaccounts' | 'groups' | 'uids' | 'userextras'
  readonly subresource?: string
  readonly namespace?: string
  readonly name: string
}

/** Who a caller wants to act as, and what must be allowed to it first. */
export interface ActingAs {
  /** The other, with the caller's name in an extra. */
  readonly caller: Caller
  readonly attributes: readonly ActingAttribute[]
}

/** Whether a request asks to impersonate: by prefix, so that no header of a later Kubernetes is overlooked. */
export function asksToImpersonate(rawHeaders: readonly string[]): boolean {
  let asks = false
  eachHeader(rawHeaders, name => {
    asks ||= IMPERSONATE.test(name)
  })
  return asks
}

/** The management API does not act as others, and does not silently act as the caller instead. */
export const refuseToImpersonate = (): never => {
  throw permissionDenied(
    'impersonation works through the proxy alone (kubectl --as): send this request without Impersonate headers',
  )
}

/**
 * Reads `Impersonate-*` as kube-apiserver does (`kubectl --as`), and stricter: what it would ignore is refused.
 * @throws Failure INVALID_ARGUMENT for what names nobody, PERMISSION_DENIED for names that nobody may have through Kairship
 */
export function actingAs(rawHeaders: readonly string[], original: Caller): ActingAs | undefined {
  if (!asksToImpersonate(rawHeaders)) return undefined
  if (original.extra[ORIGINAL_USER])
    throw permissionDenied('you act as another user already: impersonation is not nested')
  const { users, uids, groups, extra } = namesIn(rawHeaders)
  const [user = ''] = users
  if (user === '')
    throw invalidArgument('impersonation of a uid, groups or extras without impersonate-user: name the user')
  if (users.length > 1 || uids.length > 1)
    throw invalidArgument('impersonate-user and impersonate-uid may be sent once')
  const extras = [...extra].flatMap(([key, values]) => values.map(value => [key, value] as const))
  const names = [user, ...uids, ...groups, ...extras.map(([, value]) => value)]
  if (names.length > MOST_NAMES)
    throw invalidArgument(`impersonation of more than ${MOST_NAMES} names at once is not passed on`)
  for (const name of [...names, ...extra.keys()])
    if (name.length > LONGEST_NAME)
      throw invalidArgument(`an impersonated name has at most ${LONGEST_NAME} characters`)
    else if (isChangedByHeader(name) || name === '')
      throw invalidArgument(`the impersonated name ${JSON.stringify(name)} is empty, or has blanks around it`)
  const namespace = accountNamespace(user)
  refuseReserved(user, groups, namespace)
  const [uid] = uids
  return {
    caller: {
      user,
      ...(uid !== undefined && { uid }),
      groups: withAuthenticated(groups.length > 0 ? groups : impliedGroups(namespace)),
      extra: { ...Object.fromEntries(extra), [ORIGINAL_USER]: [original.user] },
      ...(original.credential && { credential: original.credential }),
    },
    attributes: [
      namespace === undefined
        ? { group: '', version: 'v1', resource: 'users', name: user }
        : {
            ...{ group: '', version: 'v1', resource: 'serviceaccounts', namespace },
            name: user.slice(user.lastIndexOf(':') + 1),
          },
      ...groups.map(name => ({ group: '', version: 'v1', resource: 'groups', name }) as const),
      ...uids.map(name => ({ ...AUTHENTICATION, resource: 'uids', name }) as const),
      ...extras.map(
        ([subresource, name]) => ({ ...AUTHENTICATION, resource: 'userextras', subresource, name }) as const,
      ),
    ],
  }
}

const AUTHENTICATION = { group: 'authentication.k8s.io', version: 'v1' } as const

/** The values of all `Impersonate-*` headers, whatever `Connection` says about them. */
function namesIn(rawHeaders: readonly string[]) {
  const [users, uids, groups]: [string[], string[], string[]] = [[], [], []]
  const extra = new Map<string, string[]>()
  eachHeader(rawHeaders, (name, received) => {
    if (!IMPERSONATE.test(name)) return
    const value = Buffer.from(received, 'latin1').toString('utf8')
    const lower = name.toLowerCase()
    if (lower === 'impersonate-user') users.push(value)
    else if (lower === 'impersonate-uid') uids.push(value)
    else if (lower === 'impersonate-group') groups.push(value)
    else if (lower.startsWith(EXTRA) && lower.length > EXTRA.length) {
      const key = extraKey(lower.slice(EXTRA.length))
      extra.set(key, [...(extra.get(key) ?? []), value])
    } else throw invalidArgument(`the header ${JSON.stringify(name)} is not one of Kubernetes’ impersonation`)
  })
  return { users, uids, groups, extra }
}

/** @throws Failure for a key that is Kairship's own, however it is encoded */
function extraKey(encoded: string): string {
  let key: string
  try {
    key = decodeURIComponent(encoded)
  } catch {
    throw invalidArgument(`the impersonated extra ${JSON.stringify(encoded)} is not percent-encoded`)
  }
  if (RESERVED_EXTRA.test(key.toLowerCase()))
    throw permissionDenied(`the extra ${JSON.stringify(key)} is Kairship’s own: nobody can impersonate it`)
  return key
}

/** Names of Kubernetes' own: `system:masters` may do everything. ServiceAccounts and their groups are accounts as others are. */
function refuseReserved(user: string, groups: readonly string[], namespace: string | undefined): void {
  const allowed = new Set(['system:authenticated', ...impliedGroups(namespace)])
  const [, , , account = ''] = user.split(':')
  const isAccount =
    namespace !== undefined && namespace !== '' && account !== '' && user.split(':').length === 4
  for (const name of [...(isAccount ? [] : [user]), ...groups.filter(group => !allowed.has(group))])
    if (name.startsWith('system:'))
      throw permissionDenied(
        `the name ${JSON.stringify(name)} is Kubernetes’ own: nobody can impersonate it through Kairship`,
      )
}

/** The groups that kube-apiserver gives a ServiceAccount that is impersonated without groups. */
const impliedGroups = (namespace: string | undefined): readonly string[] =>
  namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
