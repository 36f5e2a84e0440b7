import { getEventListeners, once } from 'node:events'
import type { ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { createSecureContext, type TLSSocket } from 'node:tls'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connectKube } from '../../../actors/kube/connection.js'
import { Session } from '../../../actors/kube/session.js'
import { waitFor } from '../../patience.js'
import { authority, configOf, head, serve } from './streaming-server.js'

let close: () => Promise<void>
afterEach(async () => {
  vi.useRealTimers()
  await close()
})

const target = (port: number) => ({
  origin: `https://127.0.0.1:${port}`,
  secureContext: createSecureContext({ ca: authority.certificate }),
  ...{ insecure: false, connectTimeoutMs: 10_000 },
})

/** A session with a server that answers by a function, and allows two streams at once. */
async function opened(...[answer]: Parameters<typeof serve>) {
  const server = await serve(answer, { maxConcurrentStreams: 2 })
  const session = await Session.open(target(server.port))
  close = async () => {
    session?.destroy(new Error('the test is over'))
    await server.close()
  }
  const request = (signal: AbortSignal) =>
    session!.request({ method: 'GET', path: '/x', body: null, headers: {}, signal })
  return { session: session!, request, server }
}

const read = async (body: AsyncIterable<Buffer>) => {
  for await (const _ of body);
}

describe('a stream of a session', () => {
  it('leaves its place and no listener when it has ended', async () => {
    const { session, request } = await opened(stream => {
      stream.respond(head)
      stream.end('{}')
    })
    const { signal } = new AbortController()
    for (let times = 0; times < 3; times += 1) {
      await read((await request(signal)).body)
      await waitFor(() => expect(getEventListeners(signal, 'abort')).toEqual([]))
      expect(session.hasRoom).toBe(true)
    }
  })

  it('is ended with the reason of a signal that has aborted before', async () => {
    const { request } = await opened(() => undefined)
    await expect(request(AbortSignal.abort(new Error('hung up')))).rejects.toThrow('hung up')
  })

  it('that its caller ends raises no doubt about the connection', async () => {
    const pings: unknown[] = []
    const { request, server } = await opened((stream, path) => {
      if (path !== '/x') return
      stream.session?.on('ping', () => pings.push('ping'))
      stream.respond(head)
      stream.write('{')
    })
    const gone = new AbortController()
    const { body } = await request(gone.signal)
    gone.abort(new Error('hung up'))
    await expect(read(body)).rejects.toThrow('hung up')
    // What is sent later arrives later.
    await request(new AbortController().signal)
    expect([pings, server.sessions.size]).toEqual([[], 1])
  })
})

describe('a session', () => {
  const answered = (stream: ServerHttp2Stream): void => {
    stream.respond(head)
    stream.end()
  }

  it('stays open when its server answers its pings', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const { session, request, server } = await opened(answered)
    const answer = async () => read((await request(new AbortController().signal)).body)
    await answer()
    const pinged = vi.fn()
    for (const each of server.sessions) each.on('ping', pinged)
    vi.advanceTimersByTime(30_000)
    // What is sent later arrives later: the answer to the ping comes before that to the request.
    await answer()
    expect(pinged).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(15_000)
    expect(session.hasRoom).toBe(true)
  })

  it('is pinged half a minute after the last that came, and not sooner', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    let watch: ServerHttp2Stream | undefined
    const { request, server } = await opened(stream => {
      if (watch) return answered(stream)
      watch = stream
      stream.respond(head)
      stream.write('one')
    })
    const { body } = await request(new AbortController().signal)
    const events = body[Symbol.asyncIterator]()
    await events.next()
    const pinged = vi.fn()
    for (const each of server.sessions) each.on('ping', pinged)
    vi.advanceTimersByTime(20_000)
    watch?.write('two')
    await events.next()
    vi.advanceTimersByTime(20_000)
    // What is sent later arrives later.
    await read((await request(new AbortController().signal)).body)
    expect(pinged).not.toHaveBeenCalled()
    vi.advanceTimersByTime(30_000)
    await read((await request(new AbortController().signal)).body)
    expect(pinged).toHaveBeenCalledOnce()
  })

  it('is given up when nothing came for 45 s, its answer to a ping included', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const { session, request, server } = await opened(answered)
    await read((await request(new AbortController().signal)).body)
    for (const socket of server.sockets) socket.pause()
    const over = vi.fn()
    session.whenOver(over)
    vi.advanceTimersByTime(30_000)
    vi.advanceTimersByTime(14_999)
    expect(session.hasRoom).toBe(true)
    vi.advanceTimersByTime(1)
    expect(session.hasRoom).toBe(false)
    await waitFor(() => expect(over).toHaveBeenCalledOnce())
  })

  it('says no server name where the server has none but its address', async () => {
    const { request, server } = await opened(answered)
    await request(new AbortController().signal)
    expect([...server.sockets].map(socket => (socket as TLSSocket).servername)).toEqual([false])
  })

  it('lets the server send 16 MiB at once in all streams together', async () => {
    let room: number | undefined
    const { request } = await opened(stream => {
      room = stream.session?.state.remoteWindowSize
      answered(stream)
    })
    await request(new AbortController().signal)
    expect(room).toBe(16 << 20)
  })

  it('that could not be opened leaves no timer', async () => {
    const { server } = await opened(answered)
    const { port } = server
    await close()
    close = async () => undefined
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    // So long that no waiting makes it end.
    const opening = Session.open({ ...target(port), connectTimeoutMs: 1_000_000_000 })
    await expect(opening).rejects.toThrow(/ECONNREFUSED/)
    await waitFor(() => expect(vi.getTimerCount()).toBe(0))
  })
})

describe('a session that has ended', () => {
  it('leaves no timer, and says at once that it has', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const { session, request, server } = await opened(stream => {
      stream.respond(head)
      stream.end()
    })
    await read((await request(new AbortController().signal)).body)
    const over = new Promise<void>(resolve => session.whenOver(resolve))
    for (const socket of server.sockets) socket.destroy()
    await over
    expect(vi.getTimerCount()).toBe(0)
    const again = vi.fn()
    session.whenOver(again)
    expect(again).toHaveBeenCalledTimes(1)
  })
})

it.each(['request', 'watch'])('a %s ends in time where its session does not open', async kind => {
  const sockets: Socket[] = []
  const silent = createTcpServer(socket => void sockets.push(socket))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const api = await connectKube(configOf((silent.address() as AddressInfo).port), { oneSession: true })
  close = async () => {
    for (const socket of sockets) socket.destroy()
    await api.close()
    silent.close()
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const asked = { path: '/x', timeoutMs: 50 }
  const answer =
    kind === 'watch'
      ? api.watch(asked)[Symbol.asyncIterator]().next()
      : api.request({ method: 'GET', ...asked })
  const late = expect(answer).rejects.toMatchObject({ code: 'DEADLINE' })
  // The connection itself has 10 s, which do not pass.
  await vi.advanceTimersByTimeAsync(50)
  await late
})
