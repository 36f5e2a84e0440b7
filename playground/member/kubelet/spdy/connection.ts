import type { Duplex } from 'node:stream'
import {
  controlFrame,
  dataFrame,
  type Frame,
  FrameError,
  FrameReader,
  numberBytes,
  PING,
  RST_STREAM,
  SYN_REPLY,
  SYN_STREAM,
  streamOf,
} from './frames.js'
import { HeaderCodec } from './header-codec.js'

/** Streams of one connection that are open at a time: port-forward opens two for each connection that comes in. */
const MOST_STREAMS = 256
/** In a SYN_STREAM: number, associated number, priority and slot. */
const SYN_BYTES = 10
/** Why a stream is refused: SPDY's REFUSED_STREAM. */
const REFUSED = 3

/** A stream that the peer opened. */
export interface SpdyStream {
  readonly id: number
  readonly headers: ReadonlyMap<string, string>
  /** Resolves when it was handed to the socket, or that is gone. */
  write(data: Uint8Array): Promise<void>
  /** Nothing more will be written. */
  end(): Promise<void>
}

/** The listener for a connection's streams. */
export interface SpdyHandlers {
  readonly opened: (stream: SpdyStream) => void
  readonly data: (stream: SpdyStream, data: Buffer) => void
  /** The peer will send no more on this stream. */
  readonly ended: (stream: SpdyStream) => void
}

/**
 * The server's side of SPDY/3.1 as client-go and kubelets speak it: streams that the client opens, data both ways, pings. It has no
 * windows, as theirs has none: who is too slow holds the whole connection back. Owns the socket.
 */
export class SpdyConnection {
  readonly #socket: Duplex
  readonly #handlers: SpdyHandlers
  readonly #codec = new HeaderCodec()
  readonly #streams = new Map<number, SpdyStream>()
  readonly #gone = new AbortController()
  #resume: (() => void) | undefined
  #paused: Promise<void> | undefined

  constructor(socket: Duplex, handlers: SpdyHandlers) {
    this.#socket = socket
    this.#handlers = handlers
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      this.#codec.close()
      this.resume()
      this.#gone.abort()
    })
    void this.#run()
  }

  /** Aborted when the connection is over, from either side. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** Holds the peer back. */
  pause(): void {
    this.#paused ??= new Promise(resolve => {
      this.#resume = resolve
    })
  }

  resume(): void {
    this.#resume?.()
    this.#paused = undefined
  }

  /** Ends every stream and the connection, after what was sent. */
  close(): void {
    for (const { id } of this.#streams.values()) this.#socket.write(dataFrame(id, Buffer.alloc(0), true))
    this.#socket.end()
  }

  async #run(): Promise<void> {
    const reader = new FrameReader()
    try {
      for await (const chunk of this.#socket)
        for (const frame of reader.read(chunk as Buffer)) {
          await this.#take(frame)
          await this.#paused
        }
      this.#socket.end()
    } catch {
      // What is no SPDY, or a socket that broke: nothing can be said to the peer that it would understand.
      this.#socket.destroy()
    }
  }

  async #take(frame: Frame): Promise<void> {
    if (frame.kind === 'data') {
      const stream = this.#streams.get(frame.stream)
      if (stream && frame.data.length > 0) this.#handlers.data(stream, frame.data)
      if (stream && frame.isLast) this.#handlers.ended(stream)
    } else if (frame.type === SYN_STREAM) await this.#open(frame.body, frame.isLast)
    else if (frame.type === PING) await this.#send(controlFrame(PING, frame.body))
    else if (frame.type === RST_STREAM) this.#reset(streamOf(frame.body))
  }

  async #open(body: Buffer, isLast: boolean): Promise<void> {
    if (body.length < SYN_BYTES) throw new FrameError('a SYN_STREAM that is cut short')
    const id = streamOf(body)
    // Also of a stream that is refused: the next headers are compressed with what these said.
    const headers = await this.#codec.decode(body.subarray(SYN_BYTES))
    if (this.#streams.has(id) || this.#streams.size >= MOST_STREAMS) {
      await this.#send(controlFrame(RST_STREAM, Buffer.concat([numberBytes(id), numberBytes(REFUSED)])))
      return
    }
    const stream: SpdyStream = {
      id,
      headers,
      write: data => this.#send(dataFrame(id, data)),
      end: () => {
        this.#streams.delete(id)
        return this.#send(dataFrame(id, Buffer.alloc(0), true))
      },
    }
    this.#streams.set(id, stream)
    const none = await this.#codec.encodeNone()
    await this.#send(controlFrame(SYN_REPLY, Buffer.concat([numberBytes(id), none])))
    this.#handlers.opened(stream)
    if (isLast) this.#handlers.ended(stream)
  }

  #reset(id: number): void {
    const stream = this.#streams.get(id)
    this.#streams.delete(id)
    if (stream) this.#handlers.ended(stream)
  }

  #send(bytes: Buffer): Promise<void> {
    return new Promise(resolve => {
      if (this.#socket.writable) this.#socket.write(bytes, () => resolve())
      else resolve()
    })
  }
}
