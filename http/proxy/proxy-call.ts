import type { IncomingMessage } from 'node:http'
import { requestIdOf } from '../call/request-id.js'
import type { Action } from '../identity/authorize.js'
import type { Caller } from '../identity/caller.js'
import type { Answered } from './proxy-request.js'
import type { BadPath, ProxyPath } from './route/path.js'

/** A request that came to the proxy, and what is found out about it: the audit record holds what there is. */
export class ProxyCall {
  declare caller?: Caller
  /** What was authorized last on the host. */
  declare action?: Action
  /** The authorizer has decided about the action. */
  isDecided = false
  declare answered?: Answered
  /** Read at once: when the request is over, its socket may be gone. */
  readonly remote: string | undefined
  #requestId: string | undefined

  constructor(
    readonly request: IncomingMessage,
    readonly proxy: ProxyPath | BadPath,
    readonly started: number,
  ) {
    this.remote = request.socket.remoteAddress
  }

  /** Made when it is first read: most requests leave no record. */
  get requestId(): string {
    this.#requestId ??= requestIdOf(this.request.headers['x-request-id'])
    return this.#requestId
  }
}
