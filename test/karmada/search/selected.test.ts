import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { RegisteredResource, ResourceRegistry } from '../../../karmada/objects/resource-registry.js'
import { memberScope, namespacesOf, sameNamespaces } from '../../../karmada/search/namespaces.js'
import { type CachedType, selectedResources } from '../../../karmada/search/selected.js'

const POD: CachedType = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true }
const NODE: CachedType = { group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false }
const typeOf = (apiVersion: string, kind: string) =>
  [POD, NODE].find(type => apiVersion === type.version && kind === type.kind)
const SERVED = [
  {
    groupVersion: 'v1',
    resources: [
      { name: 'pods', kind: 'Pod' },
      { name: 'nodes', kind: 'Node' },
    ],
  },
]

function cluster(name: string, status: object = {}, conditions: Record<string, string> = {}): Cluster {
  const all = { Ready: 'True', CompleteAPIEnablements: 'True', ...conditions }
  return {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name },
    spec: { syncMode: 'Push' },
    status: {
      apiEnablements: SERVED,
      conditions: Object.entries(all).map(([type, value]) => ({ type, status: value })),
      ...status,
    },
  } as unknown as Cluster
}

const pods = (namespace?: string): RegisteredResource => ({
  apiVersion: 'v1',
  kind: 'Pod',
  ...(namespace !== undefined && { namespace }),
})
const registry = (clusterNames: readonly string[], ...resourceSelectors: RegisteredResource[]) =>
  ({
    apiVersion: 'search.karmada.io/v1alpha1',
    kind: 'ResourceRegistry',
    metadata: { name: 'r' },
    spec: { targetCluster: { clusterNames }, resourceSelectors },
  }) as ResourceRegistry

/** What is selected, as `cluster: type of namespaces`. */
function shown(registries: readonly ResourceRegistry[], clusters: readonly Cluster[]): string[] {
  const selected = selectedResources(registries, clusters, typeOf)
  return [...selected.clusters].flatMap(([name, types]) =>
    types.size === 0
      ? [`${name}: nothing`]
      : [...types.values()].map(({ type, namespaces }) => {
          const of = namespaces === 'all' ? 'all' : [...namespaces].sort().join(',')
          return `${name}: ${type.resource} of ${of}`
        }),
  )
}

describe('what ResourceRegistries select', () => {
  it('is the types of their selectors in the clusters of their affinity', () => {
    const node = { apiVersion: 'v1', kind: 'Node' }
    expect(shown([registry(['m1'], pods(), node)], [cluster('m1'), cluster('m2')])).toEqual([
      'm1: pods of all',
      'm1: nodes of all',
    ])
  })

  it('is every cluster where the affinity names none', () => {
    expect(shown([registry([], pods())], [cluster('m1'), cluster('m2')])).toEqual([
      'm1: pods of all',
      'm2: pods of all',
    ])
  })

  it('joins the namespaces of all selectors of a type, of one registry and of several, for each cluster apart', () => {
    const registries = [registry(['m1', 'm2'], pods('a'), pods('b')), registry(['m2'], pods('c'))]
    expect(shown(registries, [cluster('m1'), cluster('m2')])).toEqual([
      'm1: pods of a,b',
      'm2: pods of a,b,c',
    ])
  })

  it('is all namespaces where one selector names none', () => {
    expect(shown([registry(['m1'], pods('a')), registry(['m1'], pods())], [cluster('m1')])).toEqual([
      'm1: pods of all',
    ])
  })

  it('ignores the namespace of a selector for a type without namespaces', () => {
    const node = { apiVersion: 'v1', kind: 'Node', namespace: 'a' }
    expect(shown([registry(['m1'], node)], [cluster('m1')])).toEqual(['m1: nodes of all'])
  })

  it('is no cluster where the control plane serves no type of the registry', () => {
    expect(shown([registry([])], [cluster('m1')])).toEqual([])
    const unknown = { apiVersion: 'example.io/v1', kind: 'Gadget' }
    expect(shown([registry([], unknown)], [cluster('m1')])).toEqual([])
  })

  it('leaves out clusters that are not ready', () => {
    const clusters = [cluster('m1', {}, { Ready: 'False' }), cluster('m2')]
    expect(shown([registry([], pods())], clusters)).toEqual(['m2: pods of all'])
  })

  it('leaves out a type that a cluster does not serve, unless what it serves is not completely known', () => {
    const nothing = { apiEnablements: [] }
    const clusters = [
      cluster('m1', nothing),
      cluster('m2', { apiEnablements: [] }, { CompleteAPIEnablements: 'False' }),
      {
        ...cluster('m3'),
        status: { ...cluster('m3', {}, { CompleteAPIEnablements: 'False' }).status, ...nothing },
      },
    ] as Cluster[]
    expect(shown([registry([], pods())], clusters)).toEqual([
      'm1: nothing',
      'm2: pods of all',
      'm3: pods of all',
    ])
  })

  it('registers a type although no cluster has it, and not one that the control plane does not serve', () => {
    const unknown = { apiVersion: 'example.io/v1', kind: 'Gadget' }
    const selected = selectedResources([registry(['nowhere'], pods(), unknown)], [cluster('m1')], typeOf)
    expect([...selected.registered.keys()]).toEqual(['/v1/pods'])
    expect(selected.clusters.size).toBe(0)
  })
})

describe('the namespaces of a cache', () => {
  it.each([
    ['all', 'all', '', { namespace: '', isFiltered: false }],
    ['all, one requested', 'all', 'a', { namespace: 'a', isFiltered: false }],
    ['one', ['a'], '', { namespace: 'a', isFiltered: false }],
    ['one, the same requested', ['a'], 'a', { namespace: 'a', isFiltered: false }],
    ['one, another requested', ['a'], 'b', undefined],
    ['two', ['a', 'b'], '', { namespace: '', isFiltered: true }],
    ['two, one of them requested', ['a', 'b'], 'b', { namespace: 'b', isFiltered: false }],
    ['two, another requested', ['a', 'b'], 'c', undefined],
  ] as const)('say how to ask a member: %s', (_what, cached, requested, scope) => {
    const namespaces = cached === 'all' ? cached : namespacesOf(cached)
    expect(memberScope(namespaces, requested)).toEqual(scope)
  })

  it('are compared as sets', () => {
    expect(sameNamespaces(namespacesOf(['a', 'b']), namespacesOf(['b', 'a']))).toBe(true)
    expect(sameNamespaces(namespacesOf(['a']), namespacesOf(['a', 'b']))).toBe(false)
    expect(sameNamespaces(namespacesOf(['a']), 'all')).toBe(false)
    expect(sameNamespaces(namespacesOf([undefined, 'a']), 'all')).toBe(true)
  })
})
