import type { InstanceView } from '../../ports/fleet.js'
import type { Sender, Upstream } from '../../ports/kube-api.js'
import { whenKnown } from '../../ports/when-known.js'
import { notFound, unavailable } from '../errors/failure.js'
import { accountNamespace } from '../identity/account-namespace.js'
import { actingAs } from '../identity/acting-as.js'
import type { Caller } from '../identity/caller.js'
import { mayActAs } from './acting.js'
import type { Admitted } from './admission.js'
import { callerAt } from './at-member.js'
import type { ProxyCall } from './proxy-call.js'
import type { ProxyOptions } from './proxy-options.js'
import { apiOf, type ProxyRequest } from './proxy-request.js'
import type { RequestParts } from './request-parts.js'
import { readRequestOf } from './route/read-request.js'
import { type RequestInfo, requestInfo } from './route/request-info.js'
import { sourceOf } from './sources.js'

/** Where an admitted request goes, and what it holds until it is over. */
export interface Target {
  /** Inside the instance, encoded, with its query. */
  readonly path: string
  readonly info: RequestInfo
  /** Who does it there: the caller, or who it acts as. */
  readonly caller: Caller
  /** Names the request in audit logs. */
  readonly auditId?: string
  /** Where a request is sent: the instance, or its index where that answers as well. */
  readonly upstream: Sender
  /** The instance's own control plane, for upgrades. */
  readonly karmada: Upstream
  /** Gives back what the request took of the limits. */
  readonly release: () => void
}

/** What the exchange of an ordinary request needs of it. */
export type ExchangeTarget = Pick<Target, 'path' | 'info' | 'caller' | 'auditId' | 'upstream'>

/**
 * Where to: finds the instance of a request whose caller may send it, and takes its slots within the limits. At once where that needs no
 * waiting.
 * @param upgrade counts it as a stream
 * @throws Failure where there is no such instance, or it cannot be reached, or the limits are reached
 */
export function targetOf(
  options: ProxyOptions,
  call: ProxyCall,
  admitted: Admitted,
  upgrade: boolean,
): Target | Promise<Target> {
  const { caller, proxy } = admitted
  const written = options.instances.sameAsWritten(proxy.instance, { caller })
  const then = () => targetThere(options, call, admitted, upgrade)
  return written ? written.then(then) : then()
}

function targetThere(
  options: ProxyOptions,
  call: ProxyCall,
  { caller: original, proxy }: Admitted,
  upgrade: boolean,
): Target | Promise<Target> {
  const { method = '', headers } = call.request
  const { instance, path } = proxy
  const known = instanceOf(options, instance)
  const info = requestInfo(method, path)
  call.isLong = info.long || upgrade
  // Whoever it acts as: its requests are the caller's own, and so are the reviews before them.
  const release = hold(options, instance, original, call.isLong)
  const refused = (error: unknown): never => {
    release()
    throw error
  }
  const toInstance = (caller: Caller): Target => {
    const { uid, karmada } = known
    const read = readRequestOf(method, info, headers)
    const upstream = sourceOf(options, { instance, uid, caller, info, read, karmada }, answered => {
      call.answered = answered
    })
    return { path, info, caller, auditId: call.requestId, upstream, karmada: karmada.upstream, release }
  }
  const from = (caller: Caller) =>
    whenKnown(callerAt(options.fleet, instance, { info, target: path, caller }), toInstance)
  try {
    const other = actingAs(call.request.rawHeaders, original)
    if (other) call.actsAs = other.caller
    const found = other
      ? mayActAs(apiOf(known), original, other).then(() => from(other.caller))
      : from(original)
    return found instanceof Promise ? found.catch(refused) : found
  } catch (error) {
    return refused(error)
  }
}

/**
 * Only a registered instance is reachable, over the connection its actor holds: no address of a request is dialled.
 * @throws Failure NOT_FOUND; UNAVAILABLE where there is no connection now
 */
export function instanceOf(
  { fleet, circuits }: Pick<RequestParts, 'fleet' | 'circuits'>,
  instance: string,
): Pick<ProxyRequest, 'uid' | 'karmada'> {
  if (!fleet.synced)
    throw unavailable('the instances have not been read from the host yet', { retryAfterSeconds: 1 })
  const view = fleet.get(instance)
  if (!view)
    throw notFound(`there is no instance called ${JSON.stringify(instance)}`, { reason: 'InstanceNotFound' })
  const api = fleet.connection(instance)
  const uid = uidOf(view)
  if (api?.upstream) return { uid, karmada: { api, upstream: circuits.guard(instance, api.upstream) } }
  throw unavailable(`instance ${instance} is ${view.state} and cannot be reached now: see its conditions`, {
    reason: 'InstanceUnreachable',
    retryAfterSeconds: 5,
  })
}

/** Identifies an instance among all that had its name. */
export const uidOf = ({ name, instance }: InstanceView): string => instance.metadata.uid ?? name

/**
 * Takes a request's slot within each limit, and returns what gives them back.
 * @throws Failure RESOURCE_EXHAUSTED at the first that is reached; then none is taken
 */
export function hold(options: RequestParts, instance: string, { user }: Caller, long: boolean): () => void {
  const { perCaller, perAccountNamespace, perInstance } = options
  const { longPerCaller, longPerAccountNamespace, longPerInstance } = options
  const taken: (() => void)[] = []
  const giveBack = () => {
    for (const one of taken) one()
  }
  try {
    taken.push(long ? longPerCaller.take(user) : perCaller.take(`${instance}/${user}`, user))
    const namespace = accountNamespace(user)
    if (namespace !== undefined) {
      const ofNamespace = long ? longPerAccountNamespace : perAccountNamespace
      taken.push(
        ofNamespace.take(`${instance}/${namespace}`, `namespace ${namespace} (all its service accounts)`),
      )
    }
    taken.push((long ? longPerInstance : perInstance).take(instance))
    return giveBack
  } catch (error) {
    giveBack()
    throw error
  }
}
