/** The channels of Kubernetes' remote command protocol: the first byte of each frame. */
const [STDIN, STDOUT, STDERR, ERROR, RESIZE] = [0, 1, 2, 3, 4]
/** v5 also says that a channel is over; nothing here needs that, and older servers do not know it. */
export const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const
/** Bytes of one frame: what a person pastes is sent in pieces. */
const LARGEST_INPUT = 32_768

/** How a terminal is. It ends once, and does not begin again: what ran in it is gone. */
export type ShellState =
  | { readonly name: 'connecting' }
  | { readonly name: 'open' }
  /** @param code of the program; absent where it is not known */
  | { readonly name: 'ended'; readonly code?: number; readonly why?: string }

/** The part of a browser's WebSocket that is needed. */
export interface ShellSocket {
  binaryType: string
  send(data: Uint8Array<ArrayBuffer>): void
  close(): void
  addEventListener(type: 'open', then: () => void): void
  addEventListener(
    type: 'close',
    then: (event: { readonly code: number; readonly reason: string }) => void,
  ): void
  addEventListener(type: 'message', then: (event: { readonly data: unknown }) => void): void
}

export interface ShellOptions {
  readonly connect: () => ShellSocket
  /** Why the server does not open it; browsers do not say. Undefined where the server would. */
  readonly whyRefused: () => Promise<string | undefined>
  readonly output: (bytes: Uint8Array) => void
  readonly changed: (state: ShellState) => void
}

/** A program in a container, with its terminal over a WebSocket. */
export class RemoteShell {
  #state: ShellState = { name: 'connecting' }
  #socket: ShellSocket | undefined
  /** What the server said last of how it ends. */
  #last: { readonly code?: number; readonly why?: string } | undefined
  #size: { readonly columns: number; readonly rows: number } | undefined

  constructor(private readonly options: ShellOptions) {}

  start(): void {
    if (this.#socket) return
    const socket = this.options.connect()
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('open', () => {
      if (this.#state.name !== 'connecting') return
      this.#become({ name: 'open' })
      if (this.#size) this.resize(this.#size.columns, this.#size.rows)
    })
    socket.addEventListener('message', ({ data }) => {
      if (data instanceof ArrayBuffer) this.#take(new Uint8Array(data))
    })
    socket.addEventListener('close', ({ code, reason }) => void this.#closed(code, reason))
  }

  /** Sends what was typed. Nothing is sent before the terminal is open or after its end. */
  input(text: string): void {
    if (this.#state.name !== 'open') return
    const bytes = new TextEncoder().encode(text)
    for (let at = 0; at < bytes.length; at += LARGEST_INPUT)
      this.#send(STDIN, bytes.subarray(at, at + LARGEST_INPUT))
  }

  resize(columns: number, rows: number): void {
    this.#size = { columns, rows }
    if (this.#state.name !== 'open') return
    this.#send(RESIZE, new TextEncoder().encode(JSON.stringify({ Width: columns, Height: rows })))
  }

  /** Ends it from this side. */
  stop(why?: string): void {
    if (this.#state.name === 'ended') return
    this.#become({ name: 'ended', ...(why !== undefined && { why }) })
    this.#socket?.close()
  }

  #send(channel: number | undefined, bytes: Uint8Array): void {
    const frame = new Uint8Array(bytes.length + 1)
    frame[0] = channel ?? STDIN ?? 0
    frame.set(bytes, 1)
    this.#socket?.send(frame)
  }

  #take(frame: Uint8Array): void {
    const [channel] = frame
    const bytes = frame.subarray(1)
    if (channel === STDOUT || channel === STDERR) this.options.output(bytes)
    else if (channel === ERROR) this.#last = endOf(new TextDecoder().decode(bytes))
  }

  async #closed(code: number, reason: string): Promise<void> {
    if (this.#state.name === 'ended') return
    const wasOpen = this.#state.name === 'open'
    const said = this.#last ?? (reason === '' ? undefined : { why: reason })
    if (said) return this.#become({ name: 'ended', ...said })
    const why = wasOpen ? undefined : await this.#refused()
    this.stop(why ?? (wasOpen && code === 1000 ? undefined : `the connection broke (${code})`))
  }

  async #refused(): Promise<string | undefined> {
    try {
      return await this.options.whyRefused()
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  #become(state: ShellState): void {
    this.#state = state
    this.options.changed(state)
  }
}

/** How a command ended, in the Status that comes on the error channel. */
function endOf(text: string): { readonly code?: number; readonly why?: string } {
  const status = read(text)
  if (!status) return { why: text }
  if (status.status === 'Success') return { code: 0 }
  const exit = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message
  const code = Number(exit)
  if (status.reason === 'NonZeroExitCode' && Number.isInteger(code)) return { code }
  return { why: status.message ?? text }
}

interface Status {
  readonly status?: string
  readonly reason?: string
  readonly message?: string
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] }
}

function read(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    // Its text is said as it is.
    return undefined
  }
}
