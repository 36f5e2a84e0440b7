import type { DiscoveredType } from '../client/discovery.js'
import type { IndexedType } from './index/resource-index.js'
import type { GroupResources } from './pedia-cluster.js'

/** Custom types are collected in at most so many of their versions by default. */
const MAX_VERSIONS = 3

/**
 * Kubernetes' own groups: they are collected in one version, the first the cluster serves. Groups of add-ons that end the
 * same way are custom.
 */
const isBuiltIn = (group: string): boolean =>
  !group.includes('.') || (group.endsWith('.k8s.io') && !/(^|\.)(metrics|x-k8s)\./.test(`${group}.`))

/**
 * Which types, in which versions, are collected of a cluster: what was requested, as far as the cluster serves it and lets it
 * be listed and watched. In the order requested, each type once. What the cluster does not serve is skipped silently, as
 * Clusterpedia does.
 */
export function negotiate(
  requested: readonly GroupResources[],
  served: readonly DiscoveredType[],
): readonly IndexedType[] {
  const chosen = new Map<string, IndexedType>()
  for (const { group, versions = [], resources } of requested) {
    const ofGroup = served.filter(type => type.group === group)
    for (const name of resourceNames(resources, ofGroup)) {
      const candidates = ofGroup.filter(type => isCalled(type, name) && isWatchable(type))
      for (const type of chooseVersions(group, versions, candidates))
        chosen.set(`${type.group}/${type.version}/${type.resource}`, type)
    }
  }
  return [...chosen.values()]
}

const resourceNames = (resources: readonly string[], served: readonly DiscoveredType[]): readonly string[] =>
  resources.includes('*') ? [...new Set(served.map(({ resource }) => resource))] : resources

/** Plural or singular, in any case. */
const isCalled = ({ resource, kind }: DiscoveredType, name: string): boolean =>
  [resource, kind.toLowerCase()].includes(name.toLowerCase())

const isWatchable = ({ verbs }: DiscoveredType): boolean => verbs.includes('list') && verbs.includes('watch')

function chooseVersions(
  group: string,
  wanted: readonly string[],
  served: readonly DiscoveredType[],
): readonly DiscoveredType[] {
  if (isBuiltIn(group)) return served.slice(0, 1)
  if (wanted.includes('*')) return served
  if (wanted.length === 0) return served.slice(0, MAX_VERSIONS)
  return served.filter(({ version }) => wanted.includes(version))
}
