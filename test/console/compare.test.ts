import { describe, expect, it } from 'vitest'
import { comparedTo } from '../../console/compare/comparison.js'
import { normalised } from '../../console/compare/normalise.js'
import { comparedTypes, MOST_OBJECTS, readSide, sideIn, sideText } from '../../console/compare/side.js'
import type { KubeObject } from '../../console/kube/object.js'

const service = (name: string, part: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { ports: [{ port: 80 }] },
  ...part,
})

describe('a compared object', () => {
  it.each<[string, object, object]>([
    [
      'what the server gives out',
      { spec: { clusterIP: '10.0.0.1', ports: [{ port: 80, nodePort: 30_001 }] } },
      { spec: { ports: [{ port: 80, nodePort: 30_002 }] } },
    ],
    [
      'versions, times and managers',
      { metadata: { name: 'a', uid: '1', resourceVersion: '7', managedFields: [{}] } },
      { metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z', generation: 2 } },
    ],
    [
      'marks of Karmada and kubectl',
      { metadata: { name: 'a', labels: { 'work.karmada.io/permanent-id': 'x' } } },
      { metadata: { name: 'a', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } } },
    ],
    ['its status', { status: { loadBalancer: {} } }, {}],
    ['the order of fields', { spec: { a: 1, b: 2 } }, { spec: { b: 2, a: 1 } }],
    ['what is empty', { spec: { a: 1, list: [], map: {}, none: null } }, { spec: { a: 1 } }],
  ])('does not differ by %s', (_, left, right) => {
    expect(normalised(service('a', left))).toEqual(normalised(service('a', right)))
    expect(comparedTo([service('a', left)], [service('a', right)])).toMatchObject([{ standing: 'same' }])
  })

  it.each<[string, object]>([
    ['a label of its owner', { metadata: { name: 'a', namespace: 'shop', labels: { team: 'x' } } }],
    ['a field of its spec', { spec: { ports: [{ port: 81 }] } }],
    ['false in place of nothing', { spec: { ports: [{ port: 80 }], publishNotReadyAddresses: false } }],
    ['the order of a list', { spec: { ports: [{ port: 81 }, { port: 80 }] } }],
  ])('differs by %s', (_, part) => {
    expect(comparedTo([service('a')], [service('a', part)])).toMatchObject([
      { key: 'shop/a', standing: 'differs' },
    ])
  })
})

describe('two sides', () => {
  it('list differing objects first, then those that one side lacks, then equal ones', () => {
    const pairs = comparedTo(
      [service('same'), service('left'), service('changed')],
      [service('changed', { spec: {} }), service('same'), service('right')],
    )
    expect(pairs.map(({ key, standing }) => [key, standing])).toEqual([
      ['shop/changed', 'differs'],
      ['shop/left', 'left'],
      ['shop/right', 'right'],
      ['shop/same', 'same'],
    ])
  })

  it.each([
    ['eu-west', { instance: 'eu-west' }],
    ['eu-west/m1', { instance: 'eu-west', cluster: 'm1' }],
  ])('are written as %s in an address', (text, side) => {
    expect(sideIn(text)).toEqual(side)
    expect(sideText(side)).toBe(text)
  })
})

describe('a side', () => {
  const reading = async (pages: readonly object[], cluster?: string) => {
    const asked: string[] = []
    const api = {
      request: async (_method: string, path: string, { query = {} } = {}) => {
        asked.push(`${path}?${new URLSearchParams(query)}`)
        return { text: JSON.stringify(pages[asked.length - 1]), warnings: [] }
      },
    }
    const side = { instance: 'i', ...(cluster && { cluster }) }
    const { signal } = new AbortController()
    const read = await readSide(side, comparedTypes.deployments!, 'shop', signal, api)
    return { asked, read }
  }

  it('is read page by page, in a member through the cluster proxy', async () => {
    const { asked, read } = await reading(
      [
        { items: [service('a')], metadata: { continue: 'next' } },
        { items: [service('b')], metadata: {} },
      ],
      'm/1',
    )
    const path =
      '/apis/cluster.karmada.io/v1alpha1/clusters/m%2F1/proxy/apis/apps/v1/namespaces/shop/deployments'
    expect(asked).toEqual([`${path}?limit=250`, `${path}?limit=250&continue=next`])
    expect(read.objects.map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
    expect(read.isCut).toBe(false)
  })

  it('is read up to a limit, and reports that there is more', async () => {
    const items = Array.from({ length: MOST_OBJECTS }, (_, index) => service(`a${index}`))
    const { asked, read } = await reading([{ items, metadata: { continue: 'next' } }])
    expect(asked).toHaveLength(1)
    expect(read).toMatchObject({ isCut: true })
    const last = await reading([{ items: [...items, service('last')], metadata: {} }])
    expect(last.read.objects).toHaveLength(MOST_OBJECTS)
    expect(last.read.isCut).toBe(true)
  })
})

it('compares objects whose names are properties of every JavaScript object', () => {
  const object = (heading: string) =>
    JSON.parse(
      `{"apiVersion":"a/v1","kind":"constructor","metadata":{"name":"a"},"spec":{"__proto__":{"heading":"${heading}"}}}`,
    )
  expect(comparedTo([object('north')], [object('north')])[0]?.standing).toBe('same')
  const [pair] = comparedTo([object('north')], [object('south')])
  expect([pair?.standing, JSON.stringify(pair?.left)]).toEqual([
    'differs',
    '{"apiVersion":"a/v1","kind":"constructor","metadata":{"name":"a"},"spec":{"__proto__":{"heading":"north"}}}',
  ])
})
