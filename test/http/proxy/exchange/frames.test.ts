import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { framesOf } from '../../../../http/proxy/exchange/frames.js'

/** A protobuf event as a watch carries it. */
function event(length: number): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(length)
  return Buffer.concat([head, Buffer.alloc(length, 10)])
}

const protobuf = ['Content-Type', 'application/vnd.kubernetes.protobuf;stream=watch']
const json = ['Content-Type', 'application/json']
const line = (length: number): Buffer => Buffer.from(`${'x'.repeat(length)}\n`)

describe('the event boundaries of a watch', () => {
  it.each([
    ['lines', json, line],
    ['protobuf events', protobuf, event],
  ])('are found in %s for any chunk boundaries', (_, headers, make) =>
    fc.assert(
      fc.property(
        fc.array(fc.nat(600), { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }),
        (lengths, cuts) => {
          const borders = new Set([0])
          let total = 0
          for (const length of lengths) {
            total += make(length).length
            borders.add(total)
          }
          const bytes = Buffer.concat(lengths.map(make))
          const frames = framesOf(headers)
          let at = 0
          for (let turn = 0; at < bytes.length; turn++) {
            const chunk = bytes.subarray(at, at + (cuts[turn % cuts.length] ?? 1))
            const whole = frames?.take(chunk) ?? -1
            const expected = Math.max(
              0,
              ...[...borders].map(border => border - at).filter(n => n <= chunk.length),
            )
            expect(whole).toBe(expected)
            at += chunk.length
            expect(frames?.between).toBe(borders.has(at))
          }
        },
      ),
    ),
  )

  it('exist before the first byte', () => expect(framesOf(json)?.between).toBe(true))

  it.each([
    ['nothing said', [], 'Lines'],
    ['text', ['content-type', 'text/plain'], 'Lines'],
    ['no encoding', ['CONTENT-ENCODING', 'Identity', ...json], 'Lines'],
    ['protobuf', protobuf, 'LengthDelimited'],
  ])('of %s are those of %s', (_, headers, kind) => expect(framesOf(headers)?.constructor.name).toBe(kind))

  it.each([
    ['gzip', [...json, 'Content-Encoding', 'gzip']],
    ['CBOR', ['content-type', 'application/cbor-seq']],
  ])('are unknown for %s', (_, headers) => expect(framesOf(headers)).toBeUndefined())
})
