import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BOOKMARK_MS } from '../../../../playground/apiserver/operations/open-watches.js'
import { WATCH_BUFFER } from '../../../../playground/apiserver/operations/watch-queue.js'
import { type ApiServer, startApiServer } from '../../../../playground/apiserver/server.js'
import type { KubeRequest, WatchEvent } from '../../../../ports/kube-api.js'

let server: ApiServer
beforeEach(async () => {
  server = await startApiServer({ name: 'watching', defaultAccounts: false })
})
afterEach(async () => {
  vi.useRealTimers()
  await server.close()
})

const path = '/api/v1/namespaces/default/configmaps'
interface Thing {
  readonly metadata: {
    readonly name?: string
    readonly resourceVersion: string
    readonly labels?: Record<string, string>
    readonly annotations?: Record<string, string>
  }
}

const write = (method: KubeRequest['method'], name: string, labels: Record<string, string> = {}) =>
  server.local.request<Thing>({
    method,
    path: method === 'POST' ? path : `${path}/${name}`,
    ...(method === 'DELETE' ? {} : { body: { metadata: { name, labels } } }),
  })

/** A watch whose events are taken one by one; each as `TYPE name`. */
async function open(query: KubeRequest['query'] = {}) {
  const events = server.local.watch({ path, query })[Symbol.asyncIterator]()
  const next = async (): Promise<WatchEvent | undefined> => {
    const { value, done } = await events.next()
    return done ? undefined : value
  }
  return {
    next,
    async take(count: number): Promise<string[]> {
      const seen: string[] = []
      while (seen.length < count) {
        const event = await next()
        if (!event) return [...seen, 'END']
        seen.push(`${event.type} ${(event.object as Thing).metadata?.name ?? ''}`.trim())
      }
      return seen
    },
    async rest(): Promise<string[]> {
      const seen: string[] = []
      for (let event = await next(); event; event = await next()) seen.push(event.type)
      return seen
    },
    close: () => events.return?.(undefined),
  }
}

describe('a watch', () => {
  it('without a resourceVersion starts with the present objects, then follows', async () => {
    await write('POST', 'b')
    await write('POST', 'a')
    const watch = await open()
    expect(await watch.take(2)).toEqual(['ADDED a', 'ADDED b'])
    await write('DELETE', 'a')
    expect(await watch.take(1)).toEqual(['DELETED a'])
    await watch.close()
  })

  it('with sendInitialEvents marks the end of the initial events with a bookmark at the list’s version', async () => {
    const { metadata } = await write('POST', 'a')
    const watch = await open({
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    })
    expect(await watch.take(1)).toEqual(['ADDED a'])
    expect(await watch.next()).toMatchObject({
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        metadata: {
          resourceVersion: metadata.resourceVersion,
          annotations: { 'k8s.io/initial-events-end': 'true' },
        },
      },
    })
    await watch.close()
  })

  it('refuses sendInitialEvents without NotOlderThan, and the match without it', async () => {
    const message = async (query: KubeRequest['query']) =>
      (await open(query)).next().catch((error: Error) => error.message)
    expect(await message({ sendInitialEvents: true })).toContain(
      'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    )
    expect(await message({ resourceVersionMatch: 'NotOlderThan' })).toContain(
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    )
  })

  it('with a selector shows an object that starts to match as ADDED, and one that stops as DELETED in its last matching state', async () => {
    const { metadata } = await write('POST', 'a', { color: 'red' })
    const watch = await open({ labelSelector: 'color=blue', resourceVersion: metadata.resourceVersion })
    await write('PUT', 'a', { color: 'blue' })
    await write('PUT', 'a', { color: 'blue', size: 'big' })
    const left = await write('PUT', 'a', { color: 'red' })
    expect(await watch.take(2)).toEqual(['ADDED a', 'MODIFIED a'])
    expect(await watch.next()).toMatchObject({
      type: 'DELETED',
      object: {
        metadata: { labels: { color: 'blue', size: 'big' }, resourceVersion: left.metadata.resourceVersion },
      },
    })
    await write('DELETE', 'a')
    await write('POST', 'b', { color: 'blue' })
    expect(await watch.take(1)).toEqual(['ADDED b'])
    await watch.close()
  })

  it('does not show objects of another namespace', async () => {
    const watch = await open()
    await server.local.request({
      method: 'POST',
      path: '/api/v1/namespaces/kube-public/configmaps',
      body: { metadata: { name: 'elsewhere' } },
    })
    await write('POST', 'here')
    expect(await watch.take(1)).toEqual(['ADDED here'])
    await watch.close()
  })

  it('with a selector emits matching objects only, and bookmarks with the current version', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
    const watch = await open({ allowWatchBookmarks: true, fieldSelector: 'metadata.name=wanted' })
    const pending = watch.next()
    const { metadata } = await write('POST', 'other')
    await vi.advanceTimersByTimeAsync(BOOKMARK_MS)
    expect(await pending).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: metadata.resourceVersion } },
    })
    await watch.close()
  })

  it('without allowWatchBookmarks gets none, and ends at its timeout', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
    const quiet = (await open({ timeoutSeconds: 300 })).rest()
    const told = (await open({ timeoutSeconds: 300, allowWatchBookmarks: true })).rest()
    await vi.advanceTimersByTimeAsync(300_000)
    expect(await quiet).toEqual([])
    // One a minute, and one at the end.
    expect(await told).toEqual(Array(6).fill('BOOKMARK'))
  })

  it('whose reader lags too far is closed, instead of filling memory', async () => {
    const { metadata } = await write('POST', 'counter')
    const watch = await open({ resourceVersion: metadata.resourceVersion })
    await Promise.all([watch.take(1), write('PUT', 'counter', { at: 'first' })])
    for (let count = 0; count <= WATCH_BUFFER; count += 1) await write('PUT', 'counter', { at: `v${count}` })
    expect((await watch.rest()).length).toBeLessThan(WATCH_BUFFER)
  })

  it('ends after its queued events when the server closes', async () => {
    await write('POST', 'a')
    const watch = await open()
    expect(await watch.take(1)).toEqual(['ADDED a'])
    const rest = watch.take(1)
    await server.close()
    expect(await rest).toEqual(['END'])
  })
})

describe('the event history', () => {
  it('of a type is kept for a while, and an older watch gets 410', async () => {
    let now = Date.now()
    const other = await startApiServer({ name: 'aging', clock: () => now, defaultAccounts: false })
    const put = (value: number) =>
      other.local.request<Thing>({
        method: value === 0 ? 'POST' : 'PUT',
        path: value === 0 ? path : `${path}/a`,
        body: { metadata: { name: 'a' }, data: { value: String(value) } },
      })
    const first = await put(0)
    for (let value = 1; value < 150; value += 1) await put(value)
    const from = async () => {
      const query = { resourceVersion: first.metadata.resourceVersion }
      for await (const event of other.local.watch({ path, query })) return event.type
      return 'END'
    }
    expect(await from()).toBe('MODIFIED')
    now += 10 * 60_000
    for (let value = 150; value < 300; value += 1) await put(value)
    expect(await from()).toBe('ERROR')
    await other.close()
  })
})
