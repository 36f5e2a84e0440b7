import { once } from 'node:events'
import type { ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ConnectionOptions, connectKube, type KubeConnection } from '../../../actors/kube/connection.js'
import { StatusError } from '../../../manifests/status-error.js'
import { createAuthority } from '../../../playground/apiserver/access/certificates.js'
import { UnreachableError, type WatchEvent } from '../../../ports/kube-api.js'
import { warnedDuring } from '../../node-warnings.js'
import { waitFor } from '../../patience.js'
import { configOf, head, line, oneEvent, serve } from './streaming-server.js'

let server: Awaited<ReturnType<typeof serve>>
let api: KubeConnection

const connectedTo = (port: number, options: ConnectionOptions = {}): Promise<KubeConnection> =>
  connectKube(configOf(port), options)

async function connected(...given: Parameters<typeof serve>): Promise<void> {
  server = await serve(...given)
  api = await connectedTo(server.port)
}

/** The same over one session for requests too. */
async function sharing(...given: Parameters<typeof serve>): Promise<void> {
  server = await serve(...given)
  api = await connectedTo(server.port, { oneSession: true })
}

afterEach(async () => {
  await api?.close()
  await server?.close()
})

const opened = (n: number): AsyncIterator<WatchEvent> =>
  api.watch({ path: `/watch/${n}` })[Symbol.asyncIterator]()
const caught = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => Promise.reject(new Error('it was expected to fail')),
    error => error,
  )

describe('watches of one endpoint', () => {
  it('share one connection where the server speaks HTTP/2, and each gets its own events', async () => {
    await connected((stream, path) => {
      stream.respond(head)
      stream.write(line(Number(path.match(/watch\/(\d+)/)?.[1])))
    })
    const watches = Array.from({ length: 30 }, (_, n) => opened(n))
    const first = await Promise.all(watches.map(watch => watch.next()))
    expect(first.map(({ value }) => value.object.n)).toEqual(watches.map((_, n) => n))
    expect(server.sockets.size).toBe(1)
  })

  it('use a second connection when the server allows no more streams on the first', async () => {
    await connected(
      stream => {
        stream.respond(head)
        stream.write(line(1))
      },
      { maxConcurrentStreams: 10 },
    )
    const settled = opened(0)
    await settled.next() // from now on the server's settings are known
    const more = Array.from({ length: 14 }, (_, n) => opened(n))
    await Promise.all(more.map(watch => watch.next()))
    expect(server.sockets.size).toBe(2)
  })

  it('have a socket each where the server has only HTTP/1.1', async () => {
    await connected(() => undefined, { http1: true })
    const watches = [opened(1), opened(2), opened(3)]
    const first = await Promise.all(watches.map(watch => watch.next()))
    expect(first.map(({ value }) => value?.object)).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }])
    await waitFor(() => expect(server.sockets.size).toBe(3)) // the one that found out is closed
  })

  it('send the credential with every stream, and throw a refusal as its Status', async () => {
    let sent: string | undefined
    await connected((stream, _path, { authorization }) => {
      sent = authorization
      stream.respond({ ':status': 410, 'content-type': 'application/json' })
      stream.end(
        JSON.stringify({
          kind: 'Status',
          apiVersion: 'v1',
          code: 410,
          reason: 'Expired',
          message: 'too old',
        }),
      )
    })
    const error = await caught(opened(1).next() as Promise<unknown>)
    expect(error).toBeInstanceOf(StatusError)
    expect(error).toMatchObject({ code: 410, reason: 'Expired' })
    expect(sent).toBe('Bearer secret')
  })

  it('end separately: closing one resets its stream and keeps the others', async () => {
    const streams: ServerHttp2Stream[] = []
    await connected(stream => {
      streams.push(stream)
      stream.respond(head)
      stream.write(line(1))
    })
    const [left, kept] = [opened(1), opened(2)]
    await left.next()
    await kept.next()
    await left.return?.()
    await waitFor(() => expect(streams.map(stream => stream.closed)).toEqual([true, false]))
    streams[1]?.write(line(7))
    expect((await kept.next()).value.object).toEqual({ n: 7 })
  })

  it('fail as unreachable when the connection is cut, and the next one connects anew', async () => {
    await connected(oneEvent)
    const watch = opened(1)
    await watch.next()
    const lost = caught(watch.next() as Promise<unknown>)
    for (const socket of server.sockets) socket.destroy()
    expect(await lost).toBeInstanceOf(Error)
    expect((await opened(2).next()).value.object).toEqual({ n: 1 })
  })

  it('that run continue after GOAWAY, and new ones use a new connection', async () => {
    const streams: ServerHttp2Stream[] = []
    await connected(stream => {
      streams.push(stream)
      stream.respond(head)
      stream.write(line(streams.length))
    })
    const running = opened(1)
    await running.next()
    for (const session of server.sessions) session.close()
    await waitFor(async () => {
      const next = opened(2)
      expect((await next.next()).value.object.n).toBeGreaterThan(1)
      expect(server.sessions.size).toBe(2)
    })
    streams[0]?.write(line(9))
    expect((await running.next()).value.object).toEqual({ n: 9 })
  })

  it('end with the connection, which leaves no socket', async () => {
    await connected(oneEvent)
    const watch = opened(1)
    await watch.next()
    const ended = caught(watch.next() as Promise<unknown>)
    await api.close()
    expect((await ended).message).toMatch(/was closed/)
    await waitFor(() => expect(server.sockets.size).toBe(0))
  })

  it('refuse a server whose certificate another authority signed', async () => {
    await connected(() => undefined)
    const stranger = await connectKube({
      server: `https://127.0.0.1:${server.port}`,
      context: 'test',
      namespace: 'default',
      tls: { insecure: false, ca: { pem: createAuthority('other').certificate } },
      credential: {},
    })
    const error = await caught(stranger.watch({ path: '/x' })[Symbol.asyncIterator]().next())
    expect(error).toBeInstanceOf(UnreachableError)
    await stranger.close()
  })
})

describe('requests over the session of the watches', () => {
  const answerJson = (stream: ServerHttp2Stream, body: unknown): void => {
    stream.respond(head)
    stream.end(JSON.stringify(body))
  }

  it('share one connection with all watches and requests of the endpoint', async () => {
    await sharing((stream, path) => {
      if (path.includes('watch')) {
        stream.respond(head)
        stream.write(line(1))
      } else answerJson(stream, { path })
    })
    const watch = opened(1)
    await watch.next()
    const paths = Array.from({ length: 20 }, (_, n) => `/${n}`)
    const answers = await Promise.all(
      paths.map(path => api.request<{ path: string }>({ method: 'GET', path })),
    )
    expect(answers.map(({ path }) => path)).toEqual(paths)
    expect(server.sockets.size).toBe(1)
  })

  it('carry method, body and content type', async () => {
    await sharing((stream, path, headers) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { ':method': method, 'content-type': type } = headers
        answerJson(stream, { method, type, path, body: Buffer.concat(chunks).toString() })
      })
    })
    const asked = { method: 'PATCH', path: '/x', query: { force: true }, body: { ü: 1 } } as const
    const type = 'application/merge-patch+json'
    expect(await api.request({ ...asked, contentType: type })).toEqual({
      method: 'PATCH',
      type,
      path: '/x?force=true',
      body: '{"ü":1}',
    })
  })

  it('fall back to sockets where the server has only HTTP/1.1', async () => {
    server = await serve(() => undefined, { http1: true, whole: true })
    api = await connectedTo(server.port, { oneSession: true })
    expect(await api.request({ method: 'GET', path: '/x' })).toEqual({ n: 1 })
  })

  it('fail within their deadline, and use a new connection when the old one is dead', async () => {
    server = await serve(stream => answerJson(stream, { n: 1 }))
    const relay = await freezable(server.port)
    api = await connectedTo(relay.port, { oneSession: true })
    const get = () => api.request({ method: 'GET', path: '/x', timeoutMs: 1_000 })
    try {
      await api.request({ method: 'GET', path: '/x' })
      relay.freeze()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const late = caught(get())
      await vi.advanceTimersByTimeAsync(1_000)
      expect(await late).toMatchObject({ code: 'DEADLINE' })
      await vi.advanceTimersByTimeAsync(5_000)
      expect(await get()).toEqual({ n: 1 })
    } finally {
      vi.useRealTimers()
      await api.close()
      await relay.close()
    }
  })

  it('keep the connection when the server is only slow to answer', async () => {
    let answering = false
    await sharing(stream => answering && answerJson(stream, { n: 1 }))
    const get = () => api.request({ method: 'GET', path: '/x', timeoutMs: 50 })
    await caught(get())
    answering = true
    expect(await api.request({ method: 'GET', path: '/x' })).toEqual({ n: 1 })
    expect(server.sessions.size).toBe(1)
  })
})

it('an endpoint opens as many sessions as it needs, without a leak warning of Node.js', async () => {
  const warned = await warnedDuring(async () => {
    await connected(oneEvent, { maxConcurrentStreams: 1 })
    await opened(0).next() // from now on the server's settings are known
    for (let n = 1; n < 12; n++) {
      await opened(n).next()
      await waitFor(() => expect(server.sessions.size).toBe(n + 1))
    }
  })
  expect(warned).toEqual([])
})

/** Hands bytes through to a port, until it is frozen: what is connected then stays connected and silent. */
async function freezable(port: number) {
  const pairs = new Set<readonly [Socket, Socket]>()
  const relay = createTcpServer(near => {
    const pair = [near, connect(port, '127.0.0.1')] as const
    pairs.add(pair)
    for (const each of pair) each.on('error', () => undefined)
    near.pipe(pair[1]).pipe(near)
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  return {
    port: (relay.address() as AddressInfo).port,
    freeze(): void {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause()
        far.unpipe(near).pause()
      }
    },
    async close(): Promise<void> {
      for (const pair of pairs) for (const each of pair) each.destroy()
      relay.close()
      await once(relay, 'close')
    },
  }
}
