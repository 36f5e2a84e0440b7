import { expect, it } from 'vitest'
import { answerOf, bytesOfValues } from '../../../http/objects/answer.js'
import type { AnswerReading } from '../../../http/objects/answer-memory.js'
import type { Sender } from '../../../ports/kube-api.js'

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
  const request = { method: 'GET', path: '/', headers: [], long: false, headTimeoutMs: 0 } as const
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
