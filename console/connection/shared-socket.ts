/** A page has this long to reach its server, milliseconds. */
const OPENING_MS = 10_000

/** What the server sends of each call: its status, its body in pieces, its end. `http/console/shared-socket.ts` is the other side. */
type Received =
  | { readonly id: number; readonly status: number }
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly end: true }

/** The part of a browser's WebSocket that is needed. */
export interface Socket {
  send(text: string): void
  close(): void
  addEventListener(type: 'open', then: () => void): void
  addEventListener(
    type: 'close',
    then: (event: { readonly code: number; readonly reason: string }) => void,
  ): void
  addEventListener(type: 'message', then: (event: { readonly data: unknown }) => void): void
}

/** The answer to one call, as `fetch` would give it. */
interface Answer {
  readonly status: number
  readonly body: ReadableStream<Uint8Array>
}

/** One call under way. */
interface Call {
  begun(status: number): void
  failed(error: Error): void
  /** Set once its answer has begun. */
  body?: ReadableStreamDefaultController<Uint8Array>
}

/**
 * One WebSocket that carries all streams of the page, opened with the first and closed with the last. A browser opens six connections to
 * a host, for all its tabs; this page follows more lists than that.
 */
export class SharedSocket {
  #line: Line | undefined

  /** @param refused called when a socket could not be opened: the server is away, or takes the page for nobody's */
  constructor(
    private readonly connect: () => Socket,
    private readonly refused: () => void = () => undefined,
  ) {}

  /** A GET over the socket. It rejects, or its body errs, when the socket breaks. */
  async get(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted()
    this.#line ??= this.#open()
    return this.#line.get(path, headers, signal)
  }

  /** Calls from now on go over a new socket. Those under way stay on theirs, which closes with the last of them. */
  renew(): void {
    this.#line = undefined
  }

  #open(): Line {
    const line = new Line(this.connect, {
      refused: this.refused,
      ended: () => {
        if (this.#line === line) this.#line = undefined
      },
    })
    return line
  }
}

/** One socket with the calls on it. */
class Line {
  readonly #calls = new Map<number, Call>()
  readonly #socket: Promise<Socket>
  #next = 0
  /** Calls that wait for the socket and are not among `#calls` yet: it must not close under them. */
  #waiting = 0

  constructor(
    connect: () => Socket,
    private readonly then: { readonly refused: () => void; readonly ended: () => void },
  ) {
    this.#socket = this.#open(connect)
  }

  async get(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer> {
    this.#waiting += 1
    let socket: Socket
    try {
      socket = await this.#socket
    } finally {
      // Nothing is awaited from here until it is among `#calls`.
      this.#waiting -= 1
    }
    if (signal.aborted) {
      this.#closeIfUnused(socket)
      throw signal.reason
    }
    this.#next += 1
    const id = this.#next
    const close = () => {
      if (this.#calls.delete(id)) socket.send(JSON.stringify({ close: id }))
      this.#closeIfUnused(socket)
    }
    return new Promise((resolve, reject) => {
      const body = new ReadableStream<Uint8Array>({
        start: controller => {
          const failed = (error: Error) => {
            controller.error(error)
            reject(error)
          }
          this.#calls.set(id, { begun: status => resolve({ status, body }), failed, body: controller })
          signal.addEventListener(
            'abort',
            () => {
              close()
              failed(signal.reason)
            },
            { once: true },
          )
        },
        cancel: close,
      })
      socket.send(JSON.stringify({ open: id, path, headers }))
    })
  }

  #open(connect: () => Socket): Promise<Socket> {
    return new Promise<Socket>((resolve, reject) => {
      const socket = connect()
      let isOpen = false
      const late = setTimeout(() => socket.close(), OPENING_MS)
      socket.addEventListener('open', () => {
        clearTimeout(late)
        isOpen = true
        resolve(socket)
      })
      socket.addEventListener('message', ({ data }) =>
        this.#receive(socket, JSON.parse(String(data)) as Received),
      )
      socket.addEventListener('close', ({ code, reason }) => {
        clearTimeout(late)
        const error = new Error(`the WebSocket was closed with ${reason || code}`)
        reject(error)
        this.#broken(error)
        if (!isOpen) this.then.refused()
      })
    })
  }

  #broken(error: Error): void {
    this.then.ended()
    const calls = [...this.#calls.values()]
    this.#calls.clear()
    for (const call of calls) call.failed(error)
  }

  #receive(socket: Socket, received: Received): void {
    const call = this.#calls.get(received.id)
    // Given up meanwhile.
    if (!call) return
    if ('status' in received) call.begun(received.status)
    else if ('text' in received) call.body?.enqueue(new TextEncoder().encode(received.text))
    else {
      this.#calls.delete(received.id)
      call.body?.close()
      this.#closeIfUnused(socket)
    }
  }

  #closeIfUnused(socket: Socket): void {
    if (this.#calls.size + this.#waiting > 0) return
    this.then.ended()
    socket.close()
  }
}
