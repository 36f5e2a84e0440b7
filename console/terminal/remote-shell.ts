/** The channels of Kubernetes' remote command protocol: the first byte of each frame. */
const [STDIN, STDOUT, STDERR, ERROR, RESIZE] = [0, 1, 2, 3, 4]
/** v5 adds the end of a channel, which is not used here; older servers support only v4. */
export const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const
/** The largest frame, bytes. Longer input, such as pasted text, is split. */
const LARGEST_INPUT = 32_768

/** The end of a program or its terminal. */
export interface End {
  /** The program's exit code; absent where it is not known. */
  readonly code?: number
  /** A reason in the page's own words. */
  readonly why?: string
  /** A reason in the words of a server or a proxy. */
  readonly said?: string
  /** The close code of a WebSocket that broke without a reason. */
  readonly broke?: number
}

/** The state of a terminal. An ended one does not start again, because its program is gone. */
export type ShellState =
  | { readonly name: 'connecting' }
  | { readonly name: 'open' }
  | ({ readonly name: 'ended' } & End)

/** The methods of a browser's WebSocket that are used. */
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
  /** Why the server refused the WebSocket, which browsers do not report. Undefined where the server does not refuse it. */
  readonly whyRefused: () => Promise<string | undefined>
  readonly output: (bytes: Uint8Array) => void
  readonly changed: (state: ShellState) => void
}

/** A program in a container, with a terminal over a WebSocket. */
export class RemoteShell {
  #state: ShellState = { name: 'connecting' }
  #socket: ShellSocket | undefined
  /** The end of the program, as the server sent it. */
  #last: End | undefined
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

  /** Sends typed text. Does nothing before the terminal is open or after its end. */
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

  /** Ends the terminal from the browser. */
  stop(why?: string): void {
    this.#end(why === undefined ? {} : { why })
  }

  #end(end: End): void {
    if (this.#state.name === 'ended') return
    this.#become({ name: 'ended', ...end })
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
    const said = this.#last ?? (reason === '' ? undefined : { said: reason })
    if (said) return this.#become({ name: 'ended', ...said })
    const refusal = wasOpen ? undefined : await this.#refused()
    if (refusal !== undefined) this.#end({ said: refusal })
    else this.#end(wasOpen && code === 1000 ? {} : { broke: code })
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

/** The end of a command, from the Status of the error channel. */
function endOf(text: string): End {
  const status = read(text)
  if (!status) return { said: text }
  if (status.status === 'Success') return { code: 0 }
  const exit = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message
  const code = Number(exit)
  if (Number.isInteger(code)) return { code }
  return { said: status.message ?? text }
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
    // Not JSON: the caller shows the text.
    return undefined
  }
}
