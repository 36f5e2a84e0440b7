import { expect, it } from 'vitest'
import { bytesOfValues } from '../../../http/objects/answer.js'

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
