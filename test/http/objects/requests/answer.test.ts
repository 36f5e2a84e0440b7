import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AnswerMemory, type AnswerReading } from '../../../../http/limits/answer-memory.js'
import { answerOf, bytesOfValues, jsonOf, sourceOfAnswer } from '../../../../http/objects/requests/answer.js'
import type { RawSink, Sender } from '../../../../ports/kube-api.js'

it('an answer of an instance with more than four million values is not parsed', () => {
  const body = Buffer.from(`{"items":[${'{},'.repeat(2_000_000)}{}]}`)
  expect(() => bytesOfValues(body)).toThrow(
    'the instance’s answer has more than 4000000 values: ask for less at once',
  )
})

it('an answer of many short values counts with sixteen bytes for each', () => {
  const body = Buffer.from(`[${'1,'.repeat(999)}1]`)
  expect(body.length + bytesOfValues(body)).toBe(16 * 1_001)
  expect(bytesOfValues(Buffer.from(JSON.stringify({ data: { a: 'ä"\\'.repeat(100) } })))).toBe(0)
})

const MIB = 1 << 20
const request = { method: 'GET', path: '/', headers: [], long: false, headTimeoutMs: 0 } as const

/** Collects an answer of chunks of these lengths. @returns the bytes that it was counted with */
async function countedOf(lengths: readonly number[]): Promise<number> {
  let counted = 0
  const reading = {
    add(bytes: number) {
      counted += bytes
    },
    run: () => () => undefined,
  } as unknown as AnswerReading
  const upstream: Sender = {
    send(_request, sink) {
      queueMicrotask(() => {
        sink.head(200, 'OK', [])
        for (const length of lengths) sink.data(Buffer.alloc(length))
        sink.end()
      })
      return { resume: () => undefined, abort: () => undefined }
    },
  }
  const { body } = await answerOf(upstream, request, {
    signal: new AbortController().signal,
    most: 1 << 20,
    reading,
  })
  expect(body).toHaveLength(lengths.reduce((sum, length) => sum + length, 0))
  return counted
}

it('an answer in single bytes counts with 256 bytes for each, which they take', async () => {
  expect(await countedOf(Array(1_000).fill(1))).toBe(256_000)
  expect(await countedOf([...Array(100).fill(1), 20_000])).toBe(101 * 256)
})

it('an answer with short chunks between long ones counts with its bytes alone', async () => {
  const lengths = Array.from({ length: 100 }, () => [2_000, 48])
  expect(await countedOf(lengths.flat())).toBe(100 * 2_048)
})

it('a refusal has the code of its Status, or that of its answer where it has none', () => {
  const codeOf = (status: number, body: string) => {
    try {
      return jsonOf({ status, body: Buffer.from(body) })
    } catch (error) {
      return (error as { code: number }).code
    }
  }
  const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'no' }
  expect(codeOf(500, JSON.stringify({ ...refusal, code: 504 }))).toBe(504)
  expect(codeOf(429, JSON.stringify(refusal))).toBe(429)
  expect(codeOf(400, '{}')).toBe(400)
  expect(codeOf(400, 'no JSON')).toBe(400)
  expect(codeOf(399, '{}')).toEqual({})
  expect(() => jsonOf({ status: 399, body: Buffer.from('no JSON') })).toThrow('with what is no JSON')
})

it('the source of an answer is what its last headers say: those of the instance come before', () => {
  const headers = ['Warning', '299 - "old"', 'Kairship-Source', 'karmada', 'Warning', '299 kairship "late"']
  const answer = { status: 200, headers, body: Buffer.alloc(0) }
  expect(sourceOfAnswer(answer)).toEqual({ source: 'karmada', reason: '', warning: 'late' })
  expect(sourceOfAnswer({ ...answer, headers: ['Kairship-Source', 'elsewhere'] })).toBeUndefined()
})

/** A request whose answer a test sends, and what becomes of it. */
function collecting({
  signal = new AbortController().signal,
  memory = new AnswerMemory(),
  most = 1 << 30,
} = {}) {
  const seen = { sent: 0, resumed: 0, aborted: [] as string[], outcome: '' }
  const account = memory.account('ann')
  let sink: RawSink | undefined
  const upstream: Sender = {
    send(_request, given) {
      seen.sent += 1
      sink = given
      return {
        resume() {
          seen.resumed += 1
        },
        abort(reason) {
          seen.aborted.push(reason.message)
          queueMicrotask(() => given.failed(reason))
        },
      }
    },
  }
  const options = { signal, most, reading: account.reading('north') }
  const tell = (outcome: string) => {
    seen.outcome = outcome
  }
  const collected = answerOf(upstream, request, options).then(
    () => tell('there'),
    (error: Error) => tell(error.message),
  )
  return { seen, account, collected, sink: () => sink as RawSink }
}

describe('an answer that is collected', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  /** The place of the second tier that one caller of a small memory has. */
  async function taken() {
    const memory = new AnswerMemory({ mebibytes: 128, waitMs: 100_000 })
    const first = memory.account('ann')
    await first.reading('south').add(2 * MIB)
    return { memory, first }
  }

  it('is not asked for when its caller has gone before', async () => {
    const { seen, collected } = collecting({ signal: AbortSignal.abort(new Error('gone')) })
    await collected
    expect([seen.sent, seen.outcome]).toEqual([0, 'gone'])
  })

  it('is given up when its caller goes, and leaves no listener and no timer', async () => {
    const caller = new AbortController()
    const { seen, collected } = collecting({ signal: caller.signal })
    caller.abort(new Error('gone'))
    await collected
    expect([seen.aborted, seen.outcome, vi.getTimerCount()]).toEqual([['gone'], 'gone', 0])
    const whole = new AbortController()
    const other = collecting({ signal: whole.signal })
    other.sink().end()
    await other.collected
    expect([other.seen.outcome, getEventListeners(whole.signal, 'abort'), vi.getTimerCount()]).toEqual([
      'there',
      [],
      0,
    ])
  })

  it('is given up beyond its bound, and is whole at it', async () => {
    const [large, whole] = [collecting({ most: MIB }), collecting({ most: MIB })]
    for (const { sink } of [large, whole]) sink().data(Buffer.alloc(MIB))
    large.sink().data(Buffer.alloc(1))
    whole.sink().end()
    for (const { collected } of [large, whole]) await collected
    expect([large.seen.aborted, whole.seen.outcome]).toEqual([
      ['the instance’s answer is larger than 1 MiB: ask for less at once'],
      'there',
    ])
  })

  it('has half a minute to arrive, without its waits for memory', async () => {
    const { memory, first } = await taken()
    const { seen, collected, sink } = collecting({ memory })
    const silent = collecting()
    expect(sink().data(Buffer.alloc(2 * MIB))).toBe(false)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(silent.seen.aborted).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(seen).toMatchObject({ resumed: 0, aborted: [] })
    first.close()
    await vi.advanceTimersByTimeAsync(29_999)
    expect(seen).toMatchObject({ resumed: 1, aborted: [] })
    await vi.advanceTimersByTimeAsync(1)
    await collected
    expect(seen.outcome).toBe('the instance did not send its answer within 30 s: ask for less at once')
  })

  it('is given up when it waits too long for memory, or has more than a call may read', async () => {
    const { memory } = await taken()
    const { seen, collected, sink } = collecting({ memory })
    sink().data(Buffer.alloc(2 * MIB))
    await vi.advanceTimersByTimeAsync(100_000)
    await collected
    expect(seen.outcome).toContain('no memory for large lists became free within 100 s')
    const large = collecting()
    large.sink().data(Buffer.alloc(65 * MIB))
    await large.collected
    expect(large.seen.outcome).toContain('what this call reads of the instance is larger than 64 MiB')
  })

  it('that broke while it waited starts no timer when its turn comes', async () => {
    const { memory, first } = await taken()
    const { seen, collected, sink } = collecting({ memory })
    sink().data(Buffer.alloc(2 * MIB))
    sink().failed(new Error('cut'))
    await collected
    first.close()
    await vi.advanceTimersByTimeAsync(0)
    expect([seen.outcome, seen.resumed, vi.getTimerCount()]).toEqual(['cut', 0, 0])
  })
})
