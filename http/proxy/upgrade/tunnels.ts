import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { RawExchange, RawRequest, RawSink, RawSocket, UpgradeSink } from '../../../ports/kube-api.js'
import { eachHeader, valuesOf } from '../../../ports/raw-headers.js'
import { badGateway, cancelled, type Failure } from '../../errors/failure.js'
import { toFailure } from '../../errors/to-failure.js'
import { refuseUpgrade, upgradeResponse } from '../../listener/upgrade-response.js'
import type { InFlight, Place } from '../../live/in-flight.js'
import { admitUpgrade } from '../admission.js'
import { ProxyExchange, shuttingDown } from '../exchange/exchange.js'
import { answerHeaders } from '../exchange/headers.js'
import { PassingSink } from '../exchange/passing-sink.js'
import { SourceHeaders } from '../exchange/source-headers.js'
import type { ProxyCall } from '../proxy-call.js'
import type { ProxyOptions } from '../proxy-options.js'
import { record, recordStarted } from '../record.js'
import { refuse } from '../refusal.js'
import type { Route } from '../route/route.js'
import { type Target, targetOf } from '../target.js'
import { EarlyBytes } from './early-bytes.js'
import { lastWords } from './last-words.js'
import { Tunnel } from './tunnel.js'

/** What a caller who has lost the right has to take the reason, milliseconds. */
const LAST_WORDS_MS = 500

/** Why an upgrade is never sent to the index. */
const ROUTE: Route = {
  to: 'karmada',
  reason: 'Subresource',
  because: 'it is an upgrade',
  fallback: false,
}

/** An upgrade request that came to the proxy. */
interface Upgrading {
  readonly call: ProxyCall<IncomingMessage>
  readonly socket: Duplex
  /** For the answer, unless it is a 101. */
  readonly response: ServerResponse
  readonly early: EarlyBytes
}

/** A 101 of the instance. */
interface Switched {
  readonly headers: readonly string[]
  readonly socket: Duplex
}

/**
 * Upgraded connections: exec, attach, port-forward and cp, over WebSocket or SPDY. The instance takes what comes over the
 * upgraded socket as Kairship's own, so both sides speak HTTP until it has answered 101: any other answer is relayed as the
 * ordinary answer it is, and both connections close.
 */
export class Tunnels {
  /** What `close` does to each upgrade under way. */
  readonly #ends = new Set<() => void>()
  #closed = false

  constructor(
    readonly options: ProxyOptions,
    /** Where refusals are watched for callers that do not read them. */
    readonly passing: Pick<InFlight<ProxyExchange>, 'add'>,
  ) {}

  /** Owns the socket until it is closed: it never rejects. */
  async open(call: ProxyCall<IncomingMessage>, socket: Duplex, head: Buffer): Promise<void> {
    // Node hands over a socket without a listener for errors, and an unheard error would end the process.
    let gone: Failure | undefined
    socket.on('error', error => {
      gone ??= cancelled('the caller hung up', { cause: error })
    })
    const early = new EarlyBytes(socket, head)
    const response = upgradeResponse(call.request, socket)
    const upgrading: Upgrading = { call, socket, response, early }
    let release: () => void = () => undefined
    let failure: Failure | undefined
    try {
      const admitted = await admitUpgrade(this.options, call)
      const target = await targetOf(this.options, call, admitted, true)
      release = target.release
      if (this.#closed) throw shuttingDown()
      if (response.closed) throw cancelled('the caller hung up')
      call.endedBy(() => undefined)
      const switched = await this.#ask(upgrading, target, admitted.protocol)
      if (switched) failure = await this.#join(upgrading, target, switched)
    } catch (error) {
      failure = gone ?? toFailure(error)
      const said = failure
      early.drop()
      refuseUpgrade(socket, () => refuse(response, said, call.requestId))
    } finally {
      call.leave()
      release()
      record(this.options, call, response.headersSent ? response.statusCode : 0, failure)
    }
  }

  /**
   * Ends every connection: what was said is still delivered, then both sides receive an end as one that was meant. Upgrades
   * that the instance has not answered yet are refused.
   */
  close(): void {
    this.#closed = true
    for (const end of this.#ends) end()
  }

  /** Resolves with the instance's 101, or with nothing when another answer was passed on whole. @throws as `ProxyExchange.over` */
  async #ask(
    { call, response, early }: Upgrading,
    target: Target,
    protocol: string,
  ): Promise<Switched | undefined> {
    let exchange: RawExchange | undefined
    const abort = (failure = shuttingDown()) => exchange?.abort(failure)
    const stop = () => abort()
    this.#ends.add(stop)
    call.cut = abort
    let passed: Place | undefined
    try {
      return await new Promise<Switched | undefined>((resolve, reject) => {
        const upstream = {
          send({ method, path, headers, headTimeoutMs, idleTimeoutMs = 0 }: RawRequest, sink: RawSink) {
            const request = { method, path, headers, headTimeoutMs, idleTimeoutMs, protocol }
            call.answered = { source: ROUTE.to, reason: ROUTE.reason }
            const answer = new UpgradeAnswer(new SourceHeaders(sink, ROUTE), resolve, () => early.drop())
            exchange = target.karmada.upgrade(request, answer)
            return exchange
          },
        }
        const relay = new ProxyExchange(call.request, response, { ...target, upstream }, this.options.now)
        passed = this.passing.add(relay)
        relay.over.then(() => resolve(undefined), reject)
      })
    } finally {
      passed?.leave()
      this.#ends.delete(stop)
      call.cut = undefined
    }
  }

  /** Resolves when both sides are closed, with a failure where they did not end by themselves. */
  async #join(
    { call, socket: client, response, early }: Upgrading,
    { path }: Target,
    { headers, socket }: Switched,
  ): Promise<Failure | undefined> {
    try {
      response.writeHead(101, 'Switching Protocols', switchingHeaders(headers))
    } catch (error) {
      socket.destroy()
      throw badGateway('the instance answered with a head that HTTP does not allow', {
        reason: 'BadAnswer',
        cause: error,
      })
    }
    response.flushHeaders()
    recordStarted(this.options, call, 101)
    response.detachSocket(client as Socket)
    for (const chunk of early.take()) socket.write(chunk)
    const upgrade = valuesOf(headers, 'upgrade')[0] ?? ''
    const protocol = valuesOf(headers, 'sec-websocket-protocol')[0]
    const tunnel = new Tunnel(client, socket, lastWords(upgrade, protocol, path, socket))
    const end = () => tunnel.end(shuttingDown())
    this.#ends.add(end)
    call.cut = failure => tunnel.end(failure, LAST_WORDS_MS)
    if (call.ended) call.cut(call.ended)
    if (this.#closed) end()
    const failure = await tunnel.over
    this.#ends.delete(end)
    return failure
  }
}

/** The sink of an upgrade's answer: an ordinary answer goes to `sink`. */
class UpgradeAnswer extends PassingSink implements UpgradeSink {
  constructor(
    sink: RawSink,
    readonly accepted: (switched: Switched) => void,
    readonly refused: () => void,
  ) {
    super(sink)
  }

  switched(headers: readonly string[], socket: RawSocket): void {
    // A socket to the instance is a Duplex, which a port cannot say.
    const duplex = socket as Duplex
    // What breaks before the sides are joined breaks the tunnel then.
    duplex.on('error', () => undefined)
    this.accepted({ headers, socket: duplex })
  }

  override head(status: number, message: string, headers: readonly string[]): void {
    this.refused()
    super.head(status, message, headers)
  }
}

/** The headers of the 101, with those of its connection, which `answerHeaders` leaves out. A 101 has no body to measure. */
function switchingHeaders(received: readonly string[]): string[] {
  const headers = ['Connection', 'Upgrade']
  for (const protocol of valuesOf(received, 'upgrade')) headers.push('Upgrade', protocol)
  eachHeader(answerHeaders(received), (name, value) => {
    if (name.toLowerCase() !== 'content-length') headers.push(name, value)
  })
  return headers
}
