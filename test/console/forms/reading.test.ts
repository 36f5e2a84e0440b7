import { expect, it } from 'vitest'
import { at } from '../../../console/forms/reading.js'

it('a form reads the fields of the text, and no properties of every JavaScript object', () => {
  for (const key of ['constructor', 'toString', '__proto__'])
    expect(at({ data: {} }, 'data', key)).toBeUndefined()
  const written: unknown = JSON.parse('{"data":{"constructor":"a","__proto__":"b"}}')
  expect([at(written, 'data', 'constructor'), at(written, 'data', '__proto__')]).toEqual(['a', 'b'])
  expect(at(['a'], 0)).toBe('a')
  expect(at({ 0: 'a' }, 0)).toBeUndefined()
})
