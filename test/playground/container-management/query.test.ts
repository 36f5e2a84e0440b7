import { describe, expect, it } from 'vitest'
import { SelectorError } from '../../../manifests/label-selector.js'
import { parseQuery } from '../../../playground/container-management/query/query.js'
import { QueryError } from '../../../playground/container-management/query/query-error.js'

const query = (parameters: Record<string, string>) => parseQuery(new URLSearchParams(parameters))

describe('a query', () => {
  it('selects everything without parameters', () => {
    expect(query({})).toMatchObject({
      clusters: [],
      namespaces: [],
      names: [],
      order: [],
      limit: 0,
      offset: 0,
      withContinue: false,
      withRemainingCount: false,
    })
  })

  it('reads search labels, which the URL’s parameters override', () => {
    const labelSelector = [
      'search.clusterpedia.io/clusters in (a,b)',
      'search.clusterpedia.io/namespaces=x',
      'search.clusterpedia.io/limit=5',
      'search.clusterpedia.io/offset=10',
      'search.clusterpedia.io/orderby in (created_at_desc,name)',
      'search.clusterpedia.io/with-continue=true',
      'internalstorage.clusterpedia.io/fuzzy-name=web',
      'app=nginx',
    ].join()
    const read = query({ labelSelector, namespaces: 'y,z' })
    expect(read).toMatchObject({
      clusters: ['a', 'b'],
      namespaces: ['y', 'z'],
      fuzzyNames: ['web'],
      limit: 5,
      offset: 10,
      withContinue: true,
    })
    expect(read.order).toContainEqual({ column: 'created_at', descending: true })
    expect(read.labels.requirements.map(({ key }) => key)).toEqual(['app'])
  })

  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
    ['1767323045', '2026-01-02T03:04:05.000Z'],
    ['1767323045000', '2026-01-02T03:04:05.000Z'],
  ])('accepts %s as a time', (since, expected) =>
    expect(new Date(query({ since }).since ?? 0).toISOString()).toBe(expected),
  )

  it.each([
    ['a column that is not one', { orderby: 'object' }, '"object" is not one of cluster, namespace'],
    ['a column with SQL in it', { orderby: 'name;drop/**/table' }, 'is not one of'],
    ['two words before desc', { orderby: 'name kind desc' }, 'Invalid Query OrderBy'],
    ['a limit that is no number', { limit: 'ten' }, 'Invalid Query Limit(ten)'],
    ['a negative limit', { limit: '-1' }, 'Invalid Query Limit(-1)'],
    ['a continue token of another server', { continue: 'eyJ2Ijoi' }, 'Invalid Query Offset(eyJ2Ijoi)'],
    ['a time that is none', { since: 'yesterday' }, 'Invalid datetime'],
    ['a Unix time of odd length', { before: '123' }, '10(as s) and 13(as ms)'],
    ['since after before', { since: '2026-01-02', before: '2026-01-01' }, 'Since is after Before'],
  ])('with %s is refused', (_what, parameters, message) => {
    const read = () => query(parameters as unknown as Record<string, string>)
    expect(read).toThrow(QueryError)
    expect(read).toThrow(message)
  })

  it('with a malformed label selector is refused with Kubernetes’ message', () => {
    expect(() => query({ labelSelector: 'a in b' })).toThrow(SelectorError)
  })
})
