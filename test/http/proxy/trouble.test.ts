import { describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { deferred } from '../fakes/deferred.js'
import { fakeUpstream } from './fake-upstream.js'
import { ProxyUnderTest } from './proxy-under-test.js'

const proxy = new ProxyUnderTest()

describe('a failure behind the proxy', () => {
  it('becomes a Status when no server listens, and the process continues', async () => {
    await proxy.upstream.close()
    const answer = await proxy.ask('/north/proxy/api')
    expect(answer.status).toBe(503)
    expect(JSON.parse(answer.text).message).toMatch(/the instance could not be reached/)
    // Nobody knows whether it was executed: clients must not be invited to send it again.
    expect(answer.headers['retry-after']).toBeUndefined()
    proxy.upstream = await fakeUpstream()
  })

  it('in the middle of an answer breaks the answer for the caller, too', async () => {
    proxy.upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => response.destroy())
    }
    await expect(proxy.ask('/north/proxy/api')).rejects.toThrow(/aborted|hang up/)
  })

  it.each([
    ['GET', 'reset'],
    ['HEAD', 'reset'],
    ['PUT', 'reset'],
    ['POST', 'reset'],
    ['PATCH', 'reset'],
    ['DELETE', 'reset'],
    ['GET', 'end'],
    ['POST', 'end'],
  ])('never causes a %s to be sent twice over a reused connection: %s', async (method, how) => {
    expect((await proxy.ask('/north/proxy/first')).status).toBe(200)
    const before = await proxy.upstream.connections()
    proxy.upstream.answer = (request, response) => {
      if (how === 'end') request.socket.end()
      else response.destroy()
    }
    const body =
      method === 'GET' || method === 'HEAD' ? {} : { body: '{}', headers: { 'content-length': '2' } }
    expect((await proxy.ask('/north/proxy/second', { method, ...body })).status).toBe(503)
    expect(before).toBe(1)
    expect(proxy.upstream.requests.map(({ url }) => url)).toEqual(['/first', '/second'])
  })
})

describe('an unreachable instance', () => {
  it('opens its circuit after five attempts, with a retry time, and is found again by one trial', async () => {
    let broken = true
    proxy.upstream.answer = (_, response) => {
      if (broken) response.destroy()
      else response.writeHead(500).end()
    }
    for (let time = 0; time < 5; time++) expect((await proxy.ask('/north/proxy/api')).status).toBe(503)
    const refused = await waitFor(async () => {
      const asked = proxy.upstream.requests.length
      const answer = await proxy.ask('/north/proxy/api')
      expect(JSON.parse(answer.text)).toMatchObject({
        reason: 'ServiceUnavailable',
        message: expect.stringContaining('5 times in a row'),
        details: { retryAfterSeconds: expect.any(Number) },
      })
      expect(proxy.upstream.requests).toHaveLength(asked)
      return answer
    })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    broken = false
    await waitFor(async () => expect((await proxy.ask('/north/proxy/api')).status).toBe(500))
    // An error that the instance answers with is an answer.
    for (let time = 0; time < 6; time++) expect((await proxy.ask('/north/proxy/api')).status).toBe(500)
  })

  it('is not assumed from callers that disconnect, or whose body never arrives', async () => {
    const arrived: (() => void)[] = []
    let closed = 0
    proxy.upstream.answer = (request, response) => {
      arrived.shift()?.()
      response.once('close', () => closed++)
      request.resume()
    }
    for (let time = 0; time < 12; time++) {
      const began = deferred<void>()
      arrived.push(() => began.resolve(undefined))
      const headers = { 'content-length': '100' }
      const request = proxy.begin('/north/proxy/api', time < 6 ? { method: 'POST', headers } : {})
      request.on('error', () => undefined)
      if (time < 6) request.write('half')
      else request.end()
      await began.promise
      request.destroy()
      await new Promise(resolve => request.once('close', resolve))
    }
    await waitFor(() => expect(closed).toBe(12))
    proxy.upstream.answer = (_, response) => response.end('{}')
    expect((await proxy.ask('/north/proxy/api')).status).toBe(200)
  })
})
