import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../../playground/apimachinery/json.js'
import { mergePatch } from '../../../../playground/apimachinery/patch/merge-patch.js'

describe('a merge patch', () => {
  it.each<[JsonObject, JsonObject, JsonObject]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 'x' }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ])('%j + %j = %j (RFC 7386, appendix A)', (document, patch, expected) => {
    const before = structuredClone(document)
    expect(mergePatch(document, patch)).toEqual(expected)
    expect(document).toEqual(before)
  })

  it.each([[null], ['x'], [1], [[]]])('that is %j is refused with 400', patch => {
    expect(() => mergePatch({}, patch)).toThrow(expect.objectContaining({ code: 400 }))
  })

  it('keeps __proto__ as data', () => {
    const patched = mergePatch({}, JSON.parse('{"__proto__":{"x":1}}'))
    expect(Object.keys(patched)).toEqual(['__proto__'])
    expect(({} as { x?: Json }).x).toBeUndefined()
  })

  it('is idempotent', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (document, patch) => {
          const once = mergePatch(document as JsonObject, patch)
          expect(mergePatch(once, patch)).toEqual(once)
        },
      ),
    )
  })
})
