/** The group of every authenticated user, as in Kubernetes. */
export const AUTHENTICATED = 'system:authenticated'

/** The groups of an authenticated user. */
export const withAuthenticated = (groups: readonly string[]): readonly string[] =>
  groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED]
