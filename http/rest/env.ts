import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../identity/caller.js'

/** What travels along with a REST request through the chain. */
export interface RestEnv {
  Variables: {
    requestId: string
    remote: string | undefined
    /** Set by the authenticate step; the routes behind it may rely on it. */
    caller: Caller
  }
  /** Node's own objects; absent where a test calls the app without a socket. */
  Bindings: Partial<{ incoming: IncomingMessage; outgoing: ServerResponse }>
}
