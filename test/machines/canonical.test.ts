import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonical } from '../../machines/canonical.js'

const reversed = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(reversed)
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversed(part)]),
  )
}

describe('canonical', () => {
  it('prints the same JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(canonical(reversed(value))).toBe(canonical(value))
      }),
    )
  })

  it('gives different values different texts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        fc.pre(!isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))))
        expect(canonical(a)).not.toBe(canonical(b))
      }),
    )
  })

  it('omits undefined properties, as JSON.stringify does', () => {
    expect(canonical({ b: 1, a: undefined, c: [undefined] })).toBe('{"b":1,"c":[null]}')
  })
})
