import { requestIdOf } from '../call/request-id.js'
import type { Failure } from '../errors/failure.js'
import type { Action } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import type { RequestHead } from '../listener/request-head.js'
import type { Live, LiveCall } from '../live/live-call.js'
import type { Answered } from './proxy-request.js'
import type { BadPath, ProxyPath } from './route/path.js'

/** A request that came to the proxy, and what is found out about it: the audit record holds what there is. */
export class ProxyCall<Request extends RequestHead = RequestHead> implements LiveCall {
  /** Set before the call is live. */
  declare caller: Caller
  /** Who the caller asked to act as, whether it may or not. */
  declare actsAs?: Caller
  /** What was authorized last on the host. */
  declare action?: Action
  /** The authorizer has decided about the action. */
  isDecided = false
  declare answered?: Answered
  /** Read at once: when the request is over, its socket may be gone. */
  readonly remote: string | undefined
  /** All that was authorized on the host. */
  readonly actions: Action[] = []
  /** A watch, a followed log or an upgraded connection. */
  isLong = false
  /** Why it was ended. */
  declare ended?: Failure
  /** How what is under way is ended; absent while nothing is. */
  declare cut?: ((failure: Failure) => void) | undefined
  /** Its place among the calls under way; absent until its caller is known. */
  declare live?: Live
  #requestId: string | undefined

  constructor(
    readonly request: Request,
    readonly proxy: ProxyPath | BadPath,
    readonly started: number,
  ) {
    this.remote = request.socket.remoteAddress
  }

  /** Takes it out of the calls under way. */
  leave(): void {
    this.live?.leave()
  }

  get instance(): string | undefined {
    return 'instance' in this.proxy ? this.proxy.instance : undefined
  }

  end(failure: Failure): void {
    this.ended ??= failure
    this.cut?.(failure)
  }

  /** @throws Failure by which it was ended before something was under way; from now on `cut` ends that */
  endedBy(cut: (failure: Failure) => void): void {
    if (this.ended) throw this.ended
    this.cut = cut
  }

  /** Made when it is first read: most requests leave no record. */
  get requestId(): string {
    this.#requestId ??= requestIdOf(this.request.headers['x-request-id'])
    return this.#requestId
  }
}
