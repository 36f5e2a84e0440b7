import { expect, it } from 'vitest'
import { jsonOf } from '../../../http/objects/answer.js'

it('an answer of an instance with more than four million values is not parsed', () => {
  const body = Buffer.from(`{"items":[${'{},'.repeat(2_000_000)}{}]}`)
  expect(() => jsonOf({ status: 200, headers: [], body })).toThrow(
    'the instance’s answer has more than 4000000 values: ask for less at once',
  )
})
