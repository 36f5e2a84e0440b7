import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Code } from '../../../http/code.js'
import { waitFor } from '../../patience.js'
import { deferred } from '../fakes/deferred.js'
import { fakeFleet, viewOf } from '../fakes/fleet.js'
import { listeningApi } from '../fakes/listening.js'
import { type FakeUpstream, fakeUpstream } from './fake-upstream.js'

const root = '/apis/kairship.io/v1alpha1/instances'
let upstream: FakeUpstream
let api: Awaited<ReturnType<typeof listeningApi>>

beforeEach(async () => {
  upstream = await fakeUpstream()
  const fleet = fakeFleet(viewOf('north'), viewOf('south', 'degraded'))
  fleet.connections.set('north', upstream.api)
  api = await listeningApi(fleet, { graceMs: 60_000 })
})
afterEach(async () => {
  await api.running.close()
  await upstream.close()
})

interface Sent {
  readonly token?: string
  readonly method?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Buffer
}

/** Begins a request to the door, and leaves the rest to the test. */
function begin(path: string, { token = 'admin', method = 'GET', headers = {} }: Sent = {}): ClientRequest {
  const { url, certificateAuthority } = api.running
  const { hostname, port } = new URL(url)
  // Not as one URL: it would be tidied up before it is sent.
  return httpsRequest({
    hostname,
    port,
    path: `${root}${path}`,
    agent: false,
    ca: certificateAuthority,
    method,
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
  })
}

async function ask(path: string, sent: Sent = {}) {
  const request = begin(path, sent)
  request.end(sent.body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return { status: response.statusCode, headers: response.headers, rawHeaders: response.rawHeaders, text }
}

const audits = () => api.log.audits()

describe('a request through the door', () => {
  it('arrives as it was sent, from whom the host says, under Kairship’s own credential', async () => {
    upstream.answer = (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'audit-id': 'x', 'content-length': '7' })
        .end('{"a":1}')
    const path = '/north/proxy/api/v1/pods?labelSelector=a%3Db&limit=500'
    const answer = await ask(path, {
      token: 'viewer',
      headers: { accept: 'application/json;as=Table', 'x-remote-user': 'root', 'x-forwarded-for': '1.2.3.4' },
    })
    expect([answer.status, answer.text]).toEqual([200, '{"a":1}'])
    expect(answer.headers).toMatchObject({
      'audit-id': 'x',
      'kairship-source': 'karmada',
      'content-length': '7',
    })
    const [received] = upstream.requests
    expect([received?.method, received?.url]).toEqual(['GET', '/api/v1/pods?labelSelector=a%3Db&limit=500'])
    expect(received?.headers).toMatchObject({
      accept: 'application/json;as=Table',
      authorization: 'Bearer own-token',
      'impersonate-user': 'viewer',
      'impersonate-group': 'system:authenticated',
    })
    expect(Object.keys(received!.headers).filter(name => /^x-/.test(name))).toEqual([])
  })

  it('keeps every kind of answer: refusals, empty ones, heads alone, and bytes that are not text', async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 0, 0xff, 0xfe])
    upstream.answer = ({ url, method }, response) => {
      if (url === '/missing')
        response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found')
      else if (method === 'DELETE') response.writeHead(204).end()
      else if (method === 'HEAD') response.writeHead(200, { 'content-length': '77' }).end()
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes)
    }
    expect(await ask('/north/proxy/missing')).toMatchObject({ status: 404, text: '404 page not found' })
    expect(await ask('/north/proxy/x', { method: 'DELETE' })).toMatchObject({ status: 204, text: '' })
    expect((await ask('/north/proxy/x', { method: 'HEAD' })).headers['content-length']).toBe('77')
    expect(await ask('/north/proxy/x')).toMatchObject({
      text: bytes.toString(),
      headers: { 'content-encoding': 'gzip' },
    })
  })

  it.each([
    ['a known length', { 'content-length': '1048576' }],
    ['chunks', { 'transfer-encoding': 'chunked' }],
    ['an expectation', { 'content-length': '1048576', expect: '100-continue' }],
  ])('carries a body of %s', async (_, headers) => {
    const received = deferred<number>()
    upstream.answer = async (request, response) => {
      let length = 0
      for await (const chunk of request) length += (chunk as Buffer).length
      received.resolve(length)
      response.writeHead(201).end()
    }
    const { status } = await ask('/north/proxy/api', {
      method: 'POST',
      headers,
      body: Buffer.alloc(1_048_576, 'x'),
    })
    expect([status, await received.promise]).toEqual([201, 1_048_576])
  })

  it('is refused as an API server refuses, in a Status that kubectl shows', async () => {
    const cases: [string, Sent, number, string][] = [
      ['/north/proxy/api', { token: '' }, 401, 'Unauthorized'],
      ['/north/proxy/api', { token: 'unknown' }, 401, 'Unauthorized'],
      ['/north/proxy/api', { token: 'nobody' }, 403, 'Forbidden'],
      ['/north/proxy/api', { token: 'viewer', method: 'POST', body: '{}' }, 403, 'Forbidden'],
      ['/south/proxy/api', { token: 'north-only' }, 403, 'Forbidden'],
      ['/west/proxy/api', {}, 404, 'NotFound'],
      ['/south/proxy/api', {}, 503, 'ServiceUnavailable'],
      ['/north/proxy/a/%2e%2e/b', {}, 400, 'BadRequest'],
      ['/north/proxy/api', { method: 'TRACE' }, 400, 'BadRequest'],
      ['/north/proxy/api', { headers: { 'impersonate-user': 'root' } }, 403, 'Forbidden'],
    ]
    for (const [path, sent, status, reason] of cases) {
      const answer = await ask(path, sent)
      expect([path, answer.status]).toEqual([path, status])
      expect(JSON.parse(answer.text)).toMatchObject({
        kind: 'Status',
        status: 'Failure',
        reason,
        code: status,
      })
    }
    expect(upstream.requests).toEqual([])
  })

  it('is asked about by verb and instance', async () => {
    await ask('/north/proxy/api', { token: 'viewer', method: 'PATCH', body: '{}' })
    const reviews = api.host.requests.filter(({ path }) => path.endsWith('/subjectaccessreviews'))
    expect(reviews.at(-1)?.body).toMatchObject({
      spec: {
        resourceAttributes: { verb: 'patch', resource: 'instances', subresource: 'proxy', name: 'north' },
      },
    })
  })

  it.each([
    ['/apis/authentication.k8s.io/v1/selfsubjectreviews', 200],
    ['/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?fieldManager=x', 200],
    ['/apis/authorization.k8s.io/v1/subjectaccessreviews', 403],
    ['/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/x', 403],
  ])('lets readers post what only asks about themselves: %s → %i', async (path, status) => {
    expect((await ask(`/north/proxy${path}`, { token: 'viewer', method: 'POST', body: '{}' })).status).toBe(
      status,
    )
  })

  it('leaves a record when it writes or is denied, with its path and without its query', async () => {
    await ask('/north/proxy/api/v1/pods?watch=false')
    expect(audits()).toEqual([])
    await ask('/north/proxy/api/v1/namespaces/a/pods?fieldManager=x', { method: 'POST', body: '{}' })
    expect(audits()).toMatchObject([
      {
        wire: 'proxy',
        operation: '/api/v1/namespaces/a/pods',
        verb: 'create',
        name: 'north',
        user: 'admin',
        code: 'OK',
      },
    ])
  })
})

describe('trouble behind the door', () => {
  it('is said in a Status when nobody answers there, and the process goes on', async () => {
    await upstream.close()
    const answer = await ask('/north/proxy/api')
    expect(answer.status).toBe(503)
    expect(JSON.parse(answer.text).message).toMatch(/the instance could not be reached/)
    upstream = await fakeUpstream()
  })

  it('that breaks an answer off breaks it off for the caller too, so that nobody takes half for whole', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => response.destroy())
    }
    await expect(ask('/north/proxy/api')).rejects.toThrow(/aborted|hang up/)
  })

  it('never makes a write be sent twice', async () => {
    upstream.answer = (_, response) => response.destroy()
    expect((await ask('/north/proxy/api', { method: 'POST', body: '{}' })).status).toBe(503)
    expect(upstream.requests).toHaveLength(1)
  })
})

describe('a watch through the door', () => {
  /** Opens a watch and reads what comes as it comes. */
  async function watch(path = '/north/proxy/api/v1/pods?watch=true') {
    const request = begin(path)
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return { request, response }
  }

  it('has begun before anything happens, and hands on each event when it happens', async () => {
    const server = deferred<{ write(text: string): void }>()
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
      server.resolve(response)
    }
    const { request, response } = await watch()
    const { write } = { write: (text: string) => void server.promise.then(s => s.write(text)) }
    write('{"type":"ADDED"}\n')
    expect(String((await once(response, 'data'))[0])).toBe('{"type":"ADDED"}\n')
    write('{"type":"DELETED"}\n')
    expect(String((await once(response, 'data'))[0])).toBe('{"type":"DELETED"}\n')
    request.destroy()
  })

  it('ends upstream when its reader is gone', async () => {
    const closed = deferred<void>()
    upstream.answer = (_, response) => {
      response.writeHead(200).flushHeaders()
      response.on('close', () => closed.resolve(undefined))
    }
    const { request } = await watch()
    request.destroy()
    await closed.promise
    await waitFor(async () => expect(await upstream.connections()).toBe(0))
  })

  it('that is not read holds the server back instead of filling our memory', async () => {
    const line = `${'x'.repeat(64 * 1024)}\n`
    let written = 0
    let blocked = false
    upstream.answer = async (_, response) => {
      response.writeHead(200)
      while (!blocked && written < 200 * 1024 * 1024) {
        written += line.length
        if (!response.write(line)) {
          const drained = await Promise.race([
            once(response, 'drain').then(() => true),
            new Promise(resolve => setTimeout(resolve, 300, false)),
          ])
          blocked = !drained
        }
      }
    }
    const { request, response } = await watch()
    response.pause()
    await waitFor(() => expect(blocked).toBe(true))
    // What sockets of four parties hold; without backpressure it would have been all 200 MiB.
    expect(written).toBeLessThan(64 * 1024 * 1024)
    request.destroy()
  })

  it('ends after a whole line when we stop', async () => {
    const server = deferred<{ write(text: string): void }>()
    upstream.answer = (_, response) => {
      response.writeHead(200)
      response.write('{"n":1}\n{"n":')
      server.resolve(response)
    }
    const { response } = await watch()
    const text = deferred<string>()
    let received = ''
    response.on('data', chunk => {
      received += chunk
    })
    response.on('end', () => text.resolve(received))
    await waitFor(() => expect(received).toBe('{"n":1}\n{"n":'))
    const closing = api.running.close()
    const { write } = { write: (part: string) => void server.promise.then(s => s.write(part)) }
    await waitFor(async () => expect((await api.running.readiness()).ready).toBe(false))
    write('2}\n{"n":3')
    expect(await text.promise).toBe('{"n":1}\n{"n":2}\n')
    await closing
  })
})

describe('an upgrade through the door', () => {
  /** Asks for an upgrade and gives back the raw socket, the answer's head still to be read from it. */
  async function upgrade(
    token: string,
    path = '/north/proxy/api/v1/namespaces/a/pods/x/exec?command=ls',
  ): Promise<TLSSocket> {
    const { hostname, port } = new URL(api.running.url)
    const socket = connect({
      host: hostname,
      port: Number(port),
      ca: api.running.certificateAuthority,
      servername: 'localhost',
    })
    await once(socket, 'secureConnect')
    socket.write(
      [
        `GET ${root}${path} HTTP/1.1`,
        'Host: kairship',
        `Authorization: Bearer ${token}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Protocol: v5.channel.k8s.io',
        'X-Remote-User: root',
        '\r\n',
      ].join('\r\n'),
    )
    return socket
  }
  const next = async (socket: TLSSocket) => String((await once(socket, 'data'))[0])

  it('becomes a tunnel: what either side says reaches the other, and an end is an end', async () => {
    upstream.upgrade = (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
      socket.on('data', chunk => socket.write(`echo ${chunk}`))
      socket.on('end', () => socket.end())
    }
    const socket = await upgrade('admin')
    expect(await next(socket)).toMatch(/^HTTP\/1.1 101/)
    socket.write('hello')
    expect(await next(socket)).toBe('echo hello')
    const [received] = upstream.requests
    expect(received?.url).toBe('/api/v1/namespaces/a/pods/x/exec?command=ls')
    expect(received?.headers).toMatchObject({
      upgrade: 'websocket',
      'sec-websocket-protocol': 'v5.channel.k8s.io',
      'impersonate-user': 'admin',
      authorization: 'Bearer own-token',
    })
    expect(received?.headers['x-remote-user']).toBeUndefined()
    socket.end()
    await once(socket, 'close')
    await waitFor(() =>
      expect(audits()).toMatchObject([{ verb: 'create', code: 'OK' satisfies keyof typeof Code }]),
    )
  })

  it('that the instance refuses is refused in the instance’s own words', async () => {
    upstream.upgrade = (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
    expect(await next(await upgrade('admin'))).toBe('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
  })

  it.each([
    ['unknown', 401],
    ['viewer', 403],
  ])('of %s is refused with %i before the instance hears of it', async (token, status) => {
    expect(await next(await upgrade(token))).toMatch(
      new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*"kind":"Status"`),
    )
    expect(upstream.requests).toEqual([])
  })

  it('to anywhere but the door is refused', async () => {
    expect(await next(await upgrade('admin', '/north'))).toMatch(/^HTTP\/1.1 404/)
  })

  it('survives both sides breaking off, and leaves nothing open', async () => {
    upstream.upgrade = (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
      socket.on('error', () => undefined)
    }
    const socket = await upgrade('admin')
    await next(socket)
    socket.destroy()
    await waitFor(async () => expect(await upstream.connections()).toBe(0))
    upstream.upgrade = (_, behind) => behind.destroy()
    const other = await upgrade('admin')
    await once(other, 'close')
    expect((await ask('/north/proxy/api')).status).toBe(200)
  })

  it('is cut when we stop', async () => {
    upstream.upgrade = (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
      socket.on('error', () => undefined)
    }
    const socket = await upgrade('admin')
    await next(socket)
    const closed = once(socket, 'close')
    await api.running.close()
    await closed
  })
})
