import { describe, expect, it } from 'vitest'
import { listRoute } from '../../../http/objects/list/list-route.js'
import type { ListQuery } from '../../../http/objects/list-query.js'
import type { IndexState } from '../../../http/proxy/route/route.js'

const good: IndexState = {
  can: { lossless: false, listResourceVersion: false, watch: false },
  holds: 'synced',
  trouble: undefined,
  stalled: false,
  hangs: false,
  away: false,
  aggregated: 'no',
  access: 'allowed',
  reached: true,
  showsOwnWrites: true,
}
const listed = (query: Partial<ListQuery<never>> = {}, cluster?: string) => ({
  place: { instance: 'north', ...(cluster !== undefined && { cluster }) },
  query: { page: 1, pageSize: 20, ...query },
})

describe('a list of the management API goes', () => {
  it.each([
    [{}],
    [{ pageSize: 1 }],
    [{ pageSize: 0 }],
    [{ namespace: 'shop', labelSelector: 'app in (a, b)' }],
    [{ nameContains: ['web'] }],
    [{ where: () => true }],
    [{ ownerUid: 'u-1' }],
    [{ namespaces: ['a'.repeat(2_000), 'b'.repeat(1_999)] }],
  ])('to the index that is in order, also to one without versions: %j', query => {
    expect(listRoute(listed(query), good)).toMatchObject({ to: 'index', reason: 'Index', fallback: false })
  })

  it.each([
    ['Member', listed({}, 'm1'), {}],
    ['FieldSelector', listed({ fieldSelector: 'metadata.name=a' }), {}],
    ['Namespaces', listed({ namespaces: ['a'.repeat(2_000), 'b'.repeat(2_000)] }), {}],
    ['LabelSelector', listed({ labelSelector: 'search.clusterpedia.io/limit=1' }), {}],
    ['LabelSelector', listed({ labelSelector: 'a>1' }), {}],
    ['NotIndexed', listed(), { holds: 'no' }],
    ['Denied', listed(), { access: 'denied' }],
    ['Aggregated', listed(), { aggregated: 'yes' }],
    ['OwnWrites', listed(), { showsOwnWrites: false }],
  ] as const)('to Karmada without a warning: %s', (reason, list, state) => {
    expect(listRoute(list, { ...good, ...state })).toMatchObject({ to: 'karmada', reason, fallback: false })
  })

  it.each([
    ['Syncing', { holds: 'syncing' }],
    ['Trouble', { trouble: 'it is old' }],
    ['Trouble', { holds: 'paused' }],
    ['Stalled', { stalled: true }],
    ['Hangs', { hangs: true }],
    ['AccessUnknown', { access: 'unknown' }],
    ['AggregatedUnknown', { aggregated: 'unknown' }],
  ] as const)('to Karmada with a warning while the index is not usable: %s', (reason, state) => {
    expect(listRoute(listed(), { ...good, ...state })).toMatchObject({
      to: 'karmada',
      reason,
      fallback: true,
    })
  })

  it('to Karmada where there is no index, and to the index while the instance is away', () => {
    expect(listRoute(listed(), undefined)).toMatchObject({ to: 'karmada', reason: 'NoIndex' })
    const away = { ...good, away: true, trouble: 'NotReachable' }
    expect(listRoute(listed(), away)).toMatchObject({ to: 'index', reason: 'InstanceAway' })
  })
})
