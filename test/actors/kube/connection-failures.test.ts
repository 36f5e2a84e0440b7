import { describe, expect, it } from 'vitest'
import { StatusError } from '../../../manifests/status-error.js'
import { UnreachableError, UnusableAnswerError } from '../../../ports/kube-api.js'
import { ConnectionUnderTest, caught } from './connection-under-test.js'
import { json } from './scripted-server.js'

const kube = new ConnectionUnderTest()

describe('a failed request', () => {
  it('throws the Status of the server', async () => {
    const status = {
      kind: 'Status',
      status: 'Failure',
      message: 'things "a" not found',
      reason: 'NotFound',
      code: 404,
    }
    await kube.connect((_, response) => json(response, 404, status))
    const error = await caught(kube.api.request({ method: 'GET', path: '/' }))
    expect(error).toBeInstanceOf(StatusError)
    expect(error).toMatchObject({ code: 404, reason: 'NotFound', message: 'things "a" not found' })
  })

  it('counts with the status of its answer, whatever number a Status has: a server could make metrics without end', async () => {
    const codes: number[] = []
    await kube.connect(
      ({ url }, response) =>
        json(response, 500, { kind: 'Status', status: 'Failure', message: 'no', code: Number(url.slice(1)) }),
      { observe: ({ code }) => void codes.push(code) },
    )
    for (const code of [404, 100_001, 100_002])
      expect(await caught(kube.api.request({ method: 'GET', path: `/${code}` }))).toMatchObject({ code })
    expect(codes).toEqual([500, 500, 500])
  })

  it.each([
    ['plain text', 'text/plain', 'service unavailable\n', 'service unavailable'],
    ['a page that claims to be JSON', 'application/json', '<html>', '<html>'],
    ['JSON that is no Status', 'application/json', '{"error":1}', '{"error":1}'],
    ['nothing', 'text/plain', '', 'the server answered 503'],
  ])('keeps code and text of %s, without a reason', async (_, type, text, message) => {
    await kube.connect((_, response) =>
      response.writeHead(503, { 'content-type': type, 'retry-after': '7' }).end(text),
    )
    const error = (await caught(kube.api.request({ method: 'GET', path: '/' }))) as StatusError
    expect(error).toMatchObject({ code: 503, reason: '', message })
    expect(error.status.details?.retryAfterSeconds).toBe(7)
  })

  it('follows no redirect', async () => {
    await kube.connect((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())
    expect(await caught(kube.api.request({ method: 'GET', path: '/' }))).toMatchObject({ code: 302 })
    expect(kube.server.received).toHaveLength(1)
  })

  it('names the request and the cause when no server listens', async () => {
    await kube.connect(() => undefined)
    const port = new URL(kube.server.url).port
    await kube.server.close()
    const error = await caught(kube.api.request({ method: 'GET', path: '/readyz' }))
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error.message).toBe(`GET /readyz: connect ECONNREFUSED 127.0.0.1:${port}`)
    expect(error).toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('fails when its deadline is over, and aborts the request upstream', async () => {
    let closed: Promise<void> | undefined
    await kube.connect((_, response) => {
      closed = new Promise(resolve => response.on('close', resolve))
    })
    const error = await caught(kube.api.request({ method: 'GET', path: '/slow', timeoutMs: 50 }))
    expect(error).toMatchObject({
      name: 'UnreachableError',
      code: 'DEADLINE',
      message: 'GET /slow: no answer within 50 ms',
    })
    await closed
  })

  it('includes its body in its deadline', async () => {
    await kube.connect((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":')
    })
    expect(await caught(kube.api.request({ method: 'GET', path: '/', timeoutMs: 50 }))).toMatchObject({
      code: 'DEADLINE',
    })
  })

  it('throws the caller’s reason when the caller aborts, and aborts the request upstream', async () => {
    const caller = new AbortController()
    let closed: Promise<void> | undefined
    await kube.connect((_, response) => {
      closed = new Promise(resolve => response.on('close', resolve))
      caller.abort(new Error('changed my mind'))
    })
    const error = await caught(kube.api.request({ method: 'GET', path: '/', signal: caller.signal }))
    expect(error.message).toBe('changed my mind')
    await closed
  })

  it('is not sent when the caller’s signal is already aborted', async () => {
    await kube.connect((_, response) => json(response, 200, {}))
    await caught(kube.api.request({ method: 'POST', path: '/', body: {}, signal: AbortSignal.abort() }))
    expect(kube.server.received).toHaveLength(0)
  })

  it('is not sent again when the answer was lost', async () => {
    await kube.connect((_, response) => response.destroy())
    const error = await caught(kube.api.request({ method: 'POST', path: '/', body: {} }))
    expect(error).toBeInstanceOf(UnreachableError)
    expect(kube.server.received).toHaveLength(1)
  })

  it('stops at its size limit', async () => {
    await kube.connect((_, response) => json(response, 200, { text: 'x'.repeat(1 << 20) }), {
      maxAnswerBytes: 1 << 16,
    })
    const error = await caught(kube.api.request({ method: 'GET', path: '/big' }))
    expect(error.message).toBe('GET /big: the answer is larger than 65536 bytes')
  })

  it('stops at a size limit of its own', async () => {
    await kube.connect((_, response) => json(response, 200, { text: 'x'.repeat(1 << 16) }))
    const error = await caught(kube.api.request({ method: 'GET', path: '/big', maxAnswerBytes: 1 << 10 }))
    expect(error).toBeInstanceOf(UnusableAnswerError)
    expect(error.message).toBe('GET /big: the answer is larger than 1024 bytes')
  })

  it('reads no more than a mebibyte of a refusal', async () => {
    await kube.connect((_, response) => json(response, 500, { text: 'x'.repeat(1 << 20) }))
    const error = await caught(kube.api.request({ method: 'GET', path: '/big' }))
    expect(error.message).toBe('GET /big: the answer is larger than 1048576 bytes')
  })

  it('does not parse JSON of more values than its limit', async () => {
    const limits = { maxAnswerValues: 1_000 }
    await kube.connect((_, response) => json(response, 200, { items: Array(1_000).fill({}) }), limits)
    const error = await caught(kube.api.request({ method: 'GET', path: '/many' }))
    expect(error.message).toBe('GET /many: the answer has more than 1000 values')
  })

  it('does not accept truncated JSON', async () => {
    await kube.connect((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'),
    )
    expect((await caught(kube.api.request({ method: 'GET', path: '/' }))).message).toMatch(
      /^GET \/: the answer says it is JSON/,
    )
  })
})
