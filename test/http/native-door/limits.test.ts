import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { viewOf } from '../fakes/fleet.js'
import { DoorUnderTest, root } from './door-under-test.js'
import { fakeUpstream } from './fake-upstream.js'

describe('limits of the door', () => {
  const door = new DoorUnderTest({
    doorLimits: { requestsPerInstance: 2, streamsPerCaller: 2, streamsPerInstance: 3 },
  })

  it('hold for each instance by itself, and give back what is over', async () => {
    const waiting: ServerResponse[] = []
    door.upstream.answer = (_, response) => waiting.push(response)
    const other = await fakeUpstream()
    door.fleet.set(viewOf('west'))
    door.fleet.connections.set('west', other.api)
    const under = [door.ask('/north/proxy/a'), door.ask('/north/proxy/b')]
    await waitFor(() => expect(waiting).toHaveLength(2))
    const refused = await door.ask('/north/proxy/c')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    expect(JSON.parse(refused.text)).toMatchObject({ reason: 'TooManyRequests' })
    expect((await door.ask('/west/proxy/c')).status).toBe(200)
    for (const response of waiting) response.end()
    await Promise.all(under)
    door.upstream.answer = (_, response) => response.end()
    await waitFor(async () => expect((await door.ask('/north/proxy/c')).status).toBe(200))
    await other.close()
  })

  it('hold for streams of each caller, and of all callers for an instance', async () => {
    door.upstream.answer = (_, response) => void response.writeHead(200).flushHeaders()
    const path = '/north/proxy/api/v1/pods?watch=true'
    const open = [await door.watch(path), await door.watch(path), await door.watch(path, { token: 'viewer' })]
    const statuses = open.map(({ response }) => response.statusCode)
    expect(statuses).toEqual([200, 200, 200])
    const mine = await door.ask(path)
    expect([mine.status, mine.text]).toEqual([429, expect.stringContaining('admin already has 2')])
    const theirs = await door.ask(path, { token: 'viewer' })
    expect([theirs.status, theirs.text]).toEqual([429, expect.stringContaining('north already has 3')])
    // A short request is none of them.
    door.upstream.answer = (_, response) => response.end()
    expect((await door.ask('/north/proxy/api')).status).toBe(200)
    for (const { request } of open) request.destroy()
    door.upstream.answer = (_, response) => void response.writeHead(200).flushHeaders()
    await waitFor(async () => {
      const { request, response } = await door.watch(path)
      request.destroy()
      expect(response.statusCode).toBe(200)
    })
  })

  it.each([
    ['31 KiB of headers pass', 31 * 1024, 200],
    ['40 KiB are refused', 40 * 1024, 431],
  ])('%s', async (_, size, status) => {
    const answer = await door.ask('/north/proxy/api', { headers: { 'x-large': 'x'.repeat(size) } })
    expect(answer.status).toBe(status)
  })

  it('refuse more headers than can be looked at, instead of leaving some out', async () => {
    const headers = (count: number) =>
      Object.fromEntries([
        ['host', 'kairship'],
        ...Array.from({ length: count }, (_, index) => [`x-${index}`, 'a']),
      ])
    expect((await door.ask('/north/proxy/api', { headers: headers(90) })).status).toBe(200)
    const { status, text } = await door.ask('/north/proxy/api', { headers: headers(120) })
    expect([status, text]).toEqual([400, expect.stringContaining('headers')])
  })
})

describe('a caller that does not read', () => {
  const door = new DoorUnderTest({ doorLimits: { patienceMs: 200 } })
  const megabyte = Buffer.alloc(1024 * 1024, 'x')

  /** An upstream that sends 256 MiB, or as much as is taken of it. */
  function sendsMuch() {
    const sent = { bytes: 0, closed: false }
    door.upstream.answer = async (_, response) => {
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
  ])('of a %s is cut off, after its patience and not before the upstream was held back', async (_, path) => {
    const sent = sendsMuch()
    const { response } = await door.watch(path)
    response.pause()
    await waitFor(() => expect(sent.closed).toBe(true))
    // What the sockets of four parties hold. Without holding back it would have been all of it.
    expect(sent.bytes).toBeLessThan(64 * 1024 * 1024)
  })

  it('is not one that has nothing to read', async () => {
    let behind: ServerResponse | undefined
    door.upstream.answer = (_, response) => {
      response.writeHead(200).flushHeaders()
      behind = response
    }
    const quiet = await door.watch()
    const event = behind
    // Whoever looked for those who do not read has looked at the quiet one too.
    const sent = sendsMuch()
    const { response } = await door.watch()
    response.pause()
    await waitFor(() => expect(sent.closed).toBe(true))
    event?.write('{"n":1}\n')
    expect(String((await once(quiet.response, 'data'))[0])).toBe('{"n":1}\n')
    quiet.request.destroy()
  })
})

describe('a caller that does not finish what it began to say', () => {
  const door = new DoorUnderTest({ slowRequests: { headersMs: 100, requestMs: 300, lookMs: 50 } })

  it.each([
    ['its headers', `GET ${root}/north/proxy/api HTTP/1.1\r\nHost: x\r\nX-Slow`],
    [
      'its body',
      `POST ${root}/north/proxy/api HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin\r\nContent-Length: 100\r\n\r\nhalf`,
    ],
  ])('is hung up on: %s', async (_, text) => {
    let closedBehind = 0
    door.upstream.answer = (request, response) => {
      request.resume()
      response.on('close', () => {
        closedBehind += 1
      })
    }
    const socket = await door.socket()
    socket.on('error', () => undefined)
    let said = ''
    socket.on('data', chunk => {
      said += chunk
    })
    socket.write(text)
    await new Promise(resolve => socket.once('close', resolve))
    expect(said === '' || said.startsWith('HTTP/1.1 408')).toBe(true)
    await waitFor(() => expect(closedBehind).toBe(door.upstream.requests.length))
  })
})
