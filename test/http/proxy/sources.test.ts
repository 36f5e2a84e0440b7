import { describe, expect, it } from 'vitest'
import type { ProxyRequest, Sources } from '../../../http/proxy/proxy-request.js'
import { readRequestOf } from '../../../http/proxy/route/read-request.js'
import { requestInfo } from '../../../http/proxy/route/request-info.js'
import { sourceOf } from '../../../http/proxy/sources.js'
import { WriteLedger } from '../../../http/read-your-writes/ledger.js'
import type { RawRequest, RawSink } from '../../../ports/kube-api.js'

const sink: RawSink = {
  head: () => undefined,
  data: () => true,
  end: () => undefined,
  failed: () => undefined,
}

/** Sends a request to an instance whose index holds its type so; what is looked up in the index before it reaches Karmada. */
function send(method: string, path: string, holds: 'synced' | 'syncing' | 'no' = 'synced') {
  const order: unknown[] = []
  const index = {
    can: { lossless: true, listResourceVersion: true, watch: true },
    holds: () => holds,
    freshness: { state: 'unknown' },
    mark: '',
    upstream: {},
  }
  const sources = {
    fleet: { index: () => index },
    circuits: { guardIndex: () => ({ send: () => undefined, admits: true }) },
    ledger: new WriteLedger(() => 0),
    activity: { count: () => undefined },
    catchUp: {
      look: async ({ scope }: { scope: object }) => {
        order.push(scope)
      },
    },
  }
  const info = requestInfo(method, path)
  const request = { method, path, headers: [], long: false, headTimeoutMs: 0 }
  const karmada = {
    upstream: {
      send: ({ path }: RawRequest) => {
        order.push(path)
        return { resume: () => undefined, abort: () => undefined }
      },
    },
  }
  const admitted = {
    instance: 'north',
    uid: 'u',
    caller: { user: 'ann' },
    info,
    read: readRequestOf(method, info, {}),
    karmada,
  }
  sourceOf(sources as unknown as Sources, admitted as unknown as ProxyRequest, () => undefined).send(
    request,
    sink,
  )
  return order
}

const MAP = '/api/v1/namespaces/a/configmaps/x'

describe('before a deletion is sent to the instance', () => {
  it('the object is read from the index, so that its absence can be noticed later', () =>
    expect(send('DELETE', MAP)).toEqual([{ namespace: 'a', name: 'x' }, MAP]))

  it.each(['syncing', 'no'] as const)('the object is not read from an index that holds the type %s', holds =>
    expect(send('DELETE', MAP, holds)).toEqual([MAP]),
  )
})

it('other writes send no request to the index', () => expect(send('PATCH', MAP)).toEqual([MAP]))
