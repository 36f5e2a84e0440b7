/** Who makes a request (authentication.k8s.io UserInfo). */
export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

export const ALL_AUTHENTICATED = 'system:authenticated'
export const ALL_UNAUTHENTICATED = 'system:unauthenticated'
/** Members may do everything; RBAC is not consulted. */
export const MASTERS = 'system:masters'

export const ANONYMOUS: User = { name: 'system:anonymous', groups: [ALL_UNAUTHENTICATED], extra: {} }
/** The identity of in-process callers. */
export const LOCAL_ADMIN: User = {
  name: 'system:admin',
  groups: [MASTERS, ALL_AUTHENTICATED],
  extra: {},
}

/** Adds the group every authenticated caller is in. */
export const authenticated = (
  name: string,
  groups: readonly string[],
  more: { readonly uid?: string; readonly extra?: User['extra'] } = {},
): User => ({
  name,
  groups: groups.includes(ALL_AUTHENTICATED) ? groups : [...groups, ALL_AUTHENTICATED],
  extra: more.extra ?? {},
  ...(more.uid === undefined ? {} : { uid: more.uid }),
})
