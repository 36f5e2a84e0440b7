/** Who a request is made for; absent means as the connection's own credential. */
export interface Impersonation {
  readonly user: string
  readonly uid?: string | undefined
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/**
 * Kubernetes' Impersonate-* headers, names and values in turn. Values travel as UTF-8 bytes, and the keys of `extra` are
 * percent-encoded where a header name cannot carry them, as the API server decodes them.
 */
export function impersonationHeaders({ user, uid, groups = [], extra = {} }: Impersonation): string[] {
  return [
    ...['Impersonate-User', headerValue(user)],
    ...(uid ? ['Impersonate-Uid', headerValue(uid)] : []),
    ...groups.flatMap(group => ['Impersonate-Group', headerValue(group)]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.flatMap(value => [`Impersonate-Extra-${headerKey(key)}`, headerValue(value)]),
    ),
  ]
}

const headerValue = (value: string): string => Buffer.from(value, 'utf8').toString('latin1')

/** Servers read the name of a header in lower case, and decode it after that: an upper-case letter that is not encoded would be another key. */
const headerKey = (key: string): string =>
  encodeURIComponent(key).replaceAll(/%[0-9A-F]{2}|[()A-Z]/g, found =>
    found.length > 1 ? found : `%${found.charCodeAt(0).toString(16)}`,
  )
