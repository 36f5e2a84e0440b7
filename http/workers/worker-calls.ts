import type { KubeApi, Upstream } from '../../ports/kube-api.js'
import { Code } from '../../transcoding/code.js'
import { type Failure, unavailable } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import { callerKey } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import type { RequestHead } from '../listener/request-head.js'
import { admit } from '../proxy/admission.js'
import { shuttingDown } from '../proxy/exchange/exchange.js'
import { ProxyCall } from '../proxy/proxy-call.js'
import type { ProxyOptions } from '../proxy/proxy-options.js'
import { indexOf } from '../proxy/proxy-request.js'
import { record, recordStarted } from '../proxy/record.js'
import { type ProxyPath, parseProxyPath } from '../proxy/route/path.js'
import { readRequestOf } from '../proxy/route/read-request.js'
import { requestInfo } from '../proxy/route/request-info.js'
import type { Route } from '../proxy/route/route.js'
import { firstRoute } from '../proxy/sources.js'
import { type Target, targetOf } from '../proxy/target.js'
import { headOf } from './asked-request.js'
import { endpointKubeconfig } from './endpoint-kubeconfig.js'
import { failureMessage, failureOf } from './failure-message.js'
import type { ToParent, ToWorker } from './messages.js'

/** So many callers are named by numbers at once, which a worker keeps. */
const MOST_CALLERS = 4_096

/** An endpoint that a worker knows, with the token that it has. */
interface SentEndpoint {
  readonly endpoint: number
  token: string
  /** Listens no longer for its end. */
  readonly forget: () => void
}

/** A call that a worker passes on: what it holds here until it is over. */
interface Passed {
  readonly call: ProxyCall
  readonly release: () => void
}

type Message<Is extends ToParent['is']> = Extract<ToParent, { readonly is: Is }>

/**
 * The parent's side of the calls of one worker. Everything that is decided about a call, and everything that is counted and kept of it, is here, as for
 * the parent's own calls: the worker passes bytes on.
 */
export class WorkerCalls {
  readonly #passed = new Map<number, Passed>()
  readonly #callers = new Map<string, number>()
  #callersSent = 0
  readonly #endpoints = new Map<Upstream, SentEndpoint>()
  #endpointsSent = 0
  readonly #gone = new AbortController()

  constructor(
    private readonly options: ProxyOptions,
    private readonly send: (message: ToWorker) => void,
  ) {}

  /** Decides about a request. @param connection where it came in; a certificate may be noted of it */
  ask({ call: id, request: asked }: Message<'ask'>, connection: RequestHead['socket']): void {
    const request = headOf(asked, connection)
    const proxy = parseProxyPath(asked.url)
    // What has no place here, the parent's own proxy refuses.
    if (!proxy || 'problem' in proxy || this.#routeOf(request, proxy).byIndex)
      this.send({ is: 'relay', call: id })
    else void this.#decide(id, new ProxyCall(request, proxy, this.options.now()), proxy)
  }

  begun({ call: id, status }: Message<'begun'>): void {
    const passed = this.#passed.get(id)
    if (passed) recordStarted(this.options, passed.call, status)
  }

  over({ call: id, status, failure }: Message<'over'>): void {
    const passed = this.#passed.get(id)
    if (passed) this.#end(id, passed, status, passed.call.ended ?? (failure && failureOf(failure)))
  }

  /** The endpoint refused the token of its account (401), or forbade a request (403). */
  notAllowed({ is, endpoint }: Message<'refused' | 'forbade'>): void {
    for (const [{ account }, sent] of this.#endpoints)
      if (sent.endpoint === endpoint) {
        if (is === 'refused') account?.tokens.refused()
        else account?.tokens.forbade?.()
      }
  }

  /** The worker is gone, with all that it did. */
  lost(): void {
    this.#gone.abort()
    for (const { forget } of this.#endpoints.values()) forget()
    const failure = unavailable('the worker that passed the request on has ended')
    for (const [id, passed] of this.#passed) this.#end(id, passed, 0, failure)
  }

  #routeOf(request: RequestHead, { instance, path }: ProxyPath): ReturnType<typeof firstRoute> {
    const info = requestInfo('GET', path)
    return firstRoute(indexOf(this.options, instance), {
      info,
      read: readRequestOf('GET', info, request.headers),
    })
  }

  /** It never rejects. */
  async #decide(id: number, call: ProxyCall, proxy: ProxyPath): Promise<void> {
    let release: () => void = () => undefined
    try {
      const admitted = await admit(this.options, call)
      const target = await targetOf(this.options, call, admitted, false)
      release = target.release
      const { first, byIndex } = this.#routeOf(call.request, proxy)
      const endpoint = byIndex ? undefined : await this.#endpointOf(proxy.instance, target)
      if (this.#gone.signal.aborted) throw shuttingDown()
      if (endpoint === undefined) {
        call.leave()
        release()
        this.send({ is: 'relay', call: id })
        return
      }
      call.endedBy(failure => this.send({ is: 'cut', call: id, failure: failureMessage(failure) }))
      this.#pass(id, { call, release }, { target, first, endpoint })
    } catch (error) {
      this.#refuse(id, { call, release }, toFailure(error))
    }
  }

  #pass(
    id: number,
    passed: Passed,
    {
      target,
      first,
      endpoint,
    }: { readonly target: Target; readonly first: Route; readonly endpoint: number },
  ): void {
    const { call } = passed
    const answered = { source: 'karmada', reason: first.reason } as const
    call.answered = answered
    this.options.activity.count(call.instance ?? '', answered, false)
    this.#passed.set(id, passed)
    const { requestId } = call
    this.send({
      is: 'pass',
      call: id,
      caller: this.#callerOf(target.caller),
      endpoint,
      route: first,
      requestId,
    })
  }

  #refuse(id: number, passed: Passed, failure: Failure): void {
    const { requestId } = passed.call
    if (failure.code === Code.INTERNAL)
      this.options.log.error({ requestId, err: failure.cause ?? failure }, 'passing on failed')
    passed.call.ended ??= failure
    this.#passed.set(id, passed)
    if (this.#gone.signal.aborted) this.#end(id, passed, 0, failure)
    else this.send({ is: 'refuse', call: id, failure: failureMessage(failure), requestId })
  }

  #end(id: number, { call, release }: Passed, status: number, failure: Failure | undefined): void {
    this.#passed.delete(id)
    call.leave()
    release()
    record(this.options, call, status, failure)
  }

  #callerOf(caller: Caller): number {
    const key = callerKey(caller)
    const known = this.#callers.get(key)
    if (known !== undefined) return known
    if (this.#callers.size >= MOST_CALLERS) {
      this.#callers.clear()
      this.send({ is: 'forget callers' })
    }
    this.#callersSent += 1
    this.#callers.set(key, this.#callersSent)
    // By what it was proved is no part of who it is.
    const { credential: _, ...who } = caller
    this.send({ is: 'caller', caller: this.#callersSent, who })
    return this.#callersSent
  }

  /**
   * The endpoint of an instance, as the worker knows it, under the token of now. Undefined where a worker cannot send there: Kairship's own
   * credential stands in, no token can be had, or the connection was replaced while the target was found.
   */
  async #endpointOf(instance: string, { karmada }: Target): Promise<number | undefined> {
    const api = this.options.fleet.connection(instance)
    const upstream = api?.upstream
    const account = upstream?.account
    if (!api || !upstream || !account || this.options.circuits.guard(instance, upstream) !== karmada)
      return undefined
    let token: string
    try {
      token = await account.tokens.token()
    } catch {
      // The parent sends the request, and says why there is none.
      return undefined
    }
    return account.closed.aborted || this.#gone.signal.aborted
      ? undefined
      : this.#sentEndpoint({ instance, api, upstream, closed: account.closed, token })
  }

  #sentEndpoint(of: {
    readonly instance: string
    readonly api: KubeApi
    readonly upstream: Upstream
    readonly closed: AbortSignal
    readonly token: string
  }): number {
    const { instance, api, upstream, closed, token } = of
    const sent = this.#endpoints.get(upstream)
    if (sent) {
      const { endpoint } = sent
      if (sent.token !== token) this.send({ is: 'token', endpoint, token })
      sent.token = token
      return endpoint
    }
    this.#endpointsSent += 1
    const endpoint = this.#endpointsSent
    const ended = () => {
      this.#endpoints.delete(upstream)
      this.send({ is: 'closed', endpoint })
    }
    closed.addEventListener('abort', ended, { once: true })
    const forget = () => closed.removeEventListener('abort', ended)
    this.#endpoints.set(upstream, { endpoint, token, forget })
    const { server } = api
    this.send({ is: 'endpoint', endpoint, instance, server, kubeconfig: endpointKubeconfig(api), token })
    return endpoint
  }
}
