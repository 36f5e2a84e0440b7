import { constants, createDeflate } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HEADER_DICTIONARY } from '../../../../../playground/member/kubelet/spdy/dictionary.js'
import {
  controlFrame,
  dataFrame,
  FrameError,
  FrameReader,
} from '../../../../../playground/member/kubelet/spdy/frames.js'
import { HeaderCodec, HeaderError } from '../../../../../playground/member/kubelet/spdy/header-codec.js'

/** What a reader makes of bytes that arrive in pieces: data joined, where a frame came in parts. */
function readIn(pieces: readonly Buffer[]) {
  const reader = new FrameReader()
  const seen: { stream?: number; type?: number; bytes: Buffer; isLast: boolean }[] = []
  for (const piece of pieces)
    for (const frame of reader.read(piece)) {
      const last = seen.at(-1)
      if (frame.kind === 'control')
        seen.push({ type: frame.type, bytes: Buffer.from(frame.body), isLast: frame.isLast })
      else if (last?.stream === frame.stream && !last.isLast) {
        last.bytes = Buffer.concat([last.bytes, frame.data])
        last.isLast = frame.isLast
      } else seen.push({ stream: frame.stream, bytes: Buffer.from(frame.data), isLast: frame.isLast })
    }
  return seen
}

describe('frames', () => {
  const bytes = fc.uint8Array({ maxLength: 300 }).map(one => Buffer.from(one))
  const frames = fc.array(
    fc.oneof(
      fc.record({ type: fc.constantFrom(1, 2, 3, 6, 7), bytes }),
      fc.record({ stream: fc.integer({ min: 1, max: 0x7f_ff_ff_ff }), bytes }),
    ),
    { maxLength: 10 },
  )

  it('survive a round trip in any chunks', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (sent, sizes) => {
        const whole = Buffer.concat(
          sent.map(one =>
            'type' in one ? controlFrame(one.type, one.bytes) : dataFrame(one.stream, one.bytes, true),
          ),
        )
        const pieces: Buffer[] = []
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1
          pieces.push(whole.subarray(at, at + size))
          at += size
        }
        const wanted = sent.map(one =>
          'type' in one
            ? { type: one.type, bytes: one.bytes, isLast: false }
            : { stream: one.stream, bytes: one.bytes, isLast: true },
        )
        expect(readIn(pieces)).toEqual(wanted)
      }),
    )
  })

  it.each([
    ['of another version', Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0])],
    ['longer than any that Kubernetes sends', Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff])],
  ])('that are %s are refused before they are buffered', (_, sent) => {
    expect(() => [...new FrameReader().read(sent)]).toThrow(FrameError)
  })
})

/** Header blocks as a client compresses them, one after the other. */
function client() {
  const deflate = createDeflate({ dictionary: HEADER_DICTIONARY, flush: constants.Z_SYNC_FLUSH })
  return (block: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const parts: Buffer[] = []
      const collect = (part: Buffer) => parts.push(part)
      deflate.on('data', collect)
      deflate.write(block, error => {
        deflate.off('data', collect)
        if (error) reject(error)
        else resolve(Buffer.concat(parts))
      })
    })
}
function block(headers: Readonly<Record<string, string>>): Buffer {
  const number = (value: number) => {
    const four = Buffer.alloc(4)
    four.writeUInt32BE(value)
    return four
  }
  const text = (value: string) => [number(Buffer.byteLength(value)), Buffer.from(value)]
  const entries = Object.entries(headers)
  return Buffer.concat([
    number(entries.length),
    ...entries.flatMap(([name, value]) => [...text(name), ...text(value)]),
  ])
}

describe('headers', () => {
  it('are decompressed block by block with a shared state', async () => {
    const [compress, codec] = [client(), new HeaderCodec()]
    for (const headers of [{ Streamtype: 'error' }, { streamtype: 'stdout', port: '80' }, {}])
      expect(Object.fromEntries(await codec.decode(await compress(block(headers))))).toEqual(
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      )
    codec.close()
  })

  it('use the dictionary of the draft', () => {
    expect(HEADER_DICTIONARY).toHaveLength(1423)
  })

  it.each([
    ['that are no compressed data', async () => Buffer.from('nonsense')],
    ['that are cut short', async () => client()(Buffer.from([0, 0, 0, 1, 0, 0, 0, 9]))],
    ['that grow beyond all bounds', async () => client()(block({ x: 'a'.repeat(1_000_000) }))],
  ])('%s are refused', async (_, sent) => {
    const codec = new HeaderCodec()
    await expect(codec.decode(await sent())).rejects.toThrow(HeaderError)
    codec.close()
  })
})
