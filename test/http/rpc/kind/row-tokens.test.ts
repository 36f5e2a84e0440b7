import { describe, expect, it } from 'vitest'
import { type RowPoint, RowTokens } from '../../../../http/rpc/kind/row-tokens.js'

const digest = '0123456789abcdef'
const marks = [{ version: '7', digest: 'fedcba9876543210' }, null]

describe('the token of a stream of rows', () => {
  it.each<[string, RowPoint]>([
    ['lists', { digest, marks }],
    ['lists and of the feed of instances', { digest, marks, position: 'ab12.34' }],
    ['lists and of a feed whose name looks like a digest', { digest, marks, position: `${digest}.34` }],
  ])('is read as it was written, of rows that are made of %s', (_, point) => {
    const tokens = new RowTokens('a stream')
    expect(tokens.read(tokens.of(point))).toEqual(point)
    expect(new RowTokens('another').read(tokens.of(point))).toBeUndefined()
  })

  it('is refused without a digest of rows, where it is not empty', () => {
    const tokens = new RowTokens('a stream')
    expect(tokens.read('')).toBeUndefined()
    for (const token of ['mine', `${digest}.mine`, `ab12.34.${digest}.mine`])
      expect(() => tokens.read(token)).toThrowError(expect.objectContaining({ code: 3 }))
  })
})
