import { createHash } from 'node:crypto'
import type { JsonObject } from '../../apimachinery/json.js'
import type { ResourceDefinition, Subresource } from '../../apimachinery/resource-definition.js'
import { apiVersionOf } from '../../apimachinery/resource-definition.js'
import type { Catalogue, ServedType } from '../catalogue/catalogue.js'

const AGGREGATED_GROUP = 'apidiscovery.k8s.io'
/** The versions of aggregated discovery that clients ask for; both have the same content. */
const AGGREGATED_VERSIONS: ReadonlySet<string> = new Set(['v2', 'v2beta1'])

/** The aggregated version an Accept header prefers to plain discovery, or undefined. */
export function aggregatedVersion(accept: string): string | undefined {
  for (const range of accept.split(',')) {
    const parameters = Object.fromEntries(
      range.split(';').map(part => part.trim().split('=') as [string, string | undefined]),
    )
    if (parameters.as !== 'APIGroupDiscoveryList' || parameters.g !== AGGREGATED_GROUP) continue
    if (parameters.v !== undefined && AGGREGATED_VERSIONS.has(parameters.v)) return parameters.v
  }
  return undefined
}

export const aggregatedContentType = (version: string): string =>
  `application/json;g=${AGGREGATED_GROUP};v=${version};as=APIGroupDiscoveryList`

const typesOf = (catalogue: Catalogue, group: string, version: string): ServedType[] =>
  [...catalogue.types()].filter(
    ({ definition }) => definition.group === group && definition.version === version,
  )

/** The groups of /apis, or the core group alone, with their versions in order of preference. */
function groupsOf(catalogue: Catalogue, core: boolean): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { group, version } of catalogue.groupVersions()) {
    if ((group === '') !== core) continue
    groups.set(group, [...(groups.get(group) ?? []), version])
  }
  return groups
}

/** GET /api */
export const coreVersions = (serverAddress: string): JsonObject => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
})

/** GET /apis */
export const groupList = (catalogue: Catalogue): JsonObject => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: [...groupsOf(catalogue, false)].map(([group, versions]) => groupEntry(group, versions)),
})

/** GET /apis/{group}; undefined for a group that is not served */
export function group(catalogue: Catalogue, name: string): JsonObject | undefined {
  const versions = groupsOf(catalogue, false).get(name)
  return versions && { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(name, versions) }
}

function groupEntry(name: string, versions: readonly string[]): JsonObject {
  const entries = versions.map(version => ({ groupVersion: `${name}/${version}`, version }))
  return { name, versions: entries, preferredVersion: entries[0] as JsonObject }
}

/** GET /api/v1 or /apis/{group}/{version}; undefined for one that is not served */
export function resourceList(
  catalogue: Catalogue,
  groupName: string,
  version: string,
): JsonObject | undefined {
  const types = typesOf(catalogue, groupName, version)
  if (types.length === 0) return undefined
  return {
    kind: 'APIResourceList',
    ...(groupName === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group: groupName, version }),
    resources: types.flatMap(({ definition }) => [
      resourceEntry(definition),
      ...subresourceEntries(definition),
    ]),
  }
}

const resourceEntry = (definition: ResourceDefinition): JsonObject => ({
  name: definition.plural,
  singularName: definition.singular,
  namespaced: definition.namespaced,
  kind: definition.kind,
  verbs: definition.custom ? CUSTOM_VERBS : definition.verbs,
  ...(definition.shortNames.length === 0 ? {} : { shortNames: definition.shortNames }),
  ...(definition.categories.length === 0 ? {} : { categories: definition.categories }),
  ...(definition.verbs.includes('list') ? { storageVersionHash: storageVersionHash(definition) } : {}),
})

/** Tells clients that two types, or two versions of one, are stored alike: their hashes are equal. */
const storageVersionHash = ({ group: of, kind }: ResourceDefinition): string =>
  createHash('sha256').update(`${of}/${kind}`).digest().subarray(0, 8).toString('base64')

/** The order in which a kube-apiserver lists the verbs of custom types. */
const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']

/** All subresources of a type, status and scale among them. */
function subresourcesOf(definition: ResourceDefinition): Subresource[] {
  const { status, scale, others } = definition.subresources
  return [
    ...(others ?? []),
    ...(scale
      ? [
          {
            name: 'scale',
            kind: 'Scale',
            group: 'autoscaling',
            version: 'v1',
            verbs: ['get', 'patch', 'update'],
          },
        ]
      : []),
    ...(status ? [{ name: 'status', kind: definition.kind, verbs: ['get', 'patch', 'update'] }] : []),
  ].sort((a, b) => (a.name < b.name ? -1 : 1))
}

const subresourceEntries = (definition: ResourceDefinition): JsonObject[] =>
  subresourcesOf(definition).map(({ name, kind, group: ofGroup, version, verbs }) => ({
    name: `${definition.plural}/${name}`,
    singularName: '',
    namespaced: definition.namespaced,
    ...(version === undefined ? {} : { group: ofGroup ?? '', version }),
    kind,
    verbs,
  }))

/** GET /api and /apis for clients that want everything in one document. @param stale versions whose server is away */
export function aggregated(
  catalogue: Catalogue,
  core: boolean,
  discoveryVersion: string,
  stale: (group: string, version: string) => boolean,
): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `${AGGREGATED_GROUP}/${discoveryVersion}`,
    metadata: {},
    items: [...groupsOf(catalogue, core)].map(([name, versions]) => ({
      metadata: { ...(name === '' ? {} : { name }), creationTimestamp: null },
      versions: versions.map(version => ({
        version,
        resources: typesOf(catalogue, name, version).map(({ definition }) => discoveryEntry(definition)),
        freshness: stale(name, version) ? 'Stale' : 'Current',
      })),
    })),
  }
}

function discoveryEntry(definition: ResourceDefinition): JsonObject {
  const { kind, plural, singular, namespaced, verbs, custom, shortNames, categories } = definition
  const subresources = subresourcesOf(definition).map(one => ({
    subresource: one.name,
    responseKind: { group: one.group ?? '', version: one.version ?? '', kind: one.kind },
    verbs: one.verbs,
  }))
  return {
    resource: plural,
    // An empty group and version mean those it is listed under.
    responseKind: { group: '', version: '', kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: custom ? CUSTOM_VERBS : verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  }
}
