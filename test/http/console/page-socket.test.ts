import { connect } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { SessionUses } from '../../../http/console/session-uses.js'
import { UntakenBytes } from '../../../http/console/untaken-bytes.js'
import { SOCKET_PROTOCOL, sessionUserProtocol } from '../../../transcoding/session-user.js'
import { waitFor } from '../../patience.js'
import { tlsUnderTest } from '../../playground/issuer/running-issuer.js'
import { deferred } from '../fakes/deferred.js'
import { viewOf } from '../fakes/fleet.js'
import { curl, type Listening } from '../fakes/listening.js'
import { consoles, cookieOf, ofPage, session } from './console-under-test.js'

const { start } = consoles()

describe('the socket that a page’s streams share', () => {
  interface Frame {
    readonly id: number
    readonly status?: number
    readonly text?: string
    readonly end?: true
  }

  /** A page's socket and what it has received. */
  async function open(api: Listening, headers: Record<string, string>, protocols: string[] = []) {
    const { url, certificateAuthority } = api.running
    const frames: Frame[] = []
    const socket = new WebSocket(`${url.replace('https', 'wss')}/console/socket`, protocols, {
      headers,
      ca: certificateAuthority,
    })
    const closed = new Promise<number>(resolve => socket.once('close', resolve))
    socket.on('message', data => frames.push(JSON.parse(String(data))))
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    return { socket, frames, closed, send: (frame: object) => socket.send(JSON.stringify(frame)) }
  }
  const asPage = async (api: Listening, token = 'admin') =>
    open(api, { ...ofPage(api), cookie: await session(api, token) })
  const watch = '/apis/kairship.io/v1alpha1/instances:watch'
  const textOf = (frames: readonly Frame[], id: number) =>
    frames.flatMap(frame => (frame.id === id && frame.text ? [frame.text] : [])).join('')

  it('carries several streams, each with its status and its events', async () => {
    const api = await start()
    const { frames, send, socket } = await asPage(api)
    send({ open: 1, path: watch, headers: { accept: 'text/event-stream' } })
    send({ open: 2, path: `${watch}?name=north`, headers: { accept: 'text/event-stream' } })
    await waitFor(() => {
      expect(textOf(frames, 1)).toMatch(/north[\s\S]*south[\s\S]*BOOKMARK/)
      expect(textOf(frames, 2)).toMatch(/north[\s\S]*BOOKMARK/)
    })
    expect(textOf(frames, 2)).not.toContain('south')
    expect(frames.filter(({ status }) => status !== undefined)).toEqual([
      { id: 1, status: 200 },
      { id: 2, status: 200 },
    ])
    socket.close()
  })

  it('ends a stream that its page closes, and frees its place', async () => {
    const api = await start({ streamsPerCaller: 1 })
    const { frames, send, socket } = await asPage(api)
    for (let id = 1; id <= 3; id += 1) {
      send({ open: id, path: watch })
      await waitFor(() => expect(textOf(frames, id)).toContain('BOOKMARK'))
      send({ close: id })
      await waitFor(() => expect(frames).toContainEqual({ id, end: true }))
    }
    socket.close()
  })

  it('frees the places of all streams when its page closes', async () => {
    const api = await start({ streamsPerCaller: 1 })
    const first = await asPage(api)
    first.send({ open: 1, path: watch })
    await waitFor(() => expect(textOf(first.frames, 1)).toContain('BOOKMARK'))
    first.socket.terminate()
    const second = await asPage(api)
    let id = 0
    await waitFor(() => {
      id += 1
      second.send({ open: id, path: watch })
      expect(second.frames.some(({ text }) => text?.includes('BOOKMARK'))).toBe(true)
    })
    second.socket.close()
  })

  it('answers a refused call with the same status and message as a call of its own', async () => {
    const api = await start()
    const { frames, send, socket } = await asPage(api, 'nobody')
    send({ open: 5, path: '/apis/kairship.io/v1alpha1/instances/north' })
    await waitFor(() => expect(frames).toContainEqual({ id: 5, end: true }))
    expect(frames[0]).toEqual({ id: 5, status: 403 })
    expect(textOf(frames, 5)).toContain('nobody')
    socket.close()
  })

  it('is removed from its session’s open calls when it is closed', async () => {
    const api = await start()
    const underWay = new Set<object>()
    const add = SessionUses.prototype.add
    const spy = vi.spyOn(SessionUses.prototype, 'add').mockImplementation(function (
      this: SessionUses,
      id,
      end,
    ) {
      const use = {}
      underWay.add(use)
      const leave = add.call(this, id, end)
      return () => {
        underWay.delete(use)
        leave()
      }
    })
    onTestFinished(() => spy.mockRestore())
    const { socket, closed } = await asPage(api)
    expect(underWay.size).toBe(1)
    socket.close()
    await closed
    await waitFor(() => expect(underWay.size).toBe(0))
  })

  it('is closed with its server, which then stops following locks', async () => {
    const api = await start()
    const { closed } = await asPage(api)
    const end = vi.spyOn(SessionUses.prototype, 'end')
    onTestFinished(() => end.mockRestore())
    /** Those who follow locks are called in a microtask. */
    const lock = async (session: string) => {
      const expiresAt = new Date(Date.now() + 60_000).toISOString()
      api.fleet.accessLocks.lock(session, { tokenId: `console-session/${session}`, expiresAt })
      await new Promise(resolve => setImmediate(resolve))
    }
    await lock('one')
    expect(end.mock.calls).toEqual([['one']])
    await api.running.close()
    expect(await closed).toBe(1001)
    await lock('two')
    expect(end.mock.calls).toEqual([['one']])
  })

  it('refuses every stream of the API that a call of its own is refused, with the same message', async () => {
    const api = await start()
    const headers = { ...ofPage(api), cookie: await session(api, 'nobody'), accept: 'text/event-stream' }
    const { paths } = JSON.parse((await curl(api.running, '/openapi.json')).text) as {
      paths: Record<string, { get?: { responses: Record<string, { content?: object }> } }>
    }
    const streams = Object.entries(paths)
      .filter(([, { get }]) => 'text/event-stream' in (get?.responses['200']?.content ?? {}))
      .map(([path]) => path.replace(/\{[^}]+\}/g, 'north'))
    let refused = 0
    const { frames, send, socket } = await open(api, headers)
    const withoutId = (text: string) => text.replace(/"requestId":"[^"]*"/g, '')
    for (const [id, path] of streams.entries()) {
      send({ open: id, path })
      await waitFor(() => expect(frames.some(frame => frame.id === id && frame.status)).toBe(true))
      if (frames.some(frame => frame.id === id && frame.status === 200)) {
        // Open to every caller: it shows what the caller may see, as its own events, and nothing that it has not named.
        await waitFor(() => expect(textOf(frames, id)).toContain('BOOKMARK'))
        expect(textOf(frames, id)).not.toContain('south')
        send({ close: id })
        continue
      }
      refused += 1
      await waitFor(() => expect(frames).toContainEqual({ id, end: true }))
      const { status, text } = await curl(api.running, path, {}, headers)
      expect(frames).toContainEqual({ id, status })
      expect(withoutId(textOf(frames, id))).toBe(withoutId(text))
    }
    expect(refused).toBeGreaterThan(20)
    socket.close()
  })

  it('writes the same audit record as a call of its own, with its browser', async () => {
    const api = await start()
    const headers = { ...ofPage(api), cookie: await session(api, 'nobody'), 'user-agent': 'browser/1' }
    const { frames, send, socket } = await open(api, headers)
    const path = '/apis/kairship.io/v1alpha1/instances/north'
    await curl(api.running, path, {}, headers)
    send({ open: 5, path })
    await waitFor(() => expect(frames).toContainEqual({ id: 5, end: true }))
    const [alone, carried] = api.log
      .audits()
      .filter(({ uri }) => uri === path)
      .map(record => ({ ...record, requestId: '', endedAt: 0, durationMs: 0 }))
    expect(alone).toMatchObject({ userAgent: 'browser/1' })
    expect(carried).toEqual(alone)
    socket.close()
  })

  it('counts what a page has not taken to its caller', async () => {
    const take = vi.spyOn(UntakenBytes.prototype, 'take')
    onTestFinished(() => take.mockRestore())
    const { frames, send, socket } = await asPage(await start())
    send({ open: 1, path: watch })
    await waitFor(() => expect(textOf(frames, 1)).toContain('BOOKMARK'))
    expect(new Set(take.mock.calls.map(([caller]) => caller))).toEqual(new Set(['admin']))
    socket.close()
  })

  it('that is reset while its token is looked at ends nothing else', async () => {
    const api = await start()
    const [asked, answer] = [deferred<void>(), deferred<void>()]
    api.host.script = ({ path }) => {
      if (!path.endsWith('/tokenreviews')) return undefined
      asked.resolve()
      return answer.promise
    }
    const { hostname, port } = new URL(api.running.url)
    const connection = connect(Number(port), hostname)
    const secure = tlsConnect({ socket: connection, ca: api.running.certificateAuthority, host: hostname })
    secure.on('error', () => undefined)
    const headers = {
      ...{ ...ofPage(api), authorization: 'Bearer admin', host: `${hostname}:${port}` },
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    secure.write(['GET /console/socket HTTP/1.1', ...lines, '', ''].join('\r\n'))
    await asked.promise
    connection.resetAndDestroy()
    answer.resolve()
    const { frames, send, socket } = await asPage(api)
    send({ open: 1, path: watch })
    await waitFor(() => expect(textOf(frames, 1)).toContain('BOOKMARK'))
    socket.close()
  })

  it('closes at once when somebody signs out while its token is being authenticated', async () => {
    const tls = await tlsUnderTest()
    const first = await start({ tls })
    const cookie = await session(first, 'admin')
    // Another replica, which has not seen the token yet, by the same address.
    const api = await start({ tls })
    const [asked, answer] = [deferred<void>(), deferred<void>()]
    api.host.script = ({ path }) => {
      if (!path.endsWith('/tokenreviews')) return undefined
      asked.resolve()
      return answer.promise
    }
    const headers = { ...ofPage(first), cookie }
    const opening = open(api, headers)
    await asked.promise
    expect((await curl(api.running, '/console/session', {}, headers, 'DELETE')).status).toBe(204)
    answer.resolve()
    expect(await (await opening).closed).toBe(1008)
  })

  it.each<[string, string]>([
    ['without a session', ''],
    ['with a cookie that nobody made', 'a.b.c.d.e'],
  ])('is refused with 401 %s', async (_what, sealed) => {
    const api = await start()
    const cookie = sealed && `${cookieOf(api, 'session')}=${sealed}`
    await expect(open(api, { ...ofPage(api), cookie })).rejects.toThrow('401')
  })

  it('is refused with 401 to a page of another user than the browser’s current session', async () => {
    const api = await start()
    const headers = { ...ofPage(api), cookie: await session(api, 'admin') }
    const as = (user: string) => open(api, headers, [SOCKET_PROTOCOL, sessionUserProtocol(user)])
    const { socket } = await as('admin')
    expect(socket.protocol).toBe(SOCKET_PROTOCOL)
    socket.close()
    await expect(as('ada')).rejects.toThrow('401')
  })

  it('is refused with 403 to a page of another site with the user’s cookie', async () => {
    const api = await start()
    const cookie = await session(api, 'admin')
    await expect(open(api, { cookie, origin: 'https://evil.example' })).rejects.toThrow('403')
    await expect(open(api, { cookie })).rejects.toThrow('403')
  })

  it.each<[string, string]>([
    ['no JSON', '{'],
    ['no path', '{"open":1}'],
    ['a path of another server', '{"open":1,"path":"//evil.example/apis/"}'],
    ['a path that is none of the API', '{"open":1,"path":"/console/session"}'],
    ['a path that leaves the API', '{"open":1,"path":"/apis/../console/session"}'],
    ['a path that leaves the API in other letters', '{"open":1,"path":"/apis/%2e%2E\\\\console/session"}'],
    ['a header of its own', `{"open":1,"path":"${watch}","headers":{"authorization":"Bearer x"}}`],
    ['a method', `{"open":1,"path":"${watch}","method":"DELETE"}`],
    ['an id below 0', `{"open":-1,"path":"${watch}"}`],
    ['an id that is no number', `{"open":"1","path":"${watch}"}`],
  ])('closes on a frame with %s', async (_what, text) => {
    const { socket, closed } = await asPage(await start())
    socket.send(text)
    expect(await closed).toBe(1008)
  })

  it('closes on a GET that is no stream', async () => {
    const { send, closed, frames } = await asPage(await start())
    send({ open: 1, path: '/apis/kairship.io/v1alpha1/instances/north' })
    expect(await closed).toBe(1008)
    expect(frames).toEqual([])
  })

  it('closes on a frame that is larger than any page sends', async () => {
    const { socket, closed } = await asPage(await start())
    socket.send(JSON.stringify({ open: 1, path: `/apis/${'x'.repeat(20_000)}` }))
    expect(await closed).toBe(1009)
  })

  it('closes when a page uses an id twice, or opens more than 64 streams', async () => {
    const api = await start()
    const twice = await asPage(api)
    twice.send({ open: 1, path: watch })
    twice.send({ open: 1, path: watch })
    expect(await twice.closed).toBe(1008)
    const many = await asPage(api)
    for (let id = 0; id <= 64; id += 1) many.send({ open: id, path: watch })
    expect(await many.closed).toBe(1008)
  })

  it('is not opened beyond 32 of one caller', async () => {
    const api = await start()
    const cookie = await session(api, 'admin')
    const pages = await Promise.all(Array.from({ length: 32 }, () => open(api, { ...ofPage(api), cookie })))
    await expect(open(api, { ...ofPage(api), cookie })).rejects.toThrow('429')
    pages[0]!.socket.terminate()
    await waitFor(async () => (await open(api, { ...ofPage(api), cookie })).socket.terminate())
    for (const { socket } of pages) socket.terminate()
  })

  it('closes with all reads of its session when somebody signs out in another tab; other sessions go on', async () => {
    const api = await start()
    const cookie = await session(api, 'admin')
    const tab = { ...ofPage(api), cookie }
    const first = await open(api, tab)
    const other = await asPage(api)
    for (const one of [first, other]) one.send({ open: 1, path: watch })
    const read = curl(api.running, watch, {}, { ...tab, accept: 'text/event-stream' })
    const cut = expect(read).rejects.toThrow()
    await waitFor(() => {
      for (const { frames } of [first, other]) expect(textOf(frames, 1)).toContain('BOOKMARK')
    })
    const left = await curl(api.running, '/console/session', {}, tab, 'DELETE')
    expect(left.status).toBe(204)
    expect(await first.closed).toBe(1008)
    await cut
    expect((await curl(api.running, '/console/session', {}, tab)).status).toBe(401)
    await expect(open(api, tab)).rejects.toThrow('401')
    other.send({ open: 2, path: watch })
    await waitFor(() => expect(textOf(other.frames, 2)).toContain('BOOKMARK'))
    other.socket.close()
  })

  it('closes when the token of its session has ended', async () => {
    const exp = Math.ceil(Date.now() / 1_000) + 2
    const token = ['{"alg":"none"}', JSON.stringify({ exp }), 'admin']
      .map(part => Buffer.from(part).toString('base64url'))
      .join('.')
    const api = await start()
    api.host.script = ({ path }) =>
      path.endsWith('/tokenreviews')
        ? { status: { authenticated: true, user: { username: 'admin' } } }
        : undefined
    const { closed, send, frames } = await asPage(api, token)
    send({ open: 1, path: watch })
    expect(await closed).toBe(1008)
    // Its streams say so before.
    expect(textOf(frames, 1)).toContain('the credential has expired')
  })

  it('is cut off when its page does not take the end of a stream whose caller was locked', async () => {
    const api = await start()
    // Far more than the system takes for a page that reads nothing.
    const [alias, kubeconfigSecretRef] = [
      'x'.repeat(1_000_000),
      { namespace: 'kairship-system', name: 'large' },
    ]
    for (let count = 0; count < 24; count += 1)
      api.fleet.set(viewOf(`large-${count}`, 'ready', { kubeconfigSecretRef, alias }))
    const { socket, send, closed } = await asPage(api)
    socket.on('error', () => undefined)
    const begun = new Promise<void>(resolve => {
      socket.on('message', data => {
        // Of the first instance: what is on its way after it is as large.
        if (String(data).length < alias.length) return
        socket.pause()
        resolve()
      })
    })
    for (let id = 1; id <= 64; id += 1) send({ open: id, path: watch })
    await begun
    const lockedAt = performance.now()
    api.fleet.accessLocks.lock('incident', { user: 'admin' })
    let isClosed = false
    void closed.then(() => {
      isClosed = true
    })
    // Who reads nothing notices by what it sends.
    await waitFor(() => {
      socket.ping()
      expect(isClosed).toBe(true)
    })
    // And not when nothing was taken for a minute.
    expect(performance.now() - lockedAt).toBeLessThan(20_000)
  })

  it('closes with a code for reconnecting when the server stops', async () => {
    const api = await start()
    const { closed, send, frames } = await asPage(api)
    send({ open: 1, path: watch })
    await waitFor(() => expect(textOf(frames, 1)).toContain('BOOKMARK'))
    const stopped = api.running.close()
    expect(await closed).toBe(1001)
    await stopped
  })
})
