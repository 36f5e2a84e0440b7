const SERVICE_ACCOUNT = 'system:serviceaccount:'

/** The namespace of a service account, as Kubernetes names its user; undefined for other callers. */
export function accountNamespace(user: string): string | undefined {
  if (!user.startsWith(SERVICE_ACCOUNT)) return undefined
  const end = user.indexOf(':', SERVICE_ACCOUNT.length)
  return end === -1 ? undefined : user.slice(SERVICE_ACCOUNT.length, end)
}
