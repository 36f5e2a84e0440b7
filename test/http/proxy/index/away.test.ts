import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { InstanceIndex } from '../../../../ports/instance-index.js'
import { waitFor } from '../../../patience.js'
import { type FakeUpstream, fakeUpstream } from '../fake-upstream.js'
import { ProxyUnderTest } from '../proxy-under-test.js'

const path = '/north/proxy/api/v1/namespaces/default/configmaps/x'
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' } }
const proxy = new ProxyUnderTest()
let behindIndex: FakeUpstream
let index: InstanceIndex
const rights = { revision: 'r1', unchangedForMs: 60_000 }

beforeEach(async () => {
  behindIndex = await fakeUpstream()
  behindIndex.answer = json(object)
  rights.revision = 'r1'
  rights.unchangedForMs = 60_000
  index = {
    can: { lossless: true, listResourceVersion: false, watch: false },
    holds: () => 'synced',
    freshness: { state: 'current', lagMs: 5, measuredAt: '2026-11-22T10:00:00.000Z' },
    noteRead: () => undefined,
    rights,
    mark: '"shadow.clusterpedia.io/cluster-name":"k-north"',
    upstream: behindIndex.api.upstream!,
    shared: { cluster: 'k-north', annotation: 'shadow', upstream: behindIndex.api.upstream! },
  }
  proxy.fleet.index = () => index
  proxy.upstream.answer = instance
})
afterEach(() => behindIndex.close())

const json = (body: object) => (_: unknown, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** An instance where everybody may do everything. */
function instance(request: IncomingMessage, response: ServerResponse): void {
  const isReview = request.url?.includes('subjectaccessreviews')
  json(isReview ? { kind: 'SubjectAccessReview', status: { allowed: true } } : object)(request, response)
}

/** Keeps connections and requests, and answers nothing, as a process that was stopped. */
const hangs = () => undefined

async function read() {
  const { status, headers, text } = await proxy.ask(path)
  const source = [headers['kairship-source'], headers['kairship-source-reason']]
  return { status, source, warning: headers.warning, text, lag: headers['kairship-index-lag'] }
}

/** The instance keeps no connection, and its index says so. */
function instanceLeaves(holds: 'paused' | 'synced' = 'paused'): void {
  proxy.upstream.answer = (_, response) => response.destroy()
  index = { ...index, trouble: 'ClusterHealthy is False: NotReachable', holds: () => holds }
  behindIndex.answer = (request, response) => {
    response.setHeader('Warning', '299 - "k-north is not ready"')
    json(object)(request, response)
  }
}

describe('an index whose instance is unreachable', () => {
  it.each(['paused', 'synced'] as const)(
    'still answers callers that the instance allowed, and warns that it may be out of date: %s',
    async holds => {
      expect((await read()).source).toEqual(['index', 'Index'])
      instanceLeaves(holds)
      for (let time = 0; time < 8; time++)
        expect(await read()).toEqual({
          status: 200,
          source: ['index', 'InstanceAway'],
          warning: expect.stringMatching(/answered by the index: the instance cannot be reached/),
          text: JSON.stringify(object),
          lag: undefined,
        })
    },
  )

  it('refuses callers without an earlier review', async () => {
    instanceLeaves()
    expect((await read()).status).toBe(503)
    expect(behindIndex.requests).toEqual([])
  })

  it('refuses every caller once a role binding of the instance changes', async () => {
    expect((await read()).status).toBe(200)
    instanceLeaves()
    expect((await read()).status).toBe(200)
    rights.revision = 'r2'
    expect((await read()).status).toBe(503)
  })

  it('does not answer with an empty list, because its owner cannot confirm it', async () => {
    index = { ...index, can: { ...index.can, lossless: false } }
    const list = (...items: object[]) => json({ kind: 'ConfigMapList', apiVersion: 'v1', items })
    behindIndex.answer = list(object)
    const maps = '/north/proxy/api/v1/namespaces/default/configmaps'
    expect((await proxy.ask(maps)).headers['kairship-source']).toBe('index')
    instanceLeaves()
    behindIndex.answer = list()
    expect((await proxy.ask(maps)).status).toBe(503)
    behindIndex.answer = list(object)
    expect((await proxy.ask(maps)).headers['kairship-source-reason']).toBe('InstanceAway')
  })

  it('is not used any more once its instance is back', async () => {
    await read()
    instanceLeaves()
    expect((await read()).source).toEqual(['index', 'InstanceAway'])
    proxy.upstream.answer = instance
    await waitFor(async () => expect((await read()).source).toEqual(['karmada', 'Trouble']))
  })
})

describe('the error for a hung dependency', () => {
  it('names the instance', async () => {
    index = { ...index, holds: () => 'no' }
    proxy.upstream.answer = hangs
    const answer = await read()
    expect([answer.status, JSON.parse(answer.text).message]).toEqual([
      504,
      'the instance’s API server does not answer: nothing came for /livez either',
    ])
    expect(JSON.parse((await read()).text).message).toMatch(/does not answer.*refused for a moment/)
    proxy.upstream.answer = instance
    await waitFor(async () => expect((await read()).status).toBe(200))
  })

  it('names an aggregated API behind an instance that answers', async () => {
    proxy.upstream.answer = (request, response) => {
      if (!request.url?.startsWith('/apis/cluster.karmada.io/')) instance(request, response)
    }
    index = { ...index, holds: () => 'no' }
    const { status, text } = await proxy.ask('/north/proxy/apis/cluster.karmada.io/v1alpha1/clusters')
    expect([status, JSON.parse(text).message]).toEqual([
      504,
      'the instance’s API server answers, but /apis/cluster.karmada.io/v1alpha1 behind it does not',
    ])
    expect((await read()).status).toBe(200)
  })

  it('is avoided for a hung index: the instance answers at once after the first request', async () => {
    behindIndex.answer = hangs
    const first = await read()
    expect([first.status, first.source, first.warning]).toEqual([
      200,
      ['karmada', 'IndexFailed'],
      expect.stringMatching(/the index could not be read: it did not answer/),
    ])
    const asked = behindIndex.requests.length
    for (let time = 0; time < 5; time++) expect((await read()).source).toEqual(['karmada', 'Hangs'])
    expect(behindIndex.requests.slice(asked).filter(({ url }) => !url?.includes('canary'))).toEqual([])
    behindIndex.answer = json(object)
    await waitFor(async () => expect((await read()).source).toEqual(['index', 'Index']))
  })
})
