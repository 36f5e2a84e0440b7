import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../manifests/kube.js'
import { FleetIndex } from '../../../playground/container-management/index/fleet-index.js'
import { parseEnhancedFieldSelector } from '../../../playground/container-management/query/field-selector.js'
import { parseQuery } from '../../../playground/container-management/query/query.js'
import { select } from '../../../playground/container-management/query/select.js'

const type = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true }

const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const clusters = ['one', 'two'] as const
const tiers = ['front', 'back'] as const
const queries = [
  'labelSelector=tier=front&orderby=name&limit=2&continue=1&withContinue=true&withRemainingCount=true',
  'labelSelector=tier!%3Dfront&orderby=created_at%20desc',
  'fieldSelector=spec.priority%3D2&limit=3&withRemainingCount=true',
  'fieldSelector=spec.priority>1&labelSelector=tier&orderby=resource_version%20desc',
  'clusters=one&names=a,b,c&limit=2',
  'clusters=one,two&namespaces=x',
]

type Step =
  | {
      readonly put: (typeof names)[number]
      readonly into: (typeof clusters)[number]
      readonly tier: string
      readonly priority: number
    }
  | { readonly remove: (typeof names)[number]; readonly from: (typeof clusters)[number] }
  | { readonly relist: (typeof clusters)[number]; readonly of: readonly (typeof names)[number][] }
  | { readonly drop: (typeof clusters)[number] }
  | { readonly ask: string }

const from = fc.constantFrom(...clusters)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      put: fc.constantFrom(...names),
      into: from,
      tier: fc.constantFrom(...tiers),
      priority: fc.nat(3),
    }),
    weight: 4,
  },
  { arbitrary: fc.record({ remove: fc.constantFrom(...names), from }), weight: 2 },
  { arbitrary: fc.record({ relist: from, of: fc.subarray([...names]) }), weight: 1 },
  { arbitrary: fc.record({ drop: from }), weight: 1 },
  { arbitrary: fc.record({ ask: fc.constantFrom(...queries) }), weight: 4 },
)

describe('a cached page', () => {
  it('equals the answer of a fresh index, after any changes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const index = new FleetIndex()
        const held = new Map(clusters.map(cluster => [cluster, new Map<string, KubeObject>()]))
        let version = 0
        const pod = (name: string, tier: string, priority: number): KubeObject =>
          ({
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: {
              namespace: priority % 2 === 0 ? 'x' : 'y',
              name,
              uid: `${name} ${priority % 2}`,
              resourceVersion: String(++version),
              creationTimestamp: new Date(version * 1000).toISOString(),
              labels: { tier },
            },
            spec: { priority },
          }) as KubeObject
        const relist = (into: FleetIndex, cluster: (typeof clusters)[number]) => {
          const table = into.table(cluster, type)
          table.take({ type: 'restarted' }, 0)
          table.take({ type: 'listed', objects: [...(held.get(cluster)?.values() ?? [])] }, 0)
          table.take({ type: 'synced', cursor: String(++version) }, 0)
        }
        const key = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`
        const take = (cluster: (typeof clusters)[number], object: KubeObject, deleted: boolean) => {
          if (deleted) held.get(cluster)?.delete(key(object))
          else held.get(cluster)?.set(key(object), object)
          const cursor = String(version)
          index.table(cluster, type).take({ type: deleted ? 'deleted' : 'applied', object, cursor }, 0)
        }
        for (const cluster of clusters) relist(index, cluster)
        for (const one of steps) {
          if ('put' in one) take(one.into, pod(one.put, one.tier, one.priority), false)
          else if ('remove' in one) {
            const present = [...(held.get(one.from)?.values() ?? [])].find(
              ({ metadata }) => metadata.name === one.remove,
            )
            if (present) take(one.from, present, true)
          } else if ('relist' in one) {
            held.set(
              one.relist,
              new Map(one.of.map((name, at) => pod(name, 'back', at % 4)).map(each => [key(each), each])),
            )
            relist(index, one.relist)
          } else if ('drop' in one) {
            held.set(one.drop, new Map())
            index.dropCluster(one.drop)
            relist(index, one.drop)
          } else {
            const fresh = new FleetIndex()
            for (const cluster of clusters) relist(fresh, cluster)
            const answer = (of: FleetIndex) => {
              const resource = of.type(type)
              if (!resource) return undefined
              const { objects, ...page } = select(of, resource, parseQuery(new URLSearchParams(one.ask)))
              return { ...page, whole: undefined, json: [...objects].map(({ json }) => json.toString()) }
            }
            expect(answer(index)).toEqual(answer(fresh))
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('a sorted view of a cluster', () => {
  it('is not built again, however many other clusters are read in between', () => {
    const index = new FleetIndex()
    const order = [{ column: 'name', descending: true }] as const
    const filter = { key: 'all', admits: () => true }
    const all = Array.from({ length: 100 }, (_, at) => `c${at}`)
    for (const cluster of all) index.table(cluster, type)
    const read = (cluster: string) => {
      const resource = index.type(type)!
      resource.filtered(cluster, order, filter)
      return [resource.sorted(cluster, order), resource.filtered(cluster, order, filter)]
    }
    const before = all.map(read)
    for (const [at, cluster] of all.entries())
      for (const [view, list] of read(cluster).entries()) expect(list).toBe(before[at]![view])
  })
})

describe('an object that is not parsed', () => {
  const text = fc.constantFrom('', '1', '2', 'true', 'null', 'a', 'ä', '"', '{}', 'length')
  const value = fc.letrec(tie => ({
    any: fc.oneof(
      { maxDepth: 2 },
      text,
      fc.constantFrom(0, 1, 2, 10, 1.5, true, false, null),
      fc.array(tie('any'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', '1', 'length'), tie('any'), { maxKeys: 3 }),
    ),
  })).any

  it('is selected as a parsed one is', () => {
    const path = fc.constantFrom('a', 'a.b', 'a.1', 'b.a', 'length', 'a.length')
    const term = fc.oneof(
      fc.tuple(path, fc.constantFrom('=', '!=', '=='), fc.constantFrom('1', '2', 'true', 'a', 'ä', '{}')),
      fc.tuple(path, fc.constantFrom('>', '<'), fc.constantFrom('1', '2')),
      fc.tuple(path, fc.constantFrom(' in ', ' notin '), fc.constantFrom('(1,a)', '(true)', '(2,)')),
    )
    const selector = fc.oneof(
      term.map(parts => parts.join('')),
      path,
      path.map(one => `!${one}`),
    )
    const object = fc.dictionary(fc.constantFrom('a', 'b', '1', 'length'), value, { maxKeys: 3 })
    fc.assert(
      fc.property(object, selector, (content, text) => {
        const plain = parseEnhancedFieldSelector(text)
        // Every sign is somewhere in this one, so it is parsed.
        const decoys = ['a', 'b', '1', 'length'].flatMap(key =>
          ['1', '2', 'true', 'a', 'ä', '{}', ''].flatMap(one => [
            { [key]: one },
            { [key]: one === '' ? '' : safely(one) },
          ]),
        )
        const json = (more: object) => Buffer.from(JSON.stringify({ ...content, ...more }))
        expect(plain.matches(json({}))).toBe(plain.matches(json({ zz: decoys })))
      }),
      { numRuns: 2_000 },
    )
  })
})

const safely = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
