/** Every authenticated user is in this group, as in Kubernetes. */
const AUTHENTICATED = 'system:authenticated'

/** The groups of an authenticated user. */
export const withAuthenticated = (groups: readonly string[]): readonly string[] =>
  groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED]
