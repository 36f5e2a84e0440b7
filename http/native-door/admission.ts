import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Fleet } from '../../ports/fleet.js'
import type { Upstream } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import type { Meter } from '../../ports/meter.js'
import { invalidArgument, notFound, permissionDenied, unavailable } from '../failure.js'
import type { Authenticator } from '../identity/authenticate.js'
import { type Action, type Authorizer, denial } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import { certificateOf } from '../identity/certificate.js'
import type { Held } from '../limits.js'
import { MOST_HEADERS } from '../listener.js'
import type { CatchUp } from '../read-your-writes/catch-up.js'
import type { WriteLedger } from '../read-your-writes/ledger.js'
import type { InstanceReading } from '../rpc/instance-reading.js'
import type { InstanceAccess } from './access.js'
import { askedOf } from './asked.js'
import type { Circuits } from './circuit.js'
import type { Answered, Entrant } from './entrant.js'
import { asksToImpersonate } from './headers.js'
import type { BadPath, DoorPath } from './path.js'
import { type RequestInfo, requestInfo } from './request-info.js'
import { sourceOf } from './sources.js'

/** Reviews by which callers ask who they are and what they may do: posted, and nothing is stored. */
const ASKS_OF_ITSELF =
  /^\/apis\/auth(entication|orization)\.k8s\.io\/v1\/selfsubject(|access|rules)reviews(\?|$)/

/** What the door stands on. */
export interface DoorOptions {
  readonly fleet: Fleet
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** Who has just made an instance, or made it again, is not sent to what bore its name before. */
  readonly instances: Pick<InstanceReading, 'sameAsWritten'>
  readonly log: Log
  readonly meter: Meter
  /** Requests under way for one instance. One that is slow must not take the sockets of the others. */
  readonly perInstance: Held
  /** Watches, followed logs and upgraded connections of one caller. */
  readonly longPerCaller: Held
  /** The same of all callers for one instance. */
  readonly longPerInstance: Held
  /** Whether instances can be reached at all. */
  readonly circuits: Circuits
  /** Milliseconds a caller may leave an answer unread before it is cut off. */
  readonly patienceMs: number
  readonly access: InstanceAccess
  readonly ledger: WriteLedger
  readonly catchUp: CatchUp
  readonly now: () => number
}

/** A request that came to the door, and what is found out about it on the way in. */
export interface Visit {
  readonly requestId: string
  readonly started: number
  readonly remote: string | undefined
  readonly door: DoorPath | BadPath
  /** Set as it becomes known; the audit record has what there is. */
  caller?: Caller
  action?: Action
  answered?: Answered
}

export const visitOf = (request: IncomingMessage, door: DoorPath | BadPath, now: number): Visit =>
  new Coming(request, door, now)

class Coming implements Visit {
  declare caller?: Caller
  declare action?: Action
  declare answered?: Answered
  /** Now: when the request is over, its socket may be nobody's any more. */
  readonly remote: string | undefined
  #requestId: string | undefined

  constructor(
    readonly request: IncomingMessage,
    readonly door: DoorPath | BadPath,
    readonly started: number,
  ) {
    this.remote = request.socket.remoteAddress
  }

  /** As given, where it is fit to be written into a log. Made only for those who ask: most requests leave no record. */
  get requestId(): string {
    const given = this.request.headers['x-request-id']
    const fit = typeof given === 'string' && /^[\w.-]{1,64}$/.test(given)
    this.#requestId ??= fit ? given : randomUUID()
    return this.#requestId
  }
}

/** What a visit that was let in may use, until it gives it back. */
export interface Admission {
  readonly path: string
  readonly info: RequestInfo
  readonly caller: Caller
  readonly upstream: Upstream
  readonly release: () => void
}

/** Kubernetes' verbs for a proxied request, by its method. */
const verbs: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  OPTIONS: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/**
 * path → authenticate → authorize → instance → limits, in this order: nobody learns what exists before it is known who
 * asks and that they may.
 * @throws Failure that says which of these it was
 */
export async function admit(
  options: DoorOptions,
  request: IncomingMessage,
  visit: Visit,
  upgrade: boolean,
): Promise<Admission> {
  const { door } = visit
  const { authenticator, authorizer } = options
  const { headers, rawHeaders, method = '', socket } = request
  if (rawHeaders.length >= 2 * MOST_HEADERS)
    throw invalidArgument(`a request may have fewer than ${MOST_HEADERS} headers`)
  const credentials = { authorization: headers.authorization, certificate: certificateOf(socket) }
  // What is known is not waited for: each turn of that would be a cost of every request.
  const found = authenticator.authenticate(credentials)
  const caller = found instanceof Promise ? await found : found
  visit.caller = caller
  if ('problem' in door) throw invalidArgument(door.problem)
  const verb = method === 'POST' && ASKS_OF_ITSELF.test(door.path) ? 'get' : verbs[method]
  if (!verb) throw invalidArgument(`${method} requests are not passed on`)
  // An upgrade runs commands and moves data both ways, although it is asked for with GET.
  const action = { verb: upgrade ? 'create' : verb, resource: 'instances/proxy', name: door.instance }
  visit.action = action
  const decided = authorizer.decide(caller, action)
  const verdict = decided instanceof Promise ? await decided : decided
  if (!verdict.allowed) throw permissionDenied(denial(caller, action, verdict))
  if (asksToImpersonate(rawHeaders)) {
    throw permissionDenied('impersonation is not passed on: Kairship tells the instance who is asking')
  }
  const written = options.instances.sameAsWritten(door.instance, { caller })
  if (written) await written
  const { uid, karmada } = instanceOf(options, door.instance)
  const info = requestInfo(method, door.path)
  const asked = askedOf(method, info, headers.accept)
  const entrant = { instance: door.instance, uid, caller, info, asked, karmada }
  const upstream = sourceOf(options, entrant, answered => {
    visit.answered = answered
  })
  const release = hold(options, door.instance, caller, info.long || upgrade)
  return { path: door.path, info, caller, upstream, release }
}

/** Only a registered instance is reachable, over the connection its actor holds: no address of a request is dialled. */
function instanceOf({ fleet, circuits }: DoorOptions, instance: string): Pick<Entrant, 'uid' | 'karmada'> {
  if (!fleet.synced)
    throw unavailable('the instances have not been read from the host yet', { retryAfterSeconds: 1 })
  const view = fleet.get(instance)
  if (!view) throw notFound(`there is no instance called ${JSON.stringify(instance)}`)
  const api = fleet.connection(instance)
  const uid = view.instance.metadata.uid ?? instance
  if (api?.upstream) return { uid, karmada: { api, upstream: circuits.guard(instance, api.upstream) } }
  throw unavailable(`instance ${instance} is ${view.state} and cannot be reached now: see its conditions`, {
    retryAfterSeconds: 5,
  })
}

function hold(
  { perInstance, longPerCaller, longPerInstance }: DoorOptions,
  instance: string,
  { user }: Caller,
  long: boolean,
): () => void {
  if (!long) return perInstance.take(instance)
  const ofCaller = longPerCaller.take(user)
  try {
    const ofInstance = longPerInstance.take(instance)
    return () => {
      ofCaller()
      ofInstance()
    }
  } catch (error) {
    ofCaller()
    throw error
  }
}
