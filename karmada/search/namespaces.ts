/** The namespaces whose objects are cached: some, or all. Types without namespaces are cached as `all`. */
export type Namespaces = ReadonlySet<string> | 'all'

/** The namespaces of several selectors; an absent or empty one means all. */
export function namespacesOf(selected: readonly (string | undefined)[]): Namespaces {
  const names = selected.filter(name => name !== undefined && name !== '')
  return names.length < selected.length ? 'all' : new Set(names as string[])
}

export const mergedNamespaces = (one: Namespaces, other: Namespaces): Namespaces =>
  one === 'all' || other === 'all' ? 'all' : new Set([...one, ...other])

export const sameNamespaces = (one: Namespaces, other: Namespaces): boolean =>
  one === 'all' || other === 'all'
    ? one === other
    : one.size === other.size && [...one].every(name => other.has(name))

export const hasNamespace = (namespaces: Namespaces, name: string): boolean =>
  namespaces === 'all' || namespaces.has(name)

/** How a member is asked for the cached objects of a type. */
export interface MemberScope {
  /** '' is all namespaces, or a type without namespaces. */
  readonly namespace: string
  /** Objects of other namespaces have to be left out of the answer. */
  readonly isFiltered: boolean
}

/**
 * What to ask a member for (`filterNS` of karmada-search).
 * @param requested the namespace of the request; '' for all
 * @returns undefined where nothing of that namespace is cached
 */
export function memberScope(cached: Namespaces, requested: string): MemberScope | undefined {
  if (cached === 'all') return { namespace: requested, isFiltered: false }
  if (requested !== '') return cached.has(requested) ? { namespace: requested, isFiltered: false } : undefined
  const [only] = cached
  return cached.size === 1
    ? { namespace: only as string, isFiltered: false }
    : { namespace: '', isFiltered: true }
}
