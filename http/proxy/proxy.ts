import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { whenKnown } from '../../ports/when-known.js'
import { Code } from '../../transcoding/code.js'
import { cancelled, type Failure } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { InFlight } from '../live/in-flight.js'
import { admit } from './admission.js'
import { ProxyExchange, shuttingDown } from './exchange/exchange.js'
import { ProxyCall } from './proxy-call.js'
import type { ProxyOptions } from './proxy-options.js'
import { record, recordStarted } from './record.js'
import { refuse } from './refusal.js'
import { parseProxyPath } from './route/path.js'
import { targetOf, uidOf } from './target.js'
import { Tunnels } from './upgrade/tunnels.js'

/** How many times within their patience readers are looked at. */
const LOOKS = 4

/** The proxy: any Kubernetes request, passed on to its instance as it is. */
export interface InstanceProxy {
  /** Takes a request that is for the proxy, and says whether it was. */
  request(request: IncomingMessage, response: ServerResponse): boolean
  /** Takes an upgrade that is for the proxy, and says whether it was. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  /**
   * Ends watches after a whole event, so that clients resume elsewhere, and upgraded connections; from now on neither is
   * begun here any more. Short requests are left to end.
   */
  endStreams(): void
  /** Forgets the requests that are left: to be called when all connections are closed. */
  close(): void
}

/**
 * Bytes go from socket to socket: bodies are neither parsed nor buffered, and the answer bypasses Hono, which was measured
 * at half the cost and is the only way that survives clients who vanish.
 */
export function instanceProxy(options: ProxyOptions): InstanceProxy {
  const passing = new InFlight<ProxyExchange>()
  const tunnels = new Tunnels(options, passing)
  const { patienceMs, meter, circuits, fleet, ledger } = options
  const looking = setInterval(() => {
    const now = options.now()
    for (const passage of passing)
      if (passage.cutIfStalled(now, patienceMs)) meter.count('kairship_proxy_stalled_total')
    circuits.keepOnly(instance => fleet.get(instance) !== undefined)
    if (!fleet.synced) return
    const uids = new Set(fleet.list().map(uidOf))
    ledger.keepOnly(uid => uids.has(uid))
  }, patienceMs / LOOKS)
  // Needs no timer without requests.
  looking.unref()
  return {
    request(request, response) {
      const proxy = parseProxyPath(request.url ?? '')
      if (!proxy) return false
      void pass(options, response, new ProxyCall(request, proxy, options.now()), passing)
      return true
    },
    upgrade(request, socket, head) {
      const proxy = parseProxyPath(request.url ?? '')
      if (!proxy) return false
      void tunnels.open(new ProxyCall(request, proxy, options.now()), socket, head)
      return true
    },
    endStreams() {
      passing.closed = true
      for (const passage of passing) passage.endStream()
      tunnels.close()
    },
    close: () => clearInterval(looking),
  }
}

/** Owns the request from here to its record: it never rejects. */
async function pass(
  options: ProxyOptions,
  response: ServerResponse,
  call: ProxyCall<IncomingMessage>,
  passing: InFlight<ProxyExchange>,
): Promise<void> {
  let release: () => void = () => undefined
  let failure: Failure | undefined
  try {
    const finding = whenKnown(admit(options, call), admitted => targetOf(options, call, admitted, false))
    const target = finding instanceof Promise ? await finding : finding
    release = target.release
    if (passing.closed && target.info.long) throw shuttingDown()
    // It is closed already, so the exchange would get no event: its slots would never be given back.
    if (response.closed) throw cancelled('the caller hung up')
    call.endedBy(failure => exchange.cutShort(failure))
    const exchange = new ProxyExchange(call.request, response, target, options.now)
    if (target.info.long) exchange.begun = status => recordStarted(options, call, status)
    const passed = passing.add(exchange)
    try {
      await exchange.over
    } finally {
      passed.leave()
    }
    failure = call.ended
  } catch (error) {
    failure = toFailure(error)
    refuse(response, failure, call.requestId)
    if (failure.code === Code.INTERNAL) {
      options.log.error({ requestId: call.requestId, err: failure.cause ?? failure }, 'passing on failed')
    }
  } finally {
    call.leave()
    release()
    record(options, call, response.headersSent ? response.statusCode : 0, failure)
  }
}
