/** WebSocket's opcodes (RFC 6455, section 5.2). From CLOSE on they are of control frames. */
const BINARY = 2
const CLOSE = 8
const FINAL = 0x80
const MASKED = 0x80

/** Bytes of a close frame's reason: a control frame carries 125, two of them for the code. */
const MOST_REASON = 123

/**
 * Follows the frames that a WebSocket server sends, without keeping any, to know where one of our own can be put in between.
 */
export class WebSocketFrames {
  /** The beginning of a frame's head, until its length is known. */
  #head = Buffer.alloc(0)
  /** Bytes of the frame's payload that are still to come. */
  #left = 0n
  #fragmented = false
  #closed = false

  take(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) {
      if (this.#left > 0n) {
        const taken = this.#left < BigInt(rest.length) ? Number(this.#left) : rest.length
        this.#left -= BigInt(taken)
        rest = rest.subarray(taken)
      } else rest = this.#takeHead(rest)
    }
  }

  /** Whether a control frame can follow: the last frame is whole and did not close the connection. */
  get betweenFrames(): boolean {
    return !this.#closed && this.#head.length === 0 && this.#left === 0n
  }

  /** Whether a message can follow: also the last message is whole. */
  get betweenMessages(): boolean {
    return this.betweenFrames && !this.#fragmented
  }

  #takeHead(chunk: Buffer): Buffer {
    const head = Buffer.concat([this.#head, chunk.subarray(0, LONGEST_HEAD - this.#head.length)])
    const [first = 0, second = 0] = head
    const short = second & ~MASKED
    const extended = short === 127 ? 8 : short === 126 ? 2 : 0
    const size = 2 + extended + (second & MASKED ? 4 : 0)
    if (head.length < 2 || head.length < size) {
      this.#head = head
      return chunk.subarray(head.length)
    }
    const used = size - this.#head.length
    this.#head = Buffer.alloc(0)
    this.#left =
      extended === 8 ? head.readBigUInt64BE(2) : BigInt(extended === 2 ? head.readUInt16BE(2) : short)
    const opcode = first & 0x0f
    if (opcode === CLOSE) this.#closed = true
    if (opcode < CLOSE) this.#fragmented = (first & FINAL) === 0
    return chunk.subarray(used)
  }
}

const LONGEST_HEAD = 14

/** A binary message of a server on a channel of Kubernetes' stream protocols. */
export const channelMessage = (channel: number, text: string): Buffer =>
  frame(BINARY, Buffer.concat([Buffer.of(channel), Buffer.from(text)]))

/**
 * A close frame of a server; the reason is cut to what fits.
 * @param status of RFC 6455, section 7.4.1
 */
export function closeFrame(reason: string, status: number): Buffer {
  const code = Buffer.alloc(2)
  code.writeUInt16BE(status)
  // Cut by characters: half a character would be no UTF-8, which is an error of its own.
  let text = reason
  while (Buffer.byteLength(text) > MOST_REASON) text = text.slice(0, -1)
  return frame(CLOSE, Buffer.concat([code, Buffer.from(text)]))
}

function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  if (length < 126) return Buffer.concat([Buffer.of(FINAL | opcode, length), payload])
  const head = Buffer.alloc(4)
  head.writeUInt16BE(((FINAL | opcode) << 8) | 126)
  head.writeUInt16BE(length, 2)
  return Buffer.concat([head, payload])
}
