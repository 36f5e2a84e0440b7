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
