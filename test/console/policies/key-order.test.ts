import { expect, it } from 'vitest'
import { inOrderOf } from '../../../console/policies/key-order.js'

it.each([
  ['fields of both in the order of the model', { b: 1, a: 2 }, { a: 3, b: 4 }, '{"b":4,"a":3}'],
  ['new fields after them', { b: 1 }, { c: 0, b: 4 }, '{"b":4,"c":0}'],
  ['no field that only the model has', { b: 1, a: 2 }, { a: 3 }, '{"a":3}'],
  [
    'objects in objects and in lists',
    { m: [{ y: 1, x: 1 }] },
    { m: [{ x: 2, y: 2 }] },
    '{"m":[{"y":2,"x":2}]}',
  ],
  ['items of a list in their own order', [2, 1], [1, 2, 3], '[1,2,3]'],
  ['what has another type than the model', { a: { b: 1 } }, { a: [1] }, '{"a":[1]}'],
  [
    'fields that are called as those of every object',
    {},
    { constructor: { toString: 1 } },
    '{"constructor":{"toString":1}}',
  ],
] as const)('gives %s', (_, model, value, json) => {
  expect(JSON.stringify(inOrderOf(model, value))).toBe(json)
})
