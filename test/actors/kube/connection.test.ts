import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ConnectionOptions, connectKube, type KubeConnection } from '../../../actors/kube/connection.js'
import type { Credential, Kubeconfig } from '../../../actors/kube/kubeconfig.js'
import { StatusError } from '../../../manifests/status-error.js'
import { UnreachableError, type WatchEvent } from '../../../ports/kube-api.js'
import { waitFor } from '../../patience.js'
import { json, type Received, type ScriptedServer, scriptedServer } from './scripted-server.js'

let server: ScriptedServer
let api: KubeConnection

async function connected(
  answer: (request: Received, response: ServerResponse) => void,
  {
    credential = {},
    path = '',
    ...options
  }: ConnectionOptions & { credential?: Credential; path?: string } = {},
): Promise<void> {
  server = await scriptedServer(answer)
  const config: Kubeconfig = {
    server: server.url + path,
    context: 'test',
    namespace: 'default',
    tls: { insecure: false },
    credential,
  }
  api = await connectKube(config, options)
}

afterEach(async () => {
  vi.useRealTimers()
  await api?.close()
  await server?.close()
})

const caught = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => Promise.reject(new Error('it was expected to fail')),
    error => error,
  )

const events = async (watch: AsyncIterable<WatchEvent>): Promise<WatchEvent[]> => {
  const seen: WatchEvent[] = []
  for await (const event of watch) seen.push(event)
  return seen
}

describe('request', () => {
  it('sends path, query, body and content type, and returns the parsed answer', async () => {
    await connected((_, response) => json(response, 200, { ok: true }), { path: '/base' })
    const answer = await api.request({
      method: 'PATCH',
      path: '/api/v1/namespaces/a%2Fb',
      query: { fieldManager: 'kairship & co', force: true, limit: undefined },
      body: [{ op: 'test' }],
      contentType: 'application/json-patch+json',
    })
    expect(answer).toEqual({ ok: true })
    expect(server.received[0]).toMatchObject({
      method: 'PATCH',
      url: '/base/api/v1/namespaces/a%2Fb?fieldManager=kairship+%26+co&force=true',
      body: '[{"op":"test"}]',
      headers: {
        'content-type': 'application/json-patch+json',
        accept: 'application/json',
        'user-agent': 'kairship',
      },
    })
  })

  it('returns text where the answer is not JSON', async () => {
    await connected((_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('ok'))
    expect(await api.request({ method: 'GET', path: '/readyz' })).toBe('ok')
  })

  it('reuses its sockets for sequential requests and bounds how many it opens at once', async () => {
    await connected((_, response) => json(response, 200, {}), { maxRequestSockets: 3 })
    for (let i = 0; i < 5; i++) await api.request({ method: 'GET', path: '/' })
    expect(server.connections()).toBeLessThanOrEqual(2) // undici frees a socket a tick after the answer
    await Promise.all(Array.from({ length: 50 }, () => api.request({ method: 'GET', path: '/' })))
    expect(server.connections()).toBeLessThanOrEqual(3)
  })

  it('sends the impersonated user, also in characters that a header cannot carry', async () => {
    await connected((_, response) => json(response, 200, {}))
    await api.request({
      method: 'GET',
      path: '/',
      impersonate: { user: 'jürgen', groups: ['a', 'b'], extra: { 'scopes/(x)': ['1', '2'] } },
    })
    const { headers } = server.received[0]!
    expect(Buffer.from(String(headers['impersonate-user']), 'latin1').toString('utf8')).toBe('jürgen')
    expect(headers['impersonate-group']).toBe('a, b')
    expect(headers['impersonate-extra-scopes%2f%28x%29']).toBe('1, 2')
  })

  it.each([
    ['a token', { token: 't0' }, 'Bearer t0'],
    [
      'a user and password',
      { basic: { username: 'u', password: 'p:ä' } },
      `Basic ${Buffer.from('u:p:ä').toString('base64')}`,
    ],
    ['a token rather than a password', { token: 't0', basic: { username: 'u', password: 'p' } }, 'Bearer t0'],
  ])('authenticates with %s', async (_, credential, header) => {
    await connected((_, response) => json(response, 200, {}), { credential })
    await api.request({ method: 'GET', path: '/' })
    expect(server.received[0]!.headers.authorization).toBe(header)
  })
})

describe('a failed request', () => {
  it('throws the Status of the server', async () => {
    const status = {
      kind: 'Status',
      status: 'Failure',
      message: 'things "a" not found',
      reason: 'NotFound',
      code: 404,
    }
    await connected((_, response) => json(response, 404, status))
    const error = await caught(api.request({ method: 'GET', path: '/' }))
    expect(error).toBeInstanceOf(StatusError)
    expect(error).toMatchObject({ code: 404, reason: 'NotFound', message: 'things "a" not found' })
  })

  it.each([
    ['plain text', 'text/plain', 'service unavailable\n', 'service unavailable'],
    ['a page that claims to be JSON', 'application/json', '<html>', '<html>'],
    ['JSON that is no Status', 'application/json', '{"error":1}', '{"error":1}'],
    ['nothing', 'text/plain', '', 'the server answered 503'],
  ])('keeps code and text of %s, without a reason', async (_, type, text, message) => {
    await connected((_, response) =>
      response.writeHead(503, { 'content-type': type, 'retry-after': '7' }).end(text),
    )
    const error = (await caught(api.request({ method: 'GET', path: '/' }))) as StatusError
    expect(error).toMatchObject({ code: 503, reason: '', message })
    expect(error.status.details?.retryAfterSeconds).toBe(7)
  })

  it('follows no redirect', async () => {
    await connected((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())
    expect(await caught(api.request({ method: 'GET', path: '/' }))).toMatchObject({ code: 302 })
    expect(server.received).toHaveLength(1)
  })

  it('names the request and the cause when no server listens', async () => {
    await connected(() => undefined)
    const port = new URL(server.url).port
    await server.close()
    const error = await caught(api.request({ method: 'GET', path: '/readyz' }))
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error.message).toBe(`GET /readyz: connect ECONNREFUSED 127.0.0.1:${port}`)
    expect(error).toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('fails when its deadline is over, and aborts the request upstream', async () => {
    let closed: Promise<void> | undefined
    await connected((_, response) => {
      closed = new Promise(resolve => response.on('close', resolve))
    })
    const error = await caught(api.request({ method: 'GET', path: '/slow', timeoutMs: 50 }))
    expect(error).toMatchObject({
      name: 'UnreachableError',
      code: 'DEADLINE',
      message: 'GET /slow: no answer within 50 ms',
    })
    await closed
  })

  it('includes its body in its deadline', async () => {
    await connected((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":')
    })
    expect(await caught(api.request({ method: 'GET', path: '/', timeoutMs: 50 }))).toMatchObject({
      code: 'DEADLINE',
    })
  })

  it('throws the caller’s reason when the caller aborts, and aborts the request upstream', async () => {
    const caller = new AbortController()
    let closed: Promise<void> | undefined
    await connected((_, response) => {
      closed = new Promise(resolve => response.on('close', resolve))
      caller.abort(new Error('changed my mind'))
    })
    const error = await caught(api.request({ method: 'GET', path: '/', signal: caller.signal }))
    expect(error.message).toBe('changed my mind')
    await closed
  })

  it('is not sent when the caller’s signal is already aborted', async () => {
    await connected((_, response) => json(response, 200, {}))
    await caught(api.request({ method: 'POST', path: '/', body: {}, signal: AbortSignal.abort() }))
    expect(server.received).toHaveLength(0)
  })

  it('is not sent again when the answer was lost', async () => {
    await connected((_, response) => response.destroy())
    const error = await caught(api.request({ method: 'POST', path: '/', body: {} }))
    expect(error).toBeInstanceOf(UnreachableError)
    expect(server.received).toHaveLength(1)
  })

  it('stops at its size limit', async () => {
    await connected((_, response) => json(response, 200, { text: 'x'.repeat(1 << 20) }), {
      maxAnswerBytes: 1 << 16,
    })
    const error = await caught(api.request({ method: 'GET', path: '/big' }))
    expect(error.message).toBe('GET /big: the answer is larger than 65536 bytes')
  })

  it('stops at a size limit of its own', async () => {
    await connected((_, response) => json(response, 200, { text: 'x'.repeat(1 << 16) }))
    const error = await caught(api.request({ method: 'GET', path: '/big', maxAnswerBytes: 1 << 10 }))
    expect(error.message).toBe('GET /big: the answer is larger than 1024 bytes')
  })

  it('reads no more than a mebibyte of a refusal', async () => {
    await connected((_, response) => json(response, 500, { text: 'x'.repeat(1 << 20) }))
    const error = await caught(api.request({ method: 'GET', path: '/big' }))
    expect(error.message).toBe('GET /big: the answer is larger than 1048576 bytes')
  })

  it('does not parse JSON of more values than its limit', async () => {
    const limits = { maxAnswerValues: 1_000 }
    await connected((_, response) => json(response, 200, { items: Array(1_000).fill({}) }), limits)
    const error = await caught(api.request({ method: 'GET', path: '/many' }))
    expect(error.message).toBe('GET /many: the answer has more than 1000 values')
  })

  it('does not accept truncated JSON', async () => {
    await connected((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'),
    )
    expect((await caught(api.request({ method: 'GET', path: '/' }))).message).toMatch(
      /^GET \/: the answer says it is JSON/,
    )
  })
})

describe('watch', () => {
  const line = (type: string, name: string) => `${JSON.stringify({ type, object: { metadata: { name } } })}\n`
  const names = (seen: WatchEvent[]) =>
    seen.map(({ type, object }) => `${type} ${(object as { metadata: { name: string } }).metadata.name}`)

  it('yields events at any chunk boundaries, also inside a character', async () => {
    const bytes = Buffer.from(line('ADDED', 'ä') + line('MODIFIED', '€') + line('DELETED', 'z'))
    await connected((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const step = (at: number): void => {
        if (at >= bytes.length) return void response.end()
        response.write(bytes.subarray(at, at + 1), () => setImmediate(step, at + 1))
      }
      step(0)
    })
    expect(names(await events(api.watch({ path: '/things', query: { resourceVersion: '5' } })))).toEqual([
      'ADDED ä',
      'MODIFIED €',
      'DELETED z',
    ])
    expect(server.received[0]!.url).toBe('/things?resourceVersion=5&watch=true')
  })

  it('throws a refusal, and does not report itself as open', async () => {
    await connected((_, response) => response.writeHead(404).end('404 page not found'))
    const opened = vi.fn()
    expect(await caught(events(api.watch({ path: '/', opened })))).toMatchObject({
      code: 404,
      message: '404 page not found',
    })
    expect(opened).not.toHaveBeenCalled()
  })

  it('reports itself as open when the server has accepted it, before the first event', async () => {
    await connected((_, response) => {
      response.writeHead(200)
      response.flushHeaders()
    })
    const caller = new AbortController()
    const opened = new Promise<void>(resolve => {
      void events(api.watch({ path: '/', signal: caller.signal, opened: resolve }))
    })
    await opened
    caller.abort()
  })

  it.each([
    ['is cut inside an event', '{"type":"ADDED","obj', 'in the middle of an event'],
    ['sends no JSON', 'hello\n', 'not JSON'],
    ['sends JSON that is no event', '{"type":"HELLO","object":{}}\n', 'not a watch event'],
  ])('throws when the server %s', async (_, text, message) => {
    await connected((_, response) => response.writeHead(200).end(line('ADDED', 'a') + text))
    const seen: WatchEvent[] = []
    const reading = (async () => {
      for await (const event of api.watch({ path: '/' })) seen.push(event)
    })()
    expect((await caught(reading)).message).toContain(message)
    expect(names(seen)).toEqual(['ADDED a'])
  })

  it('throws when the connection is reset', async () => {
    await connected((_, response) => {
      response.writeHead(200).write(line('ADDED', 'a'), () => response.destroy())
    })
    expect(await caught(events(api.watch({ path: '/things' })))).toBeInstanceOf(UnreachableError)
  })

  it('refuses an event over its size limit', async () => {
    await connected((_, response) => response.writeHead(200).end('x'.repeat(1 << 18)), {
      maxAnswerBytes: 1 << 16,
    })
    expect((await caught(events(api.watch({ path: '/' })))).message).toContain('larger than 65536 bytes')
  })

  it('refuses an event of more values than its limit', async () => {
    const event = { type: 'ADDED', object: { metadata: { name: 'a' }, items: Array(1_000).fill({}) } }
    await connected((_, response) => response.writeHead(200).end(`${JSON.stringify(event)}\n`), {
      maxAnswerValues: 1_000,
    })
    expect((await caught(events(api.watch({ path: '/' })))).message).toContain('more than 1000 values')
  })

  it('limits the time for the response head, and not for events', async () => {
    let late: (() => void) | undefined
    let asked: () => void = () => undefined
    const muteAsked = new Promise<void>(resolve => {
      asked = resolve
    })
    await connected(
      ({ url }, response) => {
        if (url.startsWith('/mute')) return asked()
        response.writeHead(200).write(line('ADDED', 'a'))
        late = () => response.end(line('ADDED', 'b'))
      },
      { timeoutMs: 100 },
    )
    // Sockets are real, and time passes when we say so.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const quiet = api.watch({ path: '/quiet' })[Symbol.asyncIterator]()
    expect(names([(await quiet.next()).value])).toEqual(['ADDED a'])
    const mute = caught(events(api.watch({ path: '/mute' })))
    await muteAsked
    vi.advanceTimersByTime(100)
    expect(await mute).toMatchObject({ code: 'DEADLINE' })
    late?.()
    expect(names([(await quiet.next()).value])).toEqual(['ADDED b'])
  })

  it('completes without error when the caller aborts, and closes the socket', async () => {
    await connected((_, response) => void response.writeHead(200).write(line('ADDED', 'a')))
    const caller = new AbortController()
    for await (const _ of api.watch({ path: '/', signal: caller.signal })) caller.abort()
    await waitFor(() => expect(server.sockets.size).toBe(0))
    expect(api.inFlight()).toEqual({ requests: 0, watches: 0 })
  })

  it('closes the socket when the reader stops iterating', async () => {
    await connected((_, response) => void response.writeHead(200).write(line('ADDED', 'a')))
    for await (const _ of api.watch({ path: '/' })) break
    await waitFor(() => expect(server.sockets.size).toBe(0))
  })

  it('never starves requests, however many watches are open', async () => {
    await connected(
      ({ url }, response) => {
        if (url.includes('watch=true')) response.writeHead(200).write(line('ADDED', 'a'))
        else json(response, 200, {})
      },
      { maxRequestSockets: 1 },
    )
    const caller = new AbortController()
    setMaxListeners(40, caller.signal)
    const watches = Array.from({ length: 40 }, async () => {
      for await (const _ of api.watch({ path: '/', signal: caller.signal }))
        await api.request({ method: 'GET', path: '/' })
    })
    await waitFor(() => expect(server.received).toHaveLength(80))
    await waitFor(() => expect(api.inFlight()).toEqual({ requests: 0, watches: 40 }))
    caller.abort()
    await Promise.all(watches)
  })
})

describe('close', () => {
  it('ends requests and watches in flight and leaves no socket', async () => {
    await connected(({ url }, response) => {
      if (url.includes('watch=true')) response.writeHead(200).flushHeaders()
    })
    const failures = [
      caught(api.request({ method: 'GET', path: '/' })),
      caught(events(api.watch({ path: '/' }))),
    ]
    await waitFor(() => expect(server.received).toHaveLength(2))
    await api.close()
    for (const error of await Promise.all(failures)) expect(error.message).toContain('was closed')
    await waitFor(() => expect(server.sockets.size).toBe(0))
  })

  it('may be called twice, and refuses later requests', async () => {
    await connected((_, response) => json(response, 200, {}))
    await api.close()
    await api.close()
    expect((await caught(api.request({ method: 'GET', path: '/' }))).message).toContain('was closed')
    expect(server.received).toHaveLength(0)
  })
})

it('reports the outcome of each request to an observer', async () => {
  const ended: string[] = []
  await connected(({ url }, response) => json(response, url.startsWith('/no') ? 403 : 200, {}), {
    observe: ({ verb, code, seconds }) => ended.push(`${verb} ${code} ${seconds >= 0}`),
  })
  await api.request({ method: 'GET', path: '/' })
  await caught(api.request({ method: 'PUT', path: '/no', body: {} }))
  await caught(events(api.watch({ path: '/no' })))
  expect(ended).toEqual(['GET 200 true', 'PUT 403 true', 'WATCH 403 true'])
})
