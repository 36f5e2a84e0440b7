import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { RawExchange, RawSink, RawSocket, Upstream } from '../../ports/kube-api.js'
import type { Authenticator, Proof } from './authenticate.js'
import type { Kubeconfig } from './kubeconfig.js'
import type { Sockets } from './sockets.js'

/** One endpoint for a proxy: undici's dispatch underneath, which hands bytes on without parsing or copying them. */
export function upstreamOf(config: Kubeconfig, auth: Authenticator, sockets: Sockets): Upstream {
  const { origin, pathname, host } = new URL(config.server)
  const basePath = pathname.replace(/\/+$/, '')

  return {
    send(request, sink) {
      const exchange = new Exchange(sink, auth)
      // Most of the time both are known, and a turn of waiting for each would cost more than to look.
      const start = async (): Promise<void> => {
        const proving = auth.proof()
        const proof = proving instanceof Promise ? await proving : proving
        const opening = request.long ? sockets.forWatch(proof) : sockets.forProxy(proof)
        const dispatcher = opening instanceof Promise ? await opening : opening
        if (request.long) exchange.whenOver(() => void sockets.end(dispatcher))
        exchange.dispatch(dispatcher, {
          origin,
          method: request.method as Dispatcher.HttpMethod,
          path: basePath + request.path,
          headers: proven(request.headers, proof),
          body: (request.body as Readable | undefined) ?? null,
          headersTimeout: request.headTimeoutMs,
          bodyTimeout: request.idleTimeoutMs ?? 0,
        })
      }
      start().catch((error: Error) => exchange.fail(error))
      return exchange
    },

    async open({ method, path, headers }) {
      const proof = await auth.proof()
      const socket = await sockets.forUpgrade(proof)
      socket.write(headOf(method, basePath + path, ['host', host, ...proven(headers, proof)]))
      return socket as RawSocket
    },
  }
}

/** The request's headers with the connection's own proof. undici wants an array that it may write to. */
const proven = (headers: readonly string[], { authorization }: Proof): string[] =>
  authorization ? [...headers, 'authorization', authorization] : [...headers]

/** The head of an HTTP/1.1 request. Node's parser let none of these headers contain a line break. */
function headOf(method: string, path: string, headers: readonly string[]): Buffer {
  let head = `${method} ${path} HTTP/1.1\r\n`
  for (let index = 0; index + 1 < headers.length; index += 2)
    head += `${headers[index]}: ${headers[index + 1]}\r\n`
  return Buffer.from(`${head}\r\n`, 'latin1')
}

/**
 * Carries one answer from undici to its sink, and says once that it is over. These are undici's older callbacks: behind the
 * newer ones it makes an object of each answer's headers first, which nobody here reads.
 */
class Exchange implements RawExchange, Dispatcher.DispatchHandler {
  #abort: ((reason: Error) => void) | undefined
  #resume: (() => void) | undefined
  #paused = false
  #over = false
  #aborted: Error | undefined
  #whenOver: (() => void) | undefined

  constructor(
    readonly sink: RawSink,
    readonly auth: Pick<Authenticator, 'refused'>,
  ) {}

  whenOver(then: () => void): void {
    if (this.#over) then()
    else this.#whenOver = then
  }

  dispatch(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions): void {
    if (!this.#over) dispatcher.dispatch(options, this)
  }

  /** Only what paused itself: the socket may carry somebody else's answer by now. */
  resume(): void {
    if (!this.#paused || this.#over) return
    this.#paused = false
    this.#resume?.()
  }

  abort(reason: Error): void {
    if (this.#aborted) return
    this.#aborted = reason
    if (this.#abort) this.#abort(reason)
    else this.fail(reason)
  }

  /** The sink hears of it a turn later: who sends has to have its exchange by then. */
  fail(error: Error): void {
    if (this.#over) return
    this.#finish()
    queueMicrotask(() => this.sink.failed(error))
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort
    if (this.#aborted) abort(this.#aborted)
  }

  onHeaders(status: number, received: readonly Buffer[], resume: () => void, message: string): boolean {
    if (status < 200 || this.#over) return true
    if (status === 401) this.auth.refused()
    this.#resume = resume
    const headers: string[] = []
    for (const item of received) headers.push(item.toString('latin1'))
    this.sink.head(status, message, headers)
    return true
  }

  onData(chunk: Buffer): boolean {
    this.#paused = !this.#over && !this.sink.data(chunk)
    return !this.#paused
  }

  onComplete(): void {
    if (this.#over) return
    this.#finish()
    this.sink.end()
  }

  onError(error: Error): void {
    this.fail(error)
  }

  #finish(): void {
    this.#over = true
    this.#whenOver?.()
  }
}
