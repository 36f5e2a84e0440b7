import { once } from 'node:events'
import { constants, createDeflate, createInflate } from 'node:zlib'
import { HEADER_DICTIONARY } from './dictionary.js'

/** More than this is no header of a stream that Kubernetes opens, bytes. */
const MOST_BYTES = 16 * 1024

/** Headers that cannot be read. The connection is of no use afterwards: both sides' compression is out of step. */
export class HeaderError extends Error {
  override readonly name = 'HeaderError'
}

/** Compresses and decompresses the header blocks of one connection, in the order in which they are sent. */
export class HeaderCodec {
  readonly #inflate = createInflate({ dictionary: HEADER_DICTIONARY, flush: constants.Z_SYNC_FLUSH })
  readonly #deflate = createDeflate({ dictionary: HEADER_DICTIONARY, flush: constants.Z_SYNC_FLUSH })

  constructor() {
    // Each error is told to who waits for the block; without a listener it would end the process.
    this.#inflate.on('error', () => undefined)
    this.#deflate.on('error', () => undefined)
  }

  /** @returns values by lower-cased name @throws HeaderError for what is no header block, or too large a one */
  async decode(block: Buffer): Promise<ReadonlyMap<string, string>> {
    return parse(await through(this.#inflate, block))
  }

  /** The block of a frame without headers: all that a server of Kubernetes has to say. */
  async encodeNone(): Promise<Buffer> {
    return through(this.#deflate, Buffer.alloc(4))
  }

  close(): void {
    this.#inflate.destroy()
    this.#deflate.destroy()
  }
}

/** One block through a compressor that keeps its memory for the next. */
async function through(codec: ReturnType<typeof createInflate>, block: Buffer): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  const failed = new AbortController()
  const collect = (part: Buffer) => {
    size += part.length
    parts.push(part)
    if (size > MOST_BYTES) codec.destroy(new HeaderError(`headers of more than ${MOST_BYTES} bytes`))
  }
  codec.on('data', collect)
  try {
    await Promise.race([
      new Promise<void>((resolve, reject) => {
        codec.write(block, error => (error ? reject(error) : resolve()))
      }),
      once(codec, 'close', { signal: failed.signal }).then(() => {
        throw codec.errored ?? new HeaderError('the connection is closed')
      }),
    ])
  } catch (cause) {
    if (cause instanceof HeaderError) throw cause
    throw new HeaderError('headers that cannot be decompressed', { cause })
  } finally {
    codec.off('data', collect)
    failed.abort()
  }
  return Buffer.concat(parts)
}

function parse(block: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  let at = 0
  const number = (): number => {
    if (at + 4 > block.length) throw new HeaderError('a header block that is cut short')
    at += 4
    return block.readUInt32BE(at - 4)
  }
  const text = (): string => {
    const length = number()
    if (at + length > block.length) throw new HeaderError('a header block that is cut short')
    at += length
    return block.toString('utf8', at - length, at)
  }
  for (let left = number(); left > 0; left--) {
    const name = text()
    headers.set(name.toLowerCase(), text())
  }
  return headers
}
