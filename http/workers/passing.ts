import type { IncomingMessage, ServerResponse } from 'node:http'
import { eachHeader } from '../../ports/raw-headers.js'
import { Code } from '../../transcoding/code.js'
import { cancelled, type Failure, unavailable } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import type { Caller } from '../identity/caller.js'
import { MOST_HEADERS } from '../listener/listener.js'
import { InFlight } from '../live/in-flight.js'
import { ProxyExchange, shuttingDown } from '../proxy/exchange/exchange.js'
import { SourceHeaders } from '../proxy/exchange/source-headers.js'
import { refuse } from '../proxy/refusal.js'
import { type ProxyPath, parseProxyPath } from '../proxy/route/path.js'
import { requestInfo } from '../proxy/route/request-info.js'
import { askedOf } from './asked-request.js'
import type { WorkerConnection } from './connections.js'
import type { Endpoints } from './endpoints.js'
import { failureMessage, failureOf } from './failure-message.js'
import type { ToParent, ToWorker } from './messages.js'
import { relayRequest } from './relay.js'

/** How many times within their patience readers are looked at. */
const LOOKS = 4
/** Headers by which more than a plain read is asked for, or by whose value the parent finds the caller. */
const NOT_PLAIN =
  /^(impersonate[-_].*|kairship-.*|cookie|content-length|transfer-encoding|expect|upgrade|x-http-method-override)$/i

type Decision = Extract<ToWorker, { readonly is: 'pass' | 'relay' | 'refuse' }>

/** A request that the parent decides about, and that it may end. */
class AskedCall {
  decided: (decision: Decision) => void = () => undefined
  #cut: ((failure: Failure) => void) | undefined
  ended: Failure | undefined

  end(failure: Failure): void {
    this.ended ??= failure
    this.#cut?.(failure)
  }

  /** @throws Failure by which it was ended already */
  endedBy(cut: (failure: Failure) => void): void {
    if (this.ended) throw this.ended
    this.#cut = cut
  }
}

/** A request with its answer, and where in its instance it goes. */
interface Http {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly proxy: ProxyPath
}

/** What passing on needs. */
export interface PassingOptions {
  readonly endpoints: Endpoints
  readonly send: (message: ToParent) => void
  readonly now: () => number
  /** Milliseconds a caller may leave an answer unread before it is cut off. */
  readonly patienceMs: number
}

/** Passes reads on to the control planes of instances, each after the parent has decided. */
export class Passing {
  readonly #asked = new Map<number, AskedCall>()
  readonly #callers = new Map<number, Caller>()
  readonly #passing = new InFlight<ProxyExchange>()
  readonly #looking: NodeJS.Timeout
  #last = 0

  constructor(private readonly options: PassingOptions) {
    const { patienceMs, send, now } = options
    this.#looking = setInterval(() => {
      for (const exchange of this.#passing)
        if (exchange.cutIfStalled(now(), patienceMs))
          send({ is: 'count', name: 'kairship_proxy_stalled_total', labels: {} })
    }, patienceMs / LOOKS)
    this.#looking.unref()
  }

  /** Takes a request that a worker may pass on, and says whether it was one. It never rejects. */
  request(request: IncomingMessage, response: ServerResponse, connection: WorkerConnection): boolean {
    if (request.method !== 'GET' || !isPlain(request.rawHeaders)) return false
    const proxy = parseProxyPath(request.url ?? '')
    if (!proxy || 'problem' in proxy) return false
    void this.#ask(request, response, connection, proxy)
    return true
  }

  knows({ caller, who }: Extract<ToWorker, { readonly is: 'caller' }>): void {
    this.#callers.set(caller, who)
  }

  forgetCallers(): void {
    this.#callers.clear()
  }

  decided(decision: Decision): void {
    this.#asked.get(decision.call)?.decided(decision)
  }

  cut({ call, failure }: Extract<ToWorker, { readonly is: 'cut' }>): void {
    this.#asked.get(call)?.end(failureOf(failure))
  }

  /** Ends watches after a whole event; no more are begun. */
  endStreams(): void {
    this.#passing.closed = true
    for (const exchange of this.#passing) exchange.endStream()
  }

  async #ask(
    request: IncomingMessage,
    response: ServerResponse,
    connection: WorkerConnection,
    proxy: ProxyPath,
  ): Promise<void> {
    this.#last += 1
    const id = this.#last
    const call = new AskedCall()
    this.#asked.set(id, call)
    const decision = await new Promise<Decision>(resolve => {
      call.decided = resolve
      this.options.send({ is: 'ask', call: id, connection: connection.number, request: askedOf(request) })
    })
    if (decision.is === 'relay') {
      this.#asked.delete(id)
      relayRequest(request, response, connection)
      return
    }
    const failure = await this.#carryOut(decision, call, { request, response, proxy })
    this.#asked.delete(id)
    this.options.send({
      is: 'over',
      call: id,
      status: response.headersSent ? response.statusCode : 0,
      failure: failure && failureMessage(failure),
    })
  }

  /** @returns why it ended otherwise than with a whole answer */
  async #carryOut(
    decision: Exclude<Decision, { readonly is: 'relay' }>,
    call: AskedCall,
    http: Http,
  ): Promise<Failure | undefined> {
    const { requestId } = decision
    try {
      if (decision.is === 'refuse') throw failureOf(decision.failure)
      await this.#pass(decision, call, http)
      return call.ended
    } catch (error) {
      const failure = toFailure(error)
      refuse(http.response, failure, requestId)
      if (failure.code === Code.INTERNAL && decision.is === 'pass') this.#log(failure, requestId)
      return failure
    }
  }

  async #pass(
    { call: id, caller, endpoint, route, requestId }: Extract<Decision, { readonly is: 'pass' }>,
    call: AskedCall,
    { request, response, proxy }: Http,
  ): Promise<void> {
    const info = requestInfo('GET', proxy.path)
    if (this.#passing.closed && info.long) throw shuttingDown()
    // It is closed already, so the exchange would get no event.
    if (response.closed) throw cancelled('the caller hung up')
    const upstream = this.options.endpoints.get(endpoint)
    const who = this.#callers.get(caller)
    if (!upstream || !who)
      throw unavailable('the connection to the instance was closed', { retryAfterSeconds: 1 })
    call.endedBy(failure => exchange.cutShort(failure))
    const exchange = new ProxyExchange(
      request,
      response,
      {
        path: proxy.path,
        info,
        caller: who,
        auditId: requestId,
        upstream: { send: (sent, sink) => upstream.send(sent, new SourceHeaders(sink, route)) },
      },
      this.options.now,
    )
    if (info.long) exchange.begun = status => this.options.send({ is: 'begun', call: id, status })
    const passed = this.#passing.add(exchange)
    try {
      await exchange.over
    } finally {
      passed.leave()
    }
  }

  #log({ cause, message, stack }: Failure, requestId: string): void {
    const err = cause instanceof Error ? { message: cause.message, stack: cause.stack } : { message, stack }
    this.options.send({ is: 'log', level: 'error', fields: { requestId, err }, message: 'passing on failed' })
  }
}

/** Whether a request is a read as most are: its headers say nothing that the parent would have to see. */
function isPlain(rawHeaders: readonly string[]): boolean {
  if (rawHeaders.length >= 2 * MOST_HEADERS) return false
  let isPlain = true
  eachHeader(rawHeaders, name => {
    if (NOT_PLAIN.test(name)) isPlain = false
  })
  return isPlain
}
