import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Code } from '../code.js'
import { toFailure } from '../errors.js'
import type { Failure } from '../failure.js'
import { admit, type DoorOptions, type Visit, visitOf } from './admission.js'
import { Passage, shuttingDown } from './passage.js'
import { Passing } from './passing.js'
import { parseDoorPath } from './path.js'
import { record } from './record.js'
import { refuse } from './refusal.js'
import { Tunnels } from './tunnels.js'

/** How many times within their patience readers are looked at. */
const LOOKS = 4

/** The native door: any Kubernetes request, passed on to its instance as it is. */
export interface NativeDoor {
  /** Takes a request that is for the door, and says whether it was. */
  request(request: IncomingMessage, response: ServerResponse): boolean
  /** Takes an upgrade that is for the door, and says whether it was. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  /**
   * Ends watches after a whole event, so that clients resume elsewhere, and upgraded connections; from now on neither is
   * begun here any more. Short requests are left to end.
   */
  endStreams(): void
  /** Forgets whoever is left: to be called when all connections are closed. */
  close(): void
}

/**
 * Bytes go from socket to socket: bodies are neither parsed nor buffered, and the answer bypasses Hono, which was measured
 * at half the cost and is the only way that survives clients who vanish.
 */
export function nativeDoor(options: DoorOptions): NativeDoor {
  const passing = new Passing<Passage>()
  const tunnels = new Tunnels(options)
  const { patienceMs, meter, circuits, fleet } = options
  const looking = setInterval(() => {
    const now = options.now()
    for (const passage of passing)
      if (passage.cutIfStalled(now, patienceMs)) meter.count('kairship_proxy_stalled_total')
    circuits.keepOnly(instance => fleet.get(instance) !== undefined)
  }, patienceMs / LOOKS)
  // Watches nobody but itself; without requests there is nothing to look at.
  looking.unref()
  return {
    request(request, response) {
      const door = parseDoorPath(request.url ?? '')
      if (!door) return false
      void pass(options, request, response, visitOf(request, door, options.now()), passing)
      return true
    },
    upgrade(request, socket, head) {
      const door = parseDoorPath(request.url ?? '')
      if (!door) return false
      void tunnels.open(request, socket, head, visitOf(request, door, options.now()))
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
  options: DoorOptions,
  request: IncomingMessage,
  response: ServerResponse,
  visit: Visit,
  passing: Passing<Passage>,
): Promise<void> {
  let release: () => void = () => undefined
  let failure: Failure | undefined
  try {
    const admission = await admit(options, request, visit, false)
    release = admission.release
    if (passing.closed && admission.info.long) throw shuttingDown()
    const passage = new Passage(request, response, admission, options.now)
    const passed = passing.add(passage)
    try {
      await passage.over
    } finally {
      passed()
    }
  } catch (error) {
    failure = toFailure(error)
    refuse(response, failure, visit.requestId)
    if (failure.code === Code.INTERNAL) {
      options.log.error({ requestId: visit.requestId, err: failure.cause ?? failure }, 'passing on failed')
    }
  } finally {
    release()
    record(options, visit, response.headersSent ? response.statusCode : 0, failure)
  }
}
