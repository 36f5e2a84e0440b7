import { Client, type Dispatcher, Pool } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { authenticator } from '../../../actors/kube/authenticate.js'
import type { Kubeconfig } from '../../../actors/kube/kubeconfig.js'
import { Sockets } from '../../../actors/kube/sockets.js'
import { upstreamOf } from '../../../actors/kube/upstream.js'
import type { RawRequest } from '../../../ports/kube-api.js'

const config: Kubeconfig = {
  context: 'x',
  namespace: 'default',
  server: 'https://127.0.0.1:1',
  tls: { insecure: false },
  credential: { token: 'own-token' },
}
const request: RawRequest = {
  method: 'GET',
  path: '/api',
  headers: ['Accept', '*/*'],
  long: false,
  headTimeoutMs: 0,
}
const nothing = {
  head: () => undefined,
  data: () => true,
  end: () => undefined,
  failed: () => undefined,
}
const opened: Sockets[] = []
afterEach(async () => {
  for (const sockets of opened.splice(0)) await sockets.close()
})

function endpoint() {
  const auth = authenticator(config)
  const sockets = new Sockets(config, 1)
  opened.push(sockets)
  const sent: Dispatcher.DispatchHandler[] = []
  const heads: Dispatcher.DispatchOptions['headers'][] = []
  const dispatcher = {
    dispatch: ({ headers }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
      heads.push(headers)
      sent.push(handler)
    },
  } as unknown as Dispatcher
  const scripted = { forProxy: () => dispatcher } as unknown as Sockets
  return { auth, sockets, sent, heads, upstream: upstreamOf(config, auth, scripted) }
}

describe('a proxied request', () => {
  it('gets its pool synchronously, once the certificates are read', async () => {
    const { auth, sockets } = endpoint()
    const proof = await auth.proof()
    const first = sockets.forProxy(proof)
    expect(first).toBeInstanceOf(Promise)
    expect(await first).toBeInstanceOf(Pool)
    expect(sockets.forProxy(proof)).toBe(await first)
  })

  it('is dispatched in the same turn, with the connection’s own credential', () => {
    const { heads, upstream } = endpoint()
    upstream.send(request, nothing)
    expect(heads).toEqual([['Accept', '*/*', 'authorization', 'Bearer own-token']])
  })

  it('reports its failure only after its sender has the handle', async () => {
    const { upstream: behind, auth, sockets } = endpoint()
    await sockets.close()
    for (const upstream of [upstreamOf(config, auth, sockets), behind]) {
      let heard: Error | undefined
      const exchange = upstream.send(request, { ...nothing, failed: error => (heard = error) })
      exchange.abort(new Error('given up'))
      expect(heard).toBeUndefined()
      await Promise.resolve()
      expect(heard).toBeInstanceOf(Error)
    }
  })

  it('resumes only its own paused response, because its socket may carry another by then', () => {
    const { sent, upstream } = endpoint()
    const exchange = upstream.send(request, { ...nothing, data: chunk => chunk.length < 2 })
    const [handler] = sent
    let resumed = 0
    handler?.onConnect?.(() => undefined)
    handler?.onHeaders?.(200, [], () => (resumed += 1), 'OK')
    expect(handler?.onData?.(Buffer.from('a'))).toBe(true)
    exchange.resume()
    expect(resumed).toBe(0)
    expect(handler?.onData?.(Buffer.from('ab'))).toBe(false)
    exchange.resume()
    exchange.resume()
    expect(resumed).toBe(1)
    expect(handler?.onData?.(Buffer.from('ab'))).toBe(false)
    handler?.onComplete?.([])
    exchange.resume()
    expect(resumed).toBe(1)
  })

  it('does not build an object of the answer’s headers: undici passes the raw headers', () => {
    const { sent, upstream } = endpoint()
    const heads: unknown[] = []
    upstream.send(request, { ...nothing, head: (...head) => heads.push(head) })
    expect(sent[0]?.onRequestStart).toBeUndefined()
    sent[0]?.onHeaders?.(200, [Buffer.from('Name'), Buffer.from('v\xe4lue', 'latin1')], () => undefined, 'OK')
    expect(heads).toEqual([[200, 'OK', ['Name', 'välue']]])
  })
})

/** A dispatcher for long requests that a test opens, and what becomes of it. */
function watching() {
  const seen = { dispatched: [] as Dispatcher.DispatchOptions[], ended: [] as unknown[], refused: 0 }
  const handlers: Dispatcher.DispatchHandler[] = []
  const dispatcher = {
    dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
      seen.dispatched.push(options)
      handlers.push(handler)
    },
  } as unknown as Dispatcher
  let open: () => void = () => undefined
  const opening = new Promise<Dispatcher>(resolve => {
    open = () => resolve(dispatcher)
  })
  const sockets = {
    forWatch: () => opening,
    end: async (ended: unknown) => void seen.ended.push(ended),
  } as unknown as Sockets
  const auth = {
    ...authenticator(config),
    refused() {
      seen.refused += 1
    },
  }
  const told: string[] = []
  const sink = {
    head: (status: number) => void told.push(`head ${status}`),
    data: (chunk: Uint8Array) => told.push(`data ${chunk.length}`) < 0,
    end: () => void told.push('end'),
    failed: (error: Error) => void told.push(error.message),
  }
  const send = (also: Partial<RawRequest> = {}) =>
    upstreamOf({ ...config, server: `${config.server}/base/` }, auth, sockets).send(
      { ...request, long: true, ...also },
      sink,
    )
  const turns = () => new Promise(resolve => setImmediate(resolve))
  return { seen, handlers, dispatcher, told, send, open, turns }
}

describe('a long request', () => {
  it('goes to the server’s base path on a socket of its own, which is ended once it is over, with its time limits', async () => {
    const { seen, handlers, dispatcher, send, open, turns } = watching()
    send({ headTimeoutMs: 1_000, idleTimeoutMs: 2_000 })
    open()
    await turns()
    expect(seen.dispatched).toMatchObject([{ path: '/base/api', headersTimeout: 1_000, bodyTimeout: 2_000 }])
    expect(seen.ended).toEqual([])
    handlers[0]?.onComplete?.([])
    expect(seen.ended).toEqual([dispatcher])
  })

  it('that is aborted while its socket opens is not sent, and its socket is ended', async () => {
    const { seen, dispatcher, told, send, open, turns } = watching()
    send().abort(new Error('gone'))
    open()
    await turns()
    expect([seen.dispatched, seen.ended, told]).toEqual([[], [dispatcher], ['gone']])
  })

  it('that is aborted while it waits for its turn is not sent when that comes', async () => {
    const { handlers, told, send, open, turns } = watching()
    const exchange = send()
    open()
    await turns()
    exchange.abort(new Error('gone'))
    const aborted: (Error | undefined)[] = []
    handlers[0]?.onConnect?.(reason => void aborted.push(reason))
    exchange.abort(new Error('gone again'))
    await turns()
    expect([aborted.map(reason => reason?.message), told]).toEqual([['gone'], ['gone']])
  })

  it('tells its sink nothing after it was over', async () => {
    const { handlers, told, send, open, turns } = watching()
    send()
    open()
    await turns()
    const [handler] = handlers
    handler?.onHeaders?.(103, [], () => undefined, 'Early Hints')
    handler?.onHeaders?.(200, [], () => undefined, 'OK')
    handler?.onData?.(Buffer.from('ab'))
    handler?.onError?.(new Error('broken'))
    handler?.onHeaders?.(200, [], () => undefined, 'OK')
    expect(handler?.onData?.(Buffer.from('abc'))).toBe(true)
    handler?.onError?.(new Error('broken again'))
    handler?.onComplete?.([])
    await turns()
    expect(told).toEqual(['head 200', 'data 2', 'broken'])
  })

  it('that is answered with 401 has its credential read again', async () => {
    const { seen, handlers, send, open, turns } = watching()
    send()
    open()
    await turns()
    handlers[0]?.onHeaders?.(403, [], () => undefined, 'Forbidden')
    expect(seen.refused).toBe(0)
    handlers[0]?.onHeaders?.(401, [], () => undefined, 'Unauthorized')
    expect(seen.refused).toBe(1)
  })

  it('is not paused for an empty part of its answer', async () => {
    const { handlers, told, send, open, turns } = watching()
    send()
    open()
    await turns()
    handlers[0]?.onHeaders?.(200, [], () => undefined, 'OK')
    expect(handlers[0]?.onData?.(Buffer.alloc(0))).toBe(true)
    expect(handlers[0]?.onData?.(Buffer.from('a'))).toBe(false)
    expect(told).toEqual(['head 200', 'data 1'])
  })
})

// What undici calls is checked by it alone: this fails when a new version no longer takes such handlers.
it('undici still accepts handlers of the older interface', () => {
  const client = new Client('http://127.0.0.1:1')
  const errors: Error[] = []
  client.dispatch(
    { path: '/', method: 'GET' },
    {
      onConnect: () => undefined,
      onHeaders: () => true,
      onData: () => true,
      onComplete: () => undefined,
      onError: error => void errors.push(error),
    },
  )
  expect(errors).toEqual([])
  return client.destroy()
})
