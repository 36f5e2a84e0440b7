import type { AnyRoute } from '@tanstack/react-router'

/**
 * Makes the screens of a route tree see only the search parameters that their `validateSearch` returns. The router itself also passes on unknown
 * parameters of the address, such as a kind that does not exist.
 */
export function withKnownSearch<T extends AnyRoute>(tree: T): T {
  const children: readonly AnyRoute[] = Object.values(tree.children ?? {})
  for (const route of children) withKnownSearch(route)
  const { validateSearch } = tree.options
  // A parent route passes on the parameters of its children.
  if (children.length === 0 && typeof validateSearch === 'function')
    tree.options.validateSearch = (search: Record<string, unknown>) => ({
      ...Object.fromEntries(Object.keys(search).map(key => [key, undefined])),
      ...validateSearch(search),
    })
  return tree
}
