import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { ProxyUnderTest, root } from './proxy-under-test.js'

describe('a caller that does not read', () => {
  const proxy = new ProxyUnderTest({ proxyLimits: { patienceMs: 200 } })
  const megabyte = Buffer.alloc(1024 * 1024, 'x')

  /** An upstream that sends 256 MiB, or as much as is taken of it. */
  function sendsMuch() {
    const sent = { bytes: 0, closed: false }
    proxy.upstream.answer = async (_, response) => {
      const closed = once(response, 'close').then(() => {
        sent.closed = true
      })
      response.writeHead(200)
      while (sent.bytes < 256 * 1024 * 1024 && !sent.closed) {
        sent.bytes += megabyte.length
        if (!response.write(megabyte)) await Promise.race([once(response, 'drain'), closed])
      }
    }
    return sent
  }

  it.each([
    ['watch', '/north/proxy/api/v1/pods?watch=true'],
    ['list', '/north/proxy/api/v1/pods'],
  ])('of a %s is disconnected after its patience, once the upstream was paused', async (_, path) => {
    const sent = sendsMuch()
    const { response } = await proxy.watch(path)
    response.pause()
    await waitFor(() => expect(sent.closed).toBe(true))
    // What the sockets of four parties hold. Without holding back it would have been all of it.
    expect(sent.bytes).toBeLessThan(64 * 1024 * 1024)
  })

  it('is not one that has no data to read', async () => {
    let behind: ServerResponse | undefined
    proxy.upstream.answer = (_, response) => {
      response.writeHead(200).flushHeaders()
      behind = response
    }
    const quiet = await proxy.watch()
    const event = behind
    // Whoever looked for those who do not read has looked at the quiet one too.
    const sent = sendsMuch()
    const { response } = await proxy.watch()
    response.pause()
    await waitFor(() => expect(sent.closed).toBe(true))
    event?.write('{"n":1}\n')
    expect(String((await once(quiet.response, 'data'))[0])).toBe('{"n":1}\n')
    quiet.request.destroy()
  })
})

const POST = `POST ${root}/north/proxy/api HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin\r\nContent-Length: 100\r\n\r\n`

describe.each([
  ['in time', { headersMs: 100, requestMs: 300, lookMs: 50 }],
  ['and is silent', { headersMs: 100, bodyIdleMs: 100, lookMs: 50 }],
])('a caller that does not finish its request %s', (_, slowRequests) => {
  const proxy = new ProxyUnderTest({ slowRequests, proxyLimits: { requestsPerCaller: 1 } })

  it.each([
    ['its headers', `GET ${root}/north/proxy/api HTTP/1.1\r\nHost: x\r\nX-Slow`],
    ['its body', `${POST}half`],
    ['a body that has not begun', POST],
  ])('is disconnected, and holds no slot any more: %s', async (_, text) => {
    let closedBehind = 0
    proxy.upstream.answer = (request, response) => {
      request.resume()
      response.on('close', () => {
        closedBehind += 1
      })
    }
    const socket = await proxy.socket()
    socket.on('error', () => undefined)
    let received = ''
    socket.on('data', chunk => {
      received += chunk
    })
    socket.write(text)
    await new Promise(resolve => socket.once('close', resolve))
    expect(received === '' || received.startsWith('HTTP/1.1 408')).toBe(true)
    await waitFor(() => expect(closedBehind).toBe(proxy.upstream.requests.length))
    proxy.upstream.answer = (_, response) => response.end()
    await waitFor(async () => expect((await proxy.ask('/north/proxy/api')).status).toBe(200))
  })
})

describe('a caller that sends its body byte by byte', () => {
  // A process that gets no CPU for a while sends nothing either: that must not look like silence.
  const slowRequests = { bodyIdleMs: 1_000, bodyBytesPerSecond: 100_000 }
  const proxy = new ProxyUnderTest({ slowRequests, proxyLimits: { requestsPerCaller: 1 } })

  it('gets a 408 with the reason, and holds no slot any more', async () => {
    proxy.upstream.answer = request => void request.resume()
    const socket = await proxy.socket()
    socket.on('error', () => undefined)
    let received = ''
    socket.on('data', chunk => (received += chunk))
    socket.write(POST.replace('100', '1000000'))
    const trickle = setInterval(() => socket.write('x'), 10)
    await new Promise(resolve => socket.once('close', resolve))
    clearInterval(trickle)
    expect(received).toMatch(/^HTTP\/1\.1 408 [\s\S]*less than 100000 bytes a second/)
    proxy.upstream.answer = (_, response) => response.end()
    await waitFor(async () => expect((await proxy.ask('/north/proxy/api')).status).toBe(200))
  })

  it('is hung up on also where it did not announce how long its body is', async () => {
    proxy.upstream.answer = request => void request.resume()
    const socket = await proxy.socket()
    socket.on('error', () => undefined)
    let received = ''
    socket.on('data', chunk => (received += chunk))
    socket.write(POST.replace('Content-Length: 100', 'Transfer-Encoding: chunked'))
    socket.write('1\r\nx\r\n')
    await new Promise(resolve => socket.once('close', resolve))
    expect(received).toMatch(/^HTTP\/1\.1 408 [\s\S]*nothing of the request's body was received for 1000 ms/)
  })

  it('is hung up on without a second answer, where the instance has begun to answer already', async () => {
    proxy.upstream.answer = (request, response) => {
      request.resume()
      response.writeHead(200).write('the first part')
    }
    const socket = await proxy.socket()
    socket.on('error', () => undefined)
    let received = ''
    socket.on('data', chunk => (received += chunk))
    socket.write(`${POST}half`)
    await new Promise(resolve => socket.once('close', resolve))
    expect(received).toMatch(/^HTTP\/1\.1 200 [\s\S]*the first part/)
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })
})
