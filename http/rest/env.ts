import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Delivery } from '../dispatch/delivery.js'
import type { Caller } from '../identity/caller.js'

/** What the steps of the chain add to a REST request. */
export interface RestEnv {
  Variables: {
    requestId: string
    remote: string | undefined
    /** Set by the authenticate step, for the routes after it. */
    caller: Caller
    /** The connection shows a client certificate, which a browser would add by itself. */
    byCertificate: boolean
    /** A browser's session stands for the credential; absent where the console is left out. */
    bySession?: boolean
  }
  /**
   * Node's own objects; absent where a test calls the app without a socket. `delivery` stands for `outgoing` where a connection carries several answers.
   */
  Bindings: Partial<{ incoming: IncomingMessage; outgoing: ServerResponse; delivery: Delivery }>
}
