import type { Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { bareStatus } from '../../manifests/status-error.js'
import type { KubeApi, KubeRequest, WatchEvent, WatchRequest } from '../../ports/kube-api.js'
import { type ListWatchOptions, listWatch } from '../../streams/list-watch.js'
import { waitFor } from '../patience.js'

const things = { group: 'test', version: 'v1', resource: 'things' }
const path = '/apis/test/v1/things'

/** What each request is answered with, in their order; requests beyond that are answered never. */
function server(pages: readonly unknown[], events: readonly unknown[] = []) {
  const requests: (KubeRequest | WatchRequest)[] = []
  let ended = 0
  const api: KubeApi = {
    server: 'https://test',
    async request<T>(request: KubeRequest) {
      const answer = pages[requests.push(request) - 1]
      return (answer === undefined ? new Promise(() => undefined) : answer) as T
    },
    async *watch(request) {
      requests.push(request)
      request.opened?.()
      try {
        // As a connection whose end is noticed late: it does not look at the signal.
        for (const event of events) yield (await event) as WatchEvent
      } finally {
        ended += 1
      }
    },
    close: async () => undefined,
  }
  return { api, requests, ended: () => ended }
}

/** What came of a stream until it ended, in words. */
const seen = (items: Observable<{ readonly type: string }>) =>
  new Promise<readonly string[]>(resolve => {
    const words: string[] = []
    items.subscribe({
      next: item => words.push(JSON.stringify(item)),
      error: error => resolve([...words, String(error)]),
      complete: () => resolve([...words, 'complete']),
    })
  })

const page = (items: unknown, metadata: object = { resourceVersion: '9' }) => ({
  apiVersion: 'test/v1',
  kind: 'ThingList',
  metadata,
  items,
})
const thing = (name: string, more: object = {}) => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion: '7' },
  ...more,
})
const typed = { apiVersion: 'test/v1', kind: 'Thing' }
const event = (type: string, object: unknown): WatchEvent => ({ type, object }) as WatchEvent

const lists = (
  pages: readonly unknown[],
  { whole = false, ...options }: ListWatchOptions & { whole?: boolean } = {},
) => {
  const { api, requests } = server(pages)
  return { requests, words: seen(listWatch(api, things, options).list({ whole })) }
}

describe('a list', () => {
  it('reads page after page, and ends with the version of the last', async () => {
    const { requests, words } = lists(
      [
        page([thing('a')], { resourceVersion: '9', continue: 'next' }),
        page([thing('b')], { resourceVersion: '9', continue: '' }),
      ],
      { labelSelector: 'a=b', fieldSelector: 'metadata.name=x' },
    )
    expect(await words).toEqual([
      JSON.stringify({ type: 'listed', objects: [{ ...typed, ...thing('a') }] }),
      JSON.stringify({ type: 'listed', objects: [{ ...typed, ...thing('b') }] }),
      '{"type":"synced","cursor":"9"}',
      'complete',
    ])
    const selectors = { labelSelector: 'a=b', fieldSelector: 'metadata.name=x' }
    expect(requests.map(({ path, query }) => [path, query])).toEqual([
      [path, { ...selectors, limit: 500, continue: undefined }],
      [path, { ...selectors, limit: 500, continue: 'next' }],
    ])
  })

  it('requests one page with all items when the list must be complete', async () => {
    const { requests, words } = lists([page([])], { whole: true })
    await words
    expect(requests[0]?.query).toMatchObject({ limit: undefined })
  })

  it('reads null items as an empty list', async () => {
    expect(await lists([page(null)]).words).toEqual([
      '{"type":"listed","objects":[]}',
      '{"type":"synced","cursor":"9"}',
      'complete',
    ])
  })

  it('keeps the apiVersion and kind of an item that has them', async () => {
    const own = thing('a', { apiVersion: 'other/v2', kind: 'Special' })
    const [first] = await lists([page([own])]).words
    expect(JSON.parse(first ?? '')).toMatchObject({ objects: [{ apiVersion: 'other/v2', kind: 'Special' }] })
  })

  it.each([
    ['is no list', { kind: 'Status', metadata: { resourceVersion: '9' } }, 'the answer is not a list'],
    ['has no items', page(undefined), 'the answer is not a list'],
    ['is empty', '', 'the answer is not a list'],
    ['has no version', page([], {}), 'the list has no resourceVersion, so it cannot be watched'],
    ['has an object without a name', page([{ metadata: {} }]), 'the server sent an object without a name'],
  ])('fails when the answer %s', async (_, answer, message) => {
    expect(await lists([answer]).words).toEqual([`Error: ${path}: ${message}`])
  })

  it.each([
    ['empty pages', 0, 10_000],
    ['objects', 500, 500],
  ])('gives up a list of %s that has no end', async (_, each, pages) => {
    const objects = Array.from({ length: each }, (_, n) => thing(`a${n}`))
    let requests = 0
    const api = {
      ...server([]).api,
      request: async () => {
        requests += 1
        return page(objects, { resourceVersion: '9', continue: String(requests) }) as never
      },
    }
    const words = await seen(listWatch(api, things).list({ whole: false }))
    expect(words.at(-1)).toBe(
      `Error: ${path}: the list has no end: it goes on after 250000 objects or 10000 pages`,
    )
    expect([words.length - 1, requests]).toEqual([pages, pages + 1])
  })

  it.each(['name', 'namespace', 'uid', 'resourceVersion'])(
    'keeps no object whose %s is longer than any is',
    async part => {
      const { metadata } = thing('a')
      const page1 = (length: number) => [page([{ metadata: { ...metadata, [part]: 'x'.repeat(length) } }])]
      expect((await lists(page1(1_024)).words).at(-1)).toBe('complete')
      expect(await lists(page1(1_025)).words).toEqual([
        `Error: ${path}: the server sent an object whose identity is longer than 1024`,
      ])
    },
  )

  it('ends its request when it is unsubscribed', async () => {
    const { api, requests } = server([])
    const subscription = listWatch(api, things).list({ whole: false }).subscribe()
    expect(requests[0]?.signal?.aborted).toBe(false)
    subscription.unsubscribe()
    expect(requests[0]?.signal?.aborted).toBe(true)
  })
})

const watched = (...events: readonly unknown[]) =>
  seen(listWatch(server([], events).api, things).watch('9', 300))

describe('a watch', () => {
  it('starts at the listed version, and requests bookmarks and a timeout', async () => {
    const { api, requests } = server([])
    expect(await seen(listWatch(api, things, { labelSelector: 'a=b' }).watch('9', 300))).toEqual([
      '{"type":"opened"}',
      'complete',
    ])
    expect(requests[0]?.query).toEqual({
      labelSelector: 'a=b',
      fieldSelector: undefined,
      resourceVersion: '9',
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
    })
  })

  it('reports additions and changes, deletions, and bookmarks', async () => {
    const words = await watched(
      event('ADDED', thing('a')),
      event('MODIFIED', thing('a')),
      event('DELETED', thing('a')),
      event('BOOKMARK', { metadata: { resourceVersion: '30' } }),
    )
    expect(words).toEqual([
      '{"type":"opened"}',
      JSON.stringify({ type: 'applied', object: thing('a'), cursor: '7' }),
      JSON.stringify({ type: 'applied', object: thing('a'), cursor: '7' }),
      JSON.stringify({ type: 'deleted', object: thing('a'), cursor: '7' }),
      '{"type":"bookmarked","cursor":"30"}',
      'complete',
    ])
  })

  it.each([
    [
      'the server’s own error',
      event('ERROR', { ...bareStatus(410, 'too old'), reason: 'Expired' }),
      'StatusError: too old',
    ],
    [
      'an event without a version',
      event('ADDED', { metadata: { name: 'a' } }),
      `Error: ${path}: the watch sent a ADDED event without a resourceVersion`,
    ],
    [
      'an event without a name',
      event('ADDED', { metadata: { resourceVersion: '7' } }),
      `Error: ${path}: the server sent an object without a name`,
    ],
  ])('fails with %s', async (_, sent, message) => {
    expect(await watched(sent, event('ADDED', thing('b')))).toEqual(['{"type":"opened"}', message])
  })

  it('ends its request when it is unsubscribed, and reads no further', async () => {
    let send: (event: WatchEvent) => void = () => undefined
    const late = new Promise<WatchEvent>(resolve => {
      send = resolve
    })
    const { api, requests, ended } = server(
      [],
      [event('ADDED', thing('a')), late, new Promise(() => undefined)],
    )
    const words: string[] = []
    const subscription = listWatch(api, things)
      .watch('9', 300)
      .subscribe(({ type }) => words.push(type))
    await waitFor(() => expect(words).toEqual(['opened', 'applied']))
    subscription.unsubscribe()
    expect(requests[0]?.signal?.aborted).toBe(true)
    send(event('ADDED', thing('b')))
    await waitFor(() => expect(ended()).toBe(1))
    expect(words).toEqual(['opened', 'applied'])
  })
})
