/** A frame of SPDY/3.1, as far as Kubernetes uses them. A data frame comes in parts as they arrive; `isLast` ends the stream. */
export type Frame =
  | { readonly kind: 'data'; readonly stream: number; readonly data: Buffer; readonly isLast: boolean }
  | { readonly kind: 'control'; readonly type: number; readonly isLast: boolean; readonly body: Buffer }

/** Types of control frames. */
export const SYN_STREAM = 1
export const SYN_REPLY = 2
export const RST_STREAM = 3
export const PING = 6
export const GO_AWAY = 7

const VERSION = 3
const FIN = 1
const HEAD_BYTES = 8
/** A control frame has headers at most, bytes. Only data may be longer. */
const MOST_CONTROL_BYTES = 16 * 1024
/** A stream's number has 31 bits; the first says that a frame is a control frame. */
const NUMBER = 0x7f_ff_ff_ff

/** What is no SPDY/3.1. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/** Cuts bytes into frames, whatever pieces they arrive in. Keeps at most one control frame. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)
  /** The data frame that is under way. */
  #data: { readonly stream: number; readonly isLast: boolean; left: number } | undefined;

  /** @throws FrameError */
  *read(chunk: Buffer): Generator<Frame> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    for (;;) {
      const frame = this.#data ? this.#part() : this.#next()
      if (!frame) return
      yield frame
    }
  }

  #next(): Frame | undefined {
    if (this.#rest.length < HEAD_BYTES) return undefined
    const [first, second] = [this.#rest.readUInt32BE(0), this.#rest.readUInt32BE(4)]
    const [isLast, length] = [((second >>> 24) & FIN) !== 0, second & 0xff_ff_ff]
    if (first >>> 31 === 0) {
      this.#take(HEAD_BYTES)
      this.#data = { stream: first & NUMBER, isLast, left: length }
      return this.#part()
    }
    const version = (first >>> 16) & 0x7f_ff
    if (version !== VERSION) throw new FrameError(`SPDY of version ${version}`)
    if (length > MOST_CONTROL_BYTES) throw new FrameError(`a control frame of ${length} bytes`)
    if (this.#rest.length < HEAD_BYTES + length) return undefined
    this.#take(HEAD_BYTES)
    return { kind: 'control', type: first & 0xff_ff, isLast, body: this.#take(length) }
  }

  #part(): Frame | undefined {
    const under = this.#data
    if (!under || (under.left > 0 && this.#rest.length === 0)) return undefined
    const data = this.#take(Math.min(under.left, this.#rest.length))
    under.left -= data.length
    if (under.left === 0) this.#data = undefined
    return { kind: 'data', stream: under.stream, data, isLast: under.isLast && under.left === 0 }
  }

  #take(count: number): Buffer {
    const taken = this.#rest.subarray(0, count)
    this.#rest = this.#rest.subarray(count)
    return taken
  }
}

/** Bytes of a control frame. */
export function controlFrame(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(((0x80_00 | VERSION) << 16) >>> 0, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt32BE(body.length, 4)
  return Buffer.concat([head, body])
}

/** Bytes of a data frame. @param isLast nothing more will come on the stream */
export function dataFrame(stream: number, data: Uint8Array, isLast = false): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(stream & NUMBER, 0)
  head.writeUInt32BE(data.length + (isLast ? FIN << 24 : 0), 4)
  return Buffer.concat([head, data])
}

/** The number of the stream that a control frame is about. @throws FrameError for one that is cut short */
export function streamOf(body: Buffer): number {
  if (body.length < 4) throw new FrameError('a frame without the number of its stream')
  return body.readUInt32BE(0) & NUMBER
}

export function numberBytes(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}
