import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  channelMessage,
  closeFrame,
  WebSocketFrames,
} from '../../../../http/proxy/upgrade/web-socket-frames.js'

/** A frame as a server sends it (RFC 6455, section 5.2), written apart from what is tested. */
function frame(final: boolean, opcode: number, size: number): Buffer {
  const first = (final ? 128 : 0) + opcode
  const head =
    size < 126
      ? [first, size]
      : size < 65_536
        ? [first, 126, size >> 8, size & 255]
        : [first, 127, 0, 0, 0, 0, 0, size >> 16, (size >> 8) & 255, size & 255]
  return Buffer.concat([Buffer.from(head), Buffer.alloc(size, 0x88)])
}

const size = fc.oneof(fc.nat(130), fc.constantFrom(125, 126, 127, 65_535, 65_536, 70_000))
/** A message in one frame or several, with a ping in between. */
const message = fc.array(size, { minLength: 1, maxLength: 3 }).map(sizes =>
  sizes.flatMap((bytes, index) => [
    {
      bytes: frame(index === sizes.length - 1, index === 0 ? 2 : 0, bytes),
      whole: index === sizes.length - 1,
    },
    { bytes: frame(true, 9, 3), whole: index === sizes.length - 1 },
  ]),
)

describe('the frames of a WebSocket server', () => {
  it('are parsed at any chunk boundaries', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1 })
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), cuts, (messages, steps) => {
        const frames = messages.flat()
        const wire = Buffer.concat(frames.map(({ bytes }) => bytes))
        const ends = new Map<number, boolean>([[0, true]])
        let end = 0
        for (const { bytes, whole } of frames) {
          end += bytes.length
          ends.set(end, whole)
        }
        const subject = new WebSocketFrames()
        for (let at = 0, step = 0; at < wire.length; step++) {
          const next = Math.min(at + (steps[step % steps.length] ?? 1), wire.length)
          subject.take(wire.subarray(at, next))
          at = next
          expect([at, subject.betweenFrames]).toEqual([at, ends.has(at)])
          expect([at, subject.betweenMessages]).toEqual([at, ends.get(at) ?? false])
        }
      }),
    )
  })

  it('end after a close frame', () => {
    const subject = new WebSocketFrames()
    subject.take(closeFrame('bye', 1001))
    expect(subject.betweenFrames).toBe(false)
  })

  it('of Kairship can be parsed, short and long', () => {
    for (const text of ['', 'x'.repeat(124), 'x'.repeat(125), 'ü'.repeat(500)]) {
      const subject = new WebSocketFrames()
      subject.take(channelMessage(3, text))
      expect(subject.betweenMessages).toBe(true)
    }
    expect(closeFrame('ü'.repeat(500), 1001).length).toBeLessThanOrEqual(2 + 125)
  })
})
