import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { duplicateFields, duplicateProblem } from '../../../playground/apimachinery/duplicate-fields.js'

describe('duplicate fields of a JSON text', () => {
  it.each([
    ['{"a":1,"b":{"a":2}}', []],
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"a":2,"a":3}', ['a']],
    ['{"spec":{"replicas":1,"x":{},"replicas":2}}', ['spec.replicas']],
    ['{"l":[{"n":1},{"n":1,"n":2}]}', ['l[1].n']],
    ['{"a":{"x":1,"x":1},"b":[[{"y":1,"y":2}]]}', ['a.x', 'b[0][0].y']],
    ['{"a":"{\\"b\\":1,\\"b\\":2}","b":"a"}', []],
    ['{"a":"a","b":"a"}', []],
    ['{"\\u0061":1,"a":2}', ['a']],
    ['["a","a"]', []],
    ['"a"', []],
  ])('%s: %j', (text, expected) => {
    expect(duplicateFields(text)).toEqual(expected)
  })

  it('are reported with Kubernetes’ message', () => {
    expect(duplicateProblem('spec.replicas')).toBe('duplicate field "spec.replicas"')
  })

  it('are never found in the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(duplicateFields(JSON.stringify(value, undefined, 1))).toEqual([])
      }),
    )
  })
})
