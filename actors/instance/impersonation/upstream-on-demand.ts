import { setMaxListeners } from 'node:events'
import {
  type AccountTokens,
  ConnectionClosedError,
  type KubeApi,
  type RawExchange,
  type RawRequest,
  type RawSink,
  type UpgradeRequest,
  type UpgradeSink,
  type Upstream,
  type UpstreamAccount,
} from '../../../ports/kube-api.js'

/**
 * The upstream of a connection that is made when the first request comes. Most instances of a large fleet are used by nobody, and a
 * connection costs the memory and time of a parsed kubeconfig.
 */
export class UpstreamOnDemand implements Upstream {
  #known: Upstream | undefined
  #connecting: Promise<Upstream> | undefined
  #api: KubeApi | undefined
  #closed = false
  readonly #tokens: AccountTokens | undefined
  #closing: AbortController | undefined

  /**
   * @param server what is connected to, for messages
   * @param connect called once, and again after it has failed. The connection must have an upstream.
   * @param tokens under which all is sent; absent where it may be sent under something else as well
   */
  constructor(
    private readonly server: string,
    private readonly connect: () => Promise<KubeApi>,
    tokens?: AccountTokens,
  ) {
    this.#tokens = tokens
  }

  /** Few are asked for it, and only they have a signal. */
  get account(): UpstreamAccount | undefined {
    if (!this.#tokens || this.#closed) return undefined
    if (!this.#closing) {
      this.#closing = new AbortController()
      // Each worker has a listener.
      setMaxListeners(0, this.#closing.signal)
    }
    return { tokens: this.#tokens, closed: this.#closing.signal }
  }

  send(request: RawRequest, sink: RawSink): RawExchange {
    if (this.#known) return this.#known.send(request, sink)
    return new AwaitedExchange(this.#connected(), sink, upstream => upstream.send(request, sink))
  }

  upgrade(request: UpgradeRequest, sink: UpgradeSink): RawExchange {
    if (this.#known) return this.#known.upgrade(request, sink)
    return new AwaitedExchange(this.#connected(), sink, upstream => upstream.upgrade(request, sink))
  }

  /** Ends what is under way; what is sent from now on fails. */
  async close(): Promise<void> {
    this.#closed = true
    this.#closing?.abort(this.#wasClosed())
    await this.#api?.close()
  }

  #connected(): Promise<Upstream> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #connect(): Promise<Upstream> {
    if (this.#closed) throw this.#wasClosed()
    const api = await this.connect()
    if (this.#closed || !api.upstream) {
      await api.close()
      throw this.#closed ? this.#wasClosed() : new Error(`${this.server} is not reached over sockets`)
    }
    this.#api = api
    this.#known = api.upstream
    return api.upstream
  }

  #wasClosed(): Error {
    return new ConnectionClosedError(`the connection to ${this.server} was closed`)
  }
}

/** An exchange that begins when there is a connection. */
class AwaitedExchange implements RawExchange {
  #begun: RawExchange | undefined
  #aborted = false

  constructor(
    connected: Promise<Upstream>,
    private readonly sink: RawSink,
    begin: (upstream: Upstream) => RawExchange,
  ) {
    connected.then(
      upstream => {
        if (!this.#aborted) this.#begun = begin(upstream)
      },
      (error: Error) => {
        if (!this.#aborted) sink.failed(error)
      },
    )
  }

  resume(): void {
    this.#begun?.resume()
  }

  /** Nothing was sent before it has begun; the sink hears of it a turn later, as its sender must have the exchange by then. */
  abort(reason: Error): void {
    if (this.#begun) this.#begun.abort(reason)
    else if (!this.#aborted) {
      this.#aborted = true
      queueMicrotask(() => this.sink.failed(reason))
    }
  }
}
