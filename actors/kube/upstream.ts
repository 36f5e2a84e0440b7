import type { Duplex, Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { RawExchange, RawSink, RawSocket, UpgradeSink, Upstream } from '../../ports/kube-api.js'
import { valuesOf } from '../../ports/raw-headers.js'
import { whenKnown } from '../../ports/when-known.js'
import type { Kubeconfig } from './kubeconfig.js'
import type { Authenticator, Proof } from './proof.js'
import type { Sockets } from './sockets.js'

/** One endpoint for a proxy: undici's dispatch underneath, which hands bytes on without parsing or copying them. */
export function upstreamOf(config: Kubeconfig, auth: Authenticator, sockets: Sockets): Upstream {
  const { origin, pathname } = new URL(config.server)
  const basePath = pathname.replace(/\/+$/, '')

  return {
    send(request, sink) {
      const exchange = new Exchange(sink, auth)
      const dispatch = (dispatcher: Dispatcher, proof: Proof): void => {
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
      const open = (proof: Proof) =>
        whenKnown(request.long ? sockets.forWatch(proof) : sockets.forProxy(proof), dispatcher =>
          dispatch(dispatcher, proof),
        )
      try {
        const opening = whenKnown(auth.proof(), open)
        if (opening) opening.catch((error: Error) => exchange.fail(error))
      } catch (error) {
        exchange.fail(error as Error)
      }
      return exchange
    },

    upgrade(request, sink) {
      const exchange = new UpgradeExchange(sink, auth, request.protocol, socket =>
        sockets.keepUpgraded(socket),
      )
      const start = async (): Promise<void> => {
        const proof = await auth.proof()
        const dispatcher = await sockets.forUpgrade(proof)
        exchange.whenOver(() => void sockets.end(dispatcher))
        exchange.dispatch(dispatcher, {
          origin,
          method: request.method as Dispatcher.HttpMethod,
          path: basePath + request.path,
          headers: proven(request.headers, proof),
          upgrade: request.protocol,
          headersTimeout: request.headTimeoutMs,
          bodyTimeout: request.idleTimeoutMs ?? 0,
        })
      }
      start().catch((error: Error) => exchange.fail(error))
      return exchange
    },
  }
}

/** The request's headers with the connection's own proof. undici wants an array that it may write to. */
const proven = (headers: readonly string[], { authorization }: Proof): string[] =>
  authorization ? [...headers, 'authorization', authorization] : [...headers]

/**
 * Carries one answer from undici to its sink, and says once that it is over. These are undici's older callbacks: behind the
 * newer ones it makes an object of each answer's headers first, which is not read here.
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
    readonly auth: Pick<Authenticator, 'refused' | 'forbade'>,
  ) {}

  whenOver(then: () => void): void {
    if (this.#over) then()
    else this.#whenOver = then
  }

  dispatch(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions): void {
    if (!this.#over) dispatcher.dispatch(options, this)
  }

  /** Only what paused itself: the socket may carry the answer to another request by now. */
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

  /** Reported to the sink a turn later: the sender must have its exchange by then. */
  fail(error: Error): void {
    if (!this.finish()) return
    queueMicrotask(() => this.sink.failed(error))
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort
    if (this.#aborted) abort(this.#aborted)
  }

  onHeaders(status: number, received: readonly Buffer[], resume: () => void, message: string): boolean {
    if (status < 200 || this.#over) return true
    if (status === 401) this.auth.refused()
    if (status === 403) this.auth.forbade?.()
    this.#resume = resume
    this.sink.head(status, message, texts(received))
    return true
  }

  onData(chunk: Buffer): boolean {
    // A parser that is resumed inside of an HTTP chunk reports empty data at once, before the rest has arrived. To pause it for that
    // would be to ask again and again, without a turn of the event loop in which the rest could arrive.
    this.#paused = chunk.length > 0 && !this.#over && !this.sink.data(chunk)
    return !this.#paused
  }

  onComplete(): void {
    if (this.finish()) this.sink.end()
  }

  onError(error: Error): void {
    this.fail(error)
  }

  /** @returns whether it was not over before */
  protected finish(): boolean {
    if (this.#over) return false
    this.#over = true
    this.#whenOver?.()
    return true
  }
}

/** An exchange that ends with the socket when the server switches to the requested protocol, and fails when to another one. */
class UpgradeExchange extends Exchange {
  constructor(
    readonly upgradeSink: UpgradeSink,
    auth: Pick<Authenticator, 'refused' | 'forbade'>,
    readonly protocol: string,
    readonly keep: (socket: Duplex) => void,
  ) {
    super(upgradeSink, auth)
  }

  override onHeaders(
    status: number,
    received: readonly Buffer[],
    resume: () => void,
    message: string,
  ): boolean {
    // Without the headers of an upgrade undici takes a 101 for the announcement of another answer.
    if (status === SWITCHING_PROTOCOLS) this.abort(this.#wrongProtocol(undefined))
    return super.onHeaders(status, received, resume, message)
  }

  /** Called for a 101 that has the headers of an upgrade, whatever protocol they name. */
  onUpgrade(_status: number, received: readonly Buffer[], socket: Duplex): void {
    const headers = texts(received)
    const named = valuesOf(headers, 'upgrade')
    if (named.length !== 1 || named[0]?.toLowerCase() !== this.protocol.toLowerCase()) {
      socket.destroy()
      this.fail(this.#wrongProtocol(named.join(', ')))
    } else if (this.finish()) {
      this.keep(socket)
      this.upgradeSink.switched(headers, socket as RawSocket)
    } else socket.destroy()
  }

  #wrongProtocol(named: string | undefined): Error {
    const to = named === undefined ? 'a protocol that it does not name' : JSON.stringify(named)
    return new Error(`the server switched to ${to} instead of ${JSON.stringify(this.protocol)}`)
  }
}

const SWITCHING_PROTOCOLS = 101

const texts = (received: readonly Buffer[]): string[] => {
  const found: string[] = []
  for (const item of received) found.push(item.toString('latin1'))
  return found
}
