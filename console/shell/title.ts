import type { Words } from '../words/en.js'

/** Where the name of what a section shows is in its address, counted from the section. */
const NAME_AT: Readonly<Record<string, number>> = { clusters: 1, workloads: 3, objects: 3, policies: 3 }

/** What a view is called in the browser's tabs and history, and read out when it opens: the narrowest first. */
export function titleOf(pathname: string, { nav, tabs, fleet, product }: Words): string {
  const [place = '', instance, section, ...rest] = pathname.split('/').filter(Boolean).map(decoded)
  const { groups: _, parts: __, ...names } = tabs
  const sections: Readonly<Record<string, string>> = {
    ...names,
    access: nav.access,
    'join-cluster': tabs.clusters,
  }
  const places: Readonly<Record<string, string>> = {
    ...{ events: nav.events, compare: nav.compare, access: nav.access },
    'new-instance': fleet.create,
  }
  const parts =
    place === 'instances' && instance !== undefined
      ? [rest[(NAME_AT[section ?? ''] ?? 0) - 1], section && own(sections, section), instance]
      : [own(places, place) ?? nav.fleet]
  return [...parts, product].filter(Boolean).join(' · ')
}

const own = (of: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(of, key) ? of[key] : undefined

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    // Somebody typed it: it is shown as it is.
    return segment
  }
}
