import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { RawExchange, RawSink, RawSocket, Upstream } from '../../ports/kube-api.js'
import type { Authenticator } from './authenticate.js'
import type { Kubeconfig } from './kubeconfig.js'
import type { Sockets } from './sockets.js'

/** One endpoint for a proxy: undici's dispatch underneath, which hands bytes on without parsing or copying them. */
export function upstreamOf(config: Kubeconfig, auth: Authenticator, sockets: Sockets): Upstream {
  const { origin, pathname, host } = new URL(config.server)
  const basePath = pathname.replace(/\/+$/, '')

  /** The request's headers with the connection's own proof. */
  async function proven(headers: readonly string[]) {
    const proof = await auth.proof()
    const { authorization } = proof
    return { proof, headers: authorization ? [...headers, 'authorization', authorization] : [...headers] }
  }

  return {
    send(request, sink) {
      const exchange = new Exchange(sink, status => {
        if (status === 401) auth.refused()
      })
      const start = async (): Promise<void> => {
        const { proof, headers } = await proven(request.headers)
        const dispatcher = request.long ? await sockets.forWatch(proof) : await sockets.forProxy(proof)
        if (request.long) exchange.whenOver(() => void sockets.end(dispatcher))
        exchange.dispatch(dispatcher, {
          origin,
          method: request.method as Dispatcher.HttpMethod,
          path: basePath + request.path,
          headers,
          body: (request.body as Readable | undefined) ?? null,
          headersTimeout: request.headTimeoutMs,
          bodyTimeout: request.idleTimeoutMs ?? 0,
        })
      }
      start().catch((error: Error) => exchange.fail(error))
      return exchange
    },

    async open({ method, path, headers: given }) {
      const { proof, headers } = await proven(given)
      const socket = await sockets.forUpgrade(proof)
      socket.write(headOf(method, basePath + path, ['host', host, ...headers]))
      return socket as RawSocket
    },
  }
}

/** The head of an HTTP/1.1 request. Node's parser let none of these headers contain a line break. */
function headOf(method: string, path: string, headers: readonly string[]): Buffer {
  let head = `${method} ${path} HTTP/1.1\r\n`
  for (let index = 0; index + 1 < headers.length; index += 2)
    head += `${headers[index]}: ${headers[index + 1]}\r\n`
  return Buffer.from(`${head}\r\n`, 'latin1')
}

/** Carries one answer from undici to its sink, and says once that it is over. */
class Exchange implements RawExchange, Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined
  #over = false
  #aborted: Error | undefined
  #whenOver: () => void = () => undefined

  constructor(
    readonly sink: RawSink,
    readonly seen: (status: number) => void,
  ) {}

  whenOver(then: () => void): void {
    if (this.#over) then()
    else this.#whenOver = then
  }

  dispatch(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions): void {
    if (!this.#over) dispatcher.dispatch(options, this)
  }

  resume(): void {
    this.#controller?.resume()
  }

  abort(reason: Error): void {
    this.#aborted ??= reason
    if (this.#controller) this.#controller.abort(reason)
    else this.fail(reason)
  }

  fail(error: Error): void {
    if (this.#over) return
    this.#finish()
    this.sink.failed(error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#aborted) controller.abort(this.#aborted)
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    message = '',
  ): void {
    if (status < 200 || this.#over) return
    this.seen(status)
    const raw = (controller.rawHeaders ?? []) as readonly (Buffer | string)[]
    this.sink.head(
      status,
      message,
      raw.map(item => (typeof item === 'string' ? item : item.toString('latin1'))),
    )
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#over && !this.sink.data(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    if (this.#over) return
    this.#finish()
    this.sink.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error)
  }

  #finish(): void {
    this.#over = true
    this.#whenOver()
  }
}
