import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { deferred } from '../fakes/deferred.js'
import { ProxyUnderTest, root } from './proxy-under-test.js'

/** Before a server that is not Node's: it may have more to say when the other side has ended. */
const proxy = new ProxyUnderTest({}, { allowHalfOpen: true })

/** The head of a request for an upgrade, as a client writes it. */
const upgradeHead = (path: string) =>
  [
    `GET ${root}${path} HTTP/1.1`,
    'Host: kairship',
    'Authorization: Bearer admin',
    'Connection: Upgrade',
    'Upgrade: SPDY/3.1',
    '\r\n',
  ].join('\r\n')

it('a client that closes its side of a tunnel still receives what comes from the other', async () => {
  const heard = deferred<string>()
  proxy.upstream.upgrade = (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
    let text = ''
    socket.on('data', chunk => (text += chunk))
    socket.on('end', () => heard.resolve(text))
  }
  const socket = await proxy.socket({ allowHalfOpen: true })
  let answer = ''
  socket.setEncoding('utf8').on('data', text => (answer += text))
  socket.write(upgradeHead('/north/proxy/api/v1/namespaces/a/pods/x/exec?command=cat'))
  await waitFor(() => expect(answer).toMatch(/^HTTP\/1.1 101/))
  const ended = once(socket, 'end')
  socket.end('all of my input')
  expect(await heard.promise).toBe('all of my input')
  proxy.upstream.tunnels[0]?.end('all of the output')
  await ended
  expect(answer).toMatch(/all of the output$/)
})

it('a client that vanished holds no tunnel, although its FIN could have been a half-close', async () => {
  proxy.upstream.upgrade = (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
    socket.resume() // and never ends
  }
  const socket = await proxy.socket()
  socket.write(upgradeHead('/north/proxy/api/v1/namespaces/a/pods/x/exec?command=cat'))
  await once(socket, 'data')
  const closed = once(socket, 'close')
  socket.end()
  await closed
})

it('an instance that closes its side of a tunnel still receives what comes from the client', async () => {
  const heard = deferred<string>()
  proxy.upstream.upgrade = (_, socket) => {
    let text = ''
    socket.on('data', chunk => (text += chunk))
    socket.on('end', () => heard.resolve(text))
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nbye')
  }
  const socket = await proxy.socket({ allowHalfOpen: true })
  socket.resume()
  const ended = once(socket, 'end')
  socket.write(upgradeHead('/north/proxy/api/v1/namespaces/a/pods/x/exec?command=cat'))
  await ended
  socket.end('one thing more')
  expect(await heard.promise).toBe('one thing more')
})

it('a connection serves the next request after each kind of refusal and error', async () => {
  const { url, certificateAuthority } = proxy.api.running
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: certificateAuthority ?? '' })
  proxy.upstream.answer = async (request, response) => {
    for await (const _ of request);
    response
      .writeHead(request.url === '/missing' ? 404 : 200)
      .end(`answer to ${request.method} ${request.url}`)
  }
  const ask = (token: string, path: string, body?: Buffer) =>
    new Promise<string>((resolve, reject) => {
      const request = httpsRequest(`${url}${root}${path}`, {
        agent,
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body ? { 'content-length': String(body.length) } : {}),
        },
      })
      request.on('error', reject).on('response', (response: IncomingMessage) => {
        let text = ''
        response.setEncoding('utf8').on('data', chunk => (text += chunk))
        response.on('end', () => resolve(`${response.statusCode} ${text}`)).on('error', reject)
      })
      request.end(body)
    })
  const body = Buffer.alloc(64 * 1024, 'x')
  const refusals: [string, string, Buffer | undefined, number][] = [
    ['admin', '/north/proxy/missing', undefined, 404],
    ['viewer', '/north/proxy/write', body, 403],
    ['unknown', '/north/proxy/api', undefined, 401],
    ['admin', '/west/proxy/api', body, 404],
    ['admin', '/north/proxy/a//b', body, 400],
    ['admin', '/south/proxy/api', undefined, 503],
  ]
  for (const [token, path, sent, status] of refusals) {
    expect(await ask(token, path, sent)).toMatch(new RegExp(`^${status} `))
    expect(await ask('admin', '/north/proxy/good', body)).toBe('200 answer to POST /good')
    expect(await ask('admin', '/north/proxy/good')).toBe('200 answer to GET /good')
  }
  agent.destroy()
})

it('pipelined requests are answered in their order', async () => {
  proxy.upstream.answer = (request, response) => response.end(`<${request.url}>`)
  const socket = await proxy.socket()
  let text = ''
  socket.setEncoding('utf8').on('data', chunk => (text += chunk))
  const asked = ['/one', '/two', '/three']
  const heads = asked.map(
    path => `GET ${root}/north/proxy${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin\r\n\r\n`,
  )
  socket.write(heads.join(''))
  await waitFor(() => expect(text.match(/<[^>]*>/g)).toEqual(asked.map(path => `<${path}>`)))
  socket.destroy()
})

it('a body that arrives slowly is streamed, and not buffered', async () => {
  const pieces: string[] = []
  proxy.upstream.answer = (request, response) => {
    request.setEncoding('utf8').on('data', piece => pieces.push(piece))
    request.on('end', () => response.end('{}'))
  }
  const request = proxy.begin('/north/proxy/api', { method: 'POST' })
  for (const piece of ['one', 'two', 'three']) {
    request.write(piece)
    await waitFor(() => expect(pieces.join('')).toMatch(new RegExp(`${piece}$`)))
  }
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  expect([response.statusCode, pieces.join('')]).toEqual([200, 'onetwothree'])
  response.resume()
})

it('an answer before the end of the body reaches the client, and nothing hangs', async () => {
  proxy.upstream.answer = (_, response) => response.writeHead(413, { connection: 'close' }).end('too much')
  const request = proxy.begin('/north/proxy/api', {
    method: 'POST',
    headers: { 'content-length': String(64 * 1024 * 1024) },
  })
  // The connection is closed under what is still being sent.
  request.on('error', () => undefined)
  request.write(Buffer.alloc(64 * 1024))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(413)
  request.destroy()
  await waitFor(async () => expect(await proxy.upstream.connections()).toBe(0))
})

it.each(['HEAD', 'OPTIONS'])('%s is answered as the instance answers it', async method => {
  proxy.upstream.answer = (request, response) =>
    response
      .writeHead(request.method === 'HEAD' ? 200 : 405, { 'content-length': method === 'HEAD' ? '12' : '2' })
      .end(method === 'HEAD' ? undefined : 'no')
  const answer = await proxy.ask('/north/proxy/api/v1/pods', { method })
  expect([answer.status, answer.text, answer.headers['content-length']]).toEqual(
    method === 'HEAD' ? [200, '', '12'] : [405, 'no', '2'],
  )
})

it('a client that writes its whole body before it reads gets an answer that came before', async () => {
  // As an API server refuses what is too large: it has read enough.
  proxy.upstream.answer = (_, response) => {
    response.writeHead(413).end('too large')
  }
  const body = 'x'.repeat(16 * 1024 * 1024)
  const socket = await proxy.socket()
  let answer = ''
  socket.pause()
  socket.write(
    [
      `POST ${root}/north/proxy/api/v1/namespaces/a/configmaps HTTP/1.1`,
      'Host: kairship',
      'Authorization: Bearer admin',
      `Content-Length: ${body.length}`,
      '\r\n',
    ].join('\r\n'),
  )
  await new Promise(written => socket.write(body, written))
  socket
    .setEncoding('utf8')
    .on('data', text => (answer += text))
    .resume()
  await waitFor(() => expect(answer).toMatch(/^HTTP\/1.1 413[\s\S]*too large/))
})
