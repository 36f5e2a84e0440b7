/** A path of another API server that an instance passes on, or answers from what it has cached of members. */
export interface BehindMember {
  /** Absent where the path does not say which member it is. */
  readonly cluster?: string
  /** The path there, encoded as it came. */
  readonly path: string
}

/**
 * Reads the path behind Karmada's cluster proxy, its search proxy or its search cache. Undefined where it is none of them.
 * @param path inside the instance, without a query
 */
export function behindMember(path: string): BehindMember | undefined {
  const segments = path.split('/').slice(1)
  const [apis = '', group = '', , kind = '', name = '', way = ''] = segments.slice(0, 6).map(decoded)
  if (apis !== 'apis') return undefined
  const from = (index: number) => `/${segments.slice(index).join('/')}`
  if (group === 'search.karmada.io') {
    if (kind === 'proxying' && way === 'proxy') return { path: from(6) }
    return kind === 'search' && name === 'cache' ? { path: from(5) } : undefined
  }
  const isMember = group === 'cluster.karmada.io' && kind === 'clusters' && way === 'proxy'
  return isMember ? { cluster: name, path: from(6) } : undefined
}

/** A segment as an API server reads it. One that is not UTF-8 names nothing that exists, and stays as it is. */
export function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
