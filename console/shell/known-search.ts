import type { AnyRoute } from '@tanstack/react-router'

/**
 * Has the screens of a tree of routes see what their `validateSearch` returns and nothing else of an address. The router itself adds what somebody
 * typed and the route left out, so that a screen would find a kind that there is not.
 */
export function withKnownSearch<T extends AnyRoute>(tree: T): T {
  const below: readonly AnyRoute[] = Object.values(tree.children ?? {})
  for (const route of below) withKnownSearch(route)
  const { validateSearch } = tree.options
  // A route around others passes on what those look at.
  if (below.length === 0 && typeof validateSearch === 'function')
    tree.options.validateSearch = (search: Record<string, unknown>) => ({
      ...Object.fromEntries(Object.keys(search).map(key => [key, undefined])),
      ...validateSearch(search),
    })
  return tree
}
