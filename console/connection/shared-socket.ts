/** The time to open a WebSocket, milliseconds. */
const OPENING_MS = 10_000

/** Messages of the server about a call: its status, a piece of its body, its end. The other side is `http/console/shared-socket.ts`. */
type Received =
  | { readonly id: number; readonly status: number }
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly end: true }

/** The methods of a browser's WebSocket that are used. */
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

/** A running call. */
interface Call {
  begun(status: number): void
  failed(error: Error): void
  /** Writes the response body. */
  body?: ReadableStreamDefaultController<Uint8Array>
}

/**
 * One WebSocket for all streams of the page. It opens with the first stream and closes with the last. Browsers open six connections to a host for all
 * tabs together; a page follows more lists than that.
 */
export class SharedSocket {
  #connection: Connection | undefined

  /** @param refused called when a socket could not be opened: the server is away, or takes the page for nobody's */
  constructor(
    private readonly connect: () => Socket,
    private readonly refused: () => void = () => undefined,
  ) {}

  /** A GET over the socket. It rejects, or its body errs, when the socket breaks. */
  async get(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted()
    this.#connection ??= this.#open()
    return this.#connection.get(path, headers, signal)
  }

  /** New calls use a new socket. Running calls stay on theirs, which closes with the last of them. */
  renew(): void {
    this.#connection = undefined
  }

  #open(): Connection {
    const connection = new Connection(this.connect, {
      refused: this.refused,
      ended: () => {
        if (this.#connection === connection) this.#connection = undefined
      },
    })
    return connection
  }
}

/** One socket and its calls. */
class Connection {
  readonly #calls = new Map<number, Call>()
  readonly #socket: Promise<Socket>
  #next = 0
  /** Calls that wait for the socket to open and are not in `#calls` yet. The socket must stay open for them. */
  #waiting = 0

  constructor(
    connect: () => Socket,
    private readonly callbacks: { readonly refused: () => void; readonly ended: () => void },
  ) {
    this.#socket = this.#open(connect)
  }

  async get(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer> {
    this.#waiting += 1
    let socket: Socket
    try {
      socket = await this.#socket
    } finally {
      // From here until the call is in `#calls` nothing is awaited.
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
        if (!isOpen) this.callbacks.refused()
      })
    })
  }

  #broken(error: Error): void {
    this.callbacks.ended()
    const calls = [...this.#calls.values()]
    this.#calls.clear()
    for (const call of calls) call.failed(error)
  }

  #receive(socket: Socket, received: Received): void {
    const call = this.#calls.get(received.id)
    // The caller aborted it.
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
    this.callbacks.ended()
    socket.close()
  }
}
