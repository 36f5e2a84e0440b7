import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CachedType, typeKey } from '../../../../karmada/search/selected.js'
import type { AggregatedRequest } from '../../../../playground/apiserver/catalogue/aggregation.js'
import type { ApiRequest } from '../../../../playground/apiserver/wire/exchange.js'
import { requestInfo } from '../../../../playground/apiserver/wire/request-info.js'
import { MultiClusterCache } from '../../../../playground/karmada/search/multi-cluster-cache.js'
import { proxying } from '../../../../playground/karmada/search/proxying.js'
import { CONFIG_MAPS } from '../../../../playground/objects/core-types.js'
import { eventually } from '../../eventually.js'
import { FakeMember } from './fake-member.js'
import { PROXY, refusal } from './search-world.js'

const MAPS: CachedType = { ...CONFIG_MAPS, kind: 'ConfigMap', namespaced: true }
let cache: MultiClusterCache
let passed: ApiRequest[]
beforeEach(() => {
  passed = []
  const member = new FakeMember('a')
  cache = new MultiClusterCache(
    () => member,
    () => 0,
  )
  const types = new Map([[typeKey(MAPS), { type: MAPS, namespaces: 'all' as const }]])
  cache.update({ clusters: new Map([['m1', types]]), registered: new Map([[typeKey(MAPS), MAPS]]) })
})
afterEach(() => cache.close())

const send = (
  method: string,
  below: string,
  headers: ApiRequest['headers'] = {},
  asked: Readonly<Record<string, string>> = {},
  signal: AbortSignal = new AbortController().signal,
) => {
  const handle = proxying({
    // It has no Clusters: what is sent to a member ends there, and its refusal says so.
    control: new FakeMember(),
    pass: async request => {
      passed.push(request)
      return { code: 200, body: { text: '', contentType: 'text/plain' } }
    },
    cache,
    now: () => 0,
  })
  const path = PROXY + below
  const query = new URLSearchParams(asked)
  const request = {
    method,
    path,
    query,
    headers,
    body: async () => Buffer.alloc(0),
    signal,
  }
  const user = { name: 'ann', groups: [] }
  return handle({ ...request, user, info: requestInfo(method, path, query) } as unknown as AggregatedRequest)
}
const toMember = { message: 'clusters.cluster.karmada.io "m1" not found' }

describe('a request through the proxy of karmada-search', () => {
  it('for what is not cached goes to the control plane without what says who its caller is', async () => {
    await send('GET', '/api/v1/secrets', {
      authorization: 'Bearer secret',
      'impersonate-user': 'root',
      'impersonate-extra-scopes': 'all',
      accept: 'application/json',
    })
    expect(passed.map(({ path, headers }) => [path, headers])).toEqual([
      ['/api/v1/secrets', { accept: 'application/json' }],
    ])
  })

  it.each([
    ['POST', '/api/v1/namespaces/default/configmaps/a/eviction'],
    ['GET', '/api/v1/namespaces/default/configmaps/a/log'],
    ['PATCH', '/api/v1/namespaces/default/configmaps/a'],
    ['DELETE', '/api/v1/namespaces/default/configmaps/a'],
  ])('goes to the member that has the object: %s %s', async (method, path) => {
    expect(await refusal(send(method, path))).toMatchObject(toMember)
    expect(passed).toEqual([])
  })

  it('that deletes the objects of all namespaces is refused: it names none', async () => {
    expect((await refusal(send('DELETE', '/api/v1/configmaps'))).message).toBe(
      'fail to get   from m1: Namespace parameter required.',
    )
  })

  it('that watches ends when its caller goes', async () => {
    await eventually('the cache to be complete', () => cache.find('m1', MAPS)?.cache.isReady)
    const caller = new AbortController()
    const { body } = await send('GET', '/api/v1/configmaps', {}, { watch: 'true' }, caller.signal)
    if (!('watch' in body)) throw new Error('the answer is no watch')
    const events = body.watch[Symbol.asyncIterator]()
    expect((await events.next()).value).toHaveLength(1)
    const next = events.next()
    caller.abort()
    expect(await next).toEqual({ done: true, value: undefined })
  })
})
