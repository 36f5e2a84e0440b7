import { describe, expect, it } from 'vitest'
import { parseAnswer, readBody, refusal } from '../../../actors/kube/answer.js'

const json = { 'content-type': 'application/json' }
const body = async function* (...chunks: readonly string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

describe('the body of an answer', () => {
  it('is read up to its bound, and not beyond', async () => {
    expect(await readBody(body('ab', 'cd'), 4)).toBe('abcd')
    await expect(readBody(body('ab', 'cde'), 4)).rejects.toThrow('larger than 4 bytes')
  })

  it('is read on when there is room for what is here', async () => {
    const order: unknown[] = []
    const chunks = (async function* () {
      for (const chunk of ['a', 'b']) {
        order.push(chunk)
        yield Buffer.from(chunk)
      }
    })()
    const grown = async (bytes: number) => {
      await new Promise(setImmediate)
      order.push(bytes)
    }
    await readBody(chunks, 10, grown)
    expect(order).toEqual(['a', 1, 'b', 2])
  })

  it('is nothing where it is empty, and text where it is no JSON', () => {
    expect(parseAnswer(json, '', 10)).toBeUndefined()
    expect(parseAnswer({}, '', 10)).toBe('')
    expect(parseAnswer({}, '{}', 10)).toBe('{}')
    expect(parseAnswer(json, '{}', 10)).toEqual({})
  })
})

describe('a refusal', () => {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'no' }

  it('has the code of its Status, or else that of its answer', () => {
    expect(refusal(502, json, JSON.stringify({ ...status, code: 409 })).code).toBe(409)
    expect(refusal(502, json, JSON.stringify(status)).code).toBe(502)
  })

  it.each([
    ['7', { retryAfterSeconds: 7 }],
    ['0', undefined],
    ['1.5', { retryAfterSeconds: 2 }],
    ['Wed, 21 Oct 2026 07:28:00 GMT', { retryAfterSeconds: 60 }],
    ['Wed, 21 Oct 2026 07:26:00 GMT', undefined],
    ['Infinity', undefined],
    ['-7', undefined],
    ['in 2030', undefined],
    [undefined, undefined],
  ])('without a Status has the seconds of Retry-After: %s', (header, details) => {
    const date = 'Wed, 21 Oct 2026 07:27:00 GMT'
    expect(refusal(503, { 'retry-after': header, date }, 'busy').status.details).toEqual(details)
  })

  it('without a date of its own has the seconds until that of Retry-After by the clock here', () => {
    const soon = new Date(Date.now() + 3_600_000).toUTCString()
    const { retryAfterSeconds = 0 } = refusal(503, { 'retry-after': soon }, 'busy').status.details ?? {}
    expect(retryAfterSeconds).toBeGreaterThan(3_000)
    expect(retryAfterSeconds).toBeLessThanOrEqual(3_600)
  })

  it.each([
    [{}, { retryAfterSeconds: 7 }],
    [{ details: { name: 'n' } }, { name: 'n', retryAfterSeconds: 7 }],
    [{ details: { retryAfterSeconds: 3 } }, { retryAfterSeconds: 3 }],
  ])(
    'with a Status that has %j has the seconds of Retry-After where it says none itself',
    (more, details) => {
      const text = JSON.stringify({ ...status, code: 429, ...more })
      expect(refusal(429, { ...json, 'retry-after': '7' }, text).status.details).toEqual(details)
    },
  )

  it('without a Status has the beginning of its text, or says its code', () => {
    expect(refusal(404, {}, ` ${'x'.repeat(600)} `).message).toBe('x'.repeat(512))
    expect(refusal(404, json, '{"kind":').message).toBe('{"kind":')
    expect(refusal(404, {}, ' ').message).toBe('the server answered 404')
  })
})
