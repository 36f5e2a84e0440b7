import { describe, expect, it } from 'vitest'
import { marksOf, resumeTokenOf, streamDigest } from '../../../../http/rpc/kind/resume-token.js'

const stream = streamDigest(['x'])
const mark = { version: '7', digest: '0123456789abcdef' }
const token = resumeTokenOf(stream, [mark, null])
const encoded = (json: unknown, form = 'list1') =>
  `${form}.${Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)).toString('base64url')}`

describe('a resume token', () => {
  it('names the states of its stream, and of no other', () => {
    expect(marksOf(token, stream)).toEqual([mark, null])
    expect(marksOf(token, streamDigest(['y']))).toBeUndefined()
    expect(marksOf('', stream)).toBeUndefined()
  })

  it('of another form of ours starts over', () => {
    expect(marksOf(encoded([stream, [['7', mark.digest]]], 'list2'), stream)).toBeUndefined()
  })

  it.each([
    ['another text of the same JSON', encoded(`[${JSON.stringify(stream)}, [["7","${mark.digest}"]]]`)],
    ['another text of the same bytes', `${token.slice(0, -1)}${token.endsWith('R') ? 'Q' : 'R'}`],
    ['four states', encoded([stream, [null, null, null, null]])],
    ['a state of more parts', encoded([stream, [['7', mark.digest, 'x']]])],
    ['a version that is no number', encoded([stream, [['7a', mark.digest]]])],
    ['a digest that is none', encoded([stream, [['7', 'x']]])],
    ['no stream', encoded([7, []])],
    ['more than a thousand characters', encoded(['x'.repeat(900), []])],
  ])('with %s is refused', (_, given) => {
    expect(() => marksOf(given, stream)).toThrow('resumeToken')
  })

  it('does not depend on the order of a request’s fields, on its own token, or on unknown fields', () => {
    const of = (request: object) => streamDigest([request])
    const digest = of({ a: 1, b: { c: 2n } })
    expect(of({ b: { c: 2n }, a: 1, resumeToken: token, $unknown: [] })).toBe(digest)
    expect(of({ a: 1, b: { c: 3n } })).not.toBe(digest)
    expect(of({ a: 2, b: { c: 2n } })).not.toBe(digest)
  })
})
