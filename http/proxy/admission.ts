import type { IncomingMessage } from 'node:http'
import { whenKnown } from '../../ports/when-known.js'
import { invalidArgument } from '../errors/failure.js'
import { denied } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import { credentialsOf } from '../identity/credentials.js'
import { MOST_HEADERS } from '../listener/listener.js'
import type { ProxyCall } from './proxy-call.js'
import type { ProxyOptions } from './proxy-options.js'
import type { ProxyPath } from './route/path.js'
import { WRITE_VERBS } from './route/request-info.js'
import { upgradeProtocol } from './upgrade/upgrade-request.js'

/** Reviews by which callers ask who they are and what they may do: posted, and nothing is stored. */
const ASKS_OF_ITSELF =
  /^\/apis\/auth(entication|orization)\.k8s\.io\/v1\/selfsubject(|access|rules)reviews(\?|$)/

/** The verb on `instances/proxy` that each method needs. */
const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  OPTIONS: 'get',
  ...WRITE_VERBS,
}

/** A caller that may send its request to an instance. */
export interface Admitted {
  readonly caller: Caller
  readonly proxy: ProxyPath
}

/** A caller that may also upgrade its connection. */
export interface AdmittedUpgrade extends Admitted {
  /** The only protocol that the instance may switch to. */
  readonly protocol: string
}

/**
 * Who may: authenticates the caller of an ordinary request and authorizes its method's verb. At once where the answers are known.
 * @throws Failure that says what is missing
 */
export function admit(options: ProxyOptions, call: ProxyCall): Admitted | Promise<Admitted> {
  const { method = '' } = call.request
  return whenKnown(authenticated(options, call), admitted =>
    whenKnown(authorize(options, call, admitted.caller, verbOf(method, admitted.proxy)), () => admitted),
  )
}

/**
 * The same for an upgrade. It runs commands and moves data both ways, although a browser asks for it with GET: so it needs
 * `create` beside its method's verb.
 * @throws Failure that says what is missing, or why the request cannot be upgraded
 */
export async function admitUpgrade(
  options: ProxyOptions,
  call: ProxyCall<IncomingMessage>,
): Promise<AdmittedUpgrade> {
  const { request } = call
  const { caller, proxy } = await authenticated(options, call)
  const protocol = upgradeProtocol(request, proxy.path)
  for (const verb of new Set([verbOf(request.method ?? '', proxy), 'create']))
    await authorize(options, call, caller, verb)
  return { caller, proxy, protocol }
}

function authenticated(
  { authenticator, locked, live }: ProxyOptions,
  call: ProxyCall,
): Admitted | Promise<Admitted> {
  const { proxy, request } = call
  if (request.rawHeaders.length >= 2 * MOST_HEADERS)
    throw invalidArgument(`a request may have fewer than ${MOST_HEADERS} headers`)
  return whenKnown(authenticator.authenticate(credentialsOf(request)), caller => {
    call.caller = caller
    const refused = locked.refusal(caller, call.instance)
    if (refused) throw refused
    call.live = live.add(call)
    if ('problem' in proxy) throw invalidArgument(proxy.problem)
    return { caller, proxy }
  })
}

function verbOf(method: string, { path }: ProxyPath): string {
  const verb = method === 'POST' && ASKS_OF_ITSELF.test(path) ? 'get' : VERBS[method]
  if (!verb) throw invalidArgument(`${method} requests are not passed on`)
  return verb
}

function authorize(
  { authorizer }: ProxyOptions,
  call: ProxyCall,
  caller: Caller,
  verb: string,
): void | Promise<void> {
  const { instance } = call
  const resource = 'instances/proxy'
  const action = instance === undefined ? { verb, resource } : { verb, resource, name: instance }
  call.action = action
  call.actions.push(action)
  return whenKnown(authorizer.decide(caller, action), verdict => {
    call.isDecided = true
    if (!verdict.allowed) throw denied(caller, action, verdict)
  })
}
