import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasMoreValues } from '../../ports/json-values.js'

/** Counted the slow way: what `hasMoreValues` promises. */
function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const parts = Object.values(value)
  return 1 + Math.max(0, parts.length - 1) + parts.reduce<number>((sum, part) => sum + count(part), 0)
}

describe('the number of values in a JSON text', () => {
  it.each([
    ['{}', 2],
    ['[1,2,3]', 4],
    ['{"a":{},"b":[]}', 5],
    ['"a,{[,"', 1],
    [String.raw`["\"",",\\",{}]`, 5],
    [String.raw`["\\\\",1]`, 3],
    [String.raw`["\\\",1]`, 2],
  ])('of %s is %i', (json, values) => {
    expect(hasMoreValues(json, values)).toBe(false)
    expect(hasMoreValues(json, values - 1)).toBe(true)
  })

  it('is that of the parsed value, however its texts look', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '[', 'a', '\n', 'é') })
    const { value } = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(text, tie('value'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(value, parsed => {
        const json = JSON.stringify(parsed)
        const values = 1 + count(parsed)
        expect(hasMoreValues(json, values)).toBe(false)
        expect(hasMoreValues(json, values - 1)).toBe(true)
      }),
    )
  })
})
