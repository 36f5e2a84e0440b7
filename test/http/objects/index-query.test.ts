import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexQuery } from '../../../http/objects/list/index-query.js'
import { parseQuery } from '../../../playground/container-management/query/query.js'

const page = { page: 3, pageSize: 20 }
const asked = (query: object) => Object.fromEntries(indexQuery({ ...page, ...query }).parameters)

describe('a query of the index', () => {
  it('asks for a page in a total order, and for the remaining count', () => {
    expect(asked({})).toEqual({
      orderby: 'name,namespace',
      withRemainingCount: 'true',
      // One more than the page has shows whether there is a next one.
      limit: '21',
      continue: '40',
    })
    const byAge = { sort: { key: 'createdAt', descending: true } }
    expect(asked(byAge).orderby).toBe('created_at desc,namespace,name')
    expect(asked({ sort: { key: 'namespace', descending: true } }).orderby).toBe('namespace desc,name')
  })

  it('asks for fewer objects where no more of an index are wanted, unless it has to select among all', () => {
    const first = { page: 1, pageSize: 50 }
    expect(asked({ ...first, mostOfIndex: 2 }).limit).toBe('2')
    expect(asked({ ...first, mostOfIndex: 99 }).limit).toBe('50')
    expect(asked({ ...first, mostOfIndex: 2, where: () => true }).limit).toBe('10000')
  })

  it('translates labels, parts of names, names and owners into the index’s parameters', () => {
    expect(
      asked({ labelSelector: 'app=a', nameContains: ['web', ''], names: ['a', 'b'], ownerUid: 'u-1' }),
    ).toMatchObject({
      labelSelector: 'app=a,internalstorage.clusterpedia.io/fuzzy-name=web',
      names: 'a,b',
      ownerUID: 'u-1',
    })
  })

  it.each([
    ['a pattern in a name', { nameContains: ['a%b'] }],
    ['a wildcard in a name', { nameContains: ['a_b'] }],
    ['a selector in a name', { nameContains: ['a,search.clusterpedia.io/namespaces=x'] }],
    ['a list in a name', { names: ['a,b'] }],
    ['more in an owner', { ownerUid: "u' or 1=1" }],
    ['a condition that it has no word for', { where: () => true }],
    ['an order that it has no word for', { sort: { key: () => '', descending: false } }],
  ])('asks for everything instead of %s', (_what, query) => {
    const { parameters, whole } = indexQuery({ ...page, ...query } as never)
    expect(whole).toBe(true)
    expect(Object.fromEntries(parameters)).toEqual({
      orderby: 'name,namespace',
      withRemainingCount: 'true',
      limit: '10000',
    })
  })

  it('contains no parameter that a caller’s text injects', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(fc.array(text, { maxLength: 3 }), fc.array(text), text, (nameContains, names, ownerUid) => {
        const { parameters } = indexQuery({ ...page, nameContains, names, ownerUid })
        const read = parseQuery(parameters)
        expect(read.namespaces).toEqual([])
        expect(read.clusters).toEqual([])
        expect(read.labels.requirements).toEqual([])
        expect(read.fuzzyNames.every(part => nameContains.includes(part))).toBe(true)
        expect(read.names.every(name => names.includes(name))).toBe(true)
        expect(read.owner?.uid ?? ownerUid).toBe(ownerUid)
      }),
    )
  })
})
