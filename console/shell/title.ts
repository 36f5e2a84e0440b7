import type { Words } from '../words/en.js'

/** The position of an object's name in its address, counted from the section. */
const NAME_AT: Readonly<Record<string, number>> = { clusters: 1, workloads: 3, objects: 3, policies: 3 }

/** The title of a view, for tabs, history and screen readers: the narrowest part first. */
export function titleOf(pathname: string, { nav, tabs, fleet, product }: Words): string {
  const [place = '', instance, section, ...rest] = pathname.split('/').filter(Boolean).map(decodeSegment)
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

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    // Not a valid encoding, so somebody typed it: it is shown unchanged.
    return segment
  }
}
