import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Delivery } from '../dispatch/delivery.js'
import { type Failure, httpStatusOf } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import type { Authenticator } from '../identity/authenticate.js'
import { credentialsOf } from '../identity/credentials.js'
import { ConcurrencyLimit } from '../limits/concurrency-limit.js'
import { refuseUpgrade, upgradeResponse } from '../listener/upgrade-response.js'
import type { RestEnv } from '../rest/env.js'
import type { Later } from './later.js'
import { notOwnPage } from './not-own-page.js'
import { isOfOwnPage, type Sessions } from './sessions.js'
import { acceptSockets, type PageSocket, shareSocket } from './shared-socket.js'
import { UntakenBytes } from './untaken-bytes.js'

/** The most open pages of one caller. */
const MOST_SOCKETS = 32
/** The path of the socket that a page's streams share. */
export const SOCKET_PATH = '/console/socket'
/** The close code of RFC 6455 for a policy that the other side no longer meets. */
const SESSION_OVER = 1008
/** The time between a token's end and the end of its socket, milliseconds: streams end within a second of their token and send the reason first. */
const LAST_WORDS_MS = 2_000

/** What the sockets of pages depend on. */
interface PageSocketsOptions {
  readonly sessions: Sessions
  readonly authenticator: Authenticator
  readonly later: Later
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  /** Answers a request by the routes of REST. */
  readonly fetch: (request: Request, env: RestEnv['Bindings']) => Response | Promise<Response>
}

/** The WebSockets of open pages, which carry their streams. A socket ends with the session of its page. */
export class PageSockets {
  readonly #sockets = acceptSockets()
  readonly #limit = new ConcurrencyLimit('pages of the console open', MOST_SOCKETS)
  readonly #untaken = new UntakenBytes()

  constructor(private readonly options: PageSocketsOptions) {}

  /** Handles an upgrade request of a page. @returns false where the request is for another path */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (request.url !== SOCKET_PATH) return false
    // Node hands over a socket without a listener for errors, and an unhandled error would end the process.
    socket.on('error', () => socket.destroy())
    void this.#open(request, socket, head)
    return true
  }

  /** Closes all sockets with a code that tells pages to reconnect. */
  close(): void {
    for (const socket of this.#sockets.clients) socket.close(1001, 'the server is shutting down')
    this.#sockets.close()
  }

  /** Never rejects. */
  async #open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      if (!isOfOwnPage(request)) throw notOwnPage()
      const { user } = await this.options.authenticator.authenticate(credentialsOf(request))
      socket.once('close', this.#limit.take(user))
      this.#sockets.handleUpgrade(request, socket, head, opened => {
        const shared = shareSocket(
          opened,
          (path, headers, signal, delivery) => this.#get(request, path, { headers, signal }, delivery),
          this.options.later,
          (bytes, signal) => this.#untaken.take(user, bytes, signal),
        )
        this.#endWithSession(request, opened, shared)
      })
    } catch (error) {
      refuse(request, socket, toFailure(error))
    }
  }

  /** Closes the socket at the end of its session's token, after each stream has reported that, and when somebody signs out of the session. */
  #endWithSession(request: IncomingMessage, opened: WebSocket, shared: PageSocket): void {
    const { sessions, later, wallClock } = this.options
    const session = sessions.credentialOf(request)
    if (!session) return
    const isOver = () => shared.close(SESSION_OVER, 'the session is over: sign in')
    const stops = [
      sessions.uses.add(session.id, isOver),
      later(isOver, session.until - wallClock() + LAST_WORDS_MS),
    ]
    opened.once('close', () => {
      for (const stop of stops) stop()
    })
    // Somebody may have signed out while the upgrade was authenticated.
    if (sessions.uses.isEnded(session.id)) isOver()
  }

  /** A GET of the socket's caller. It passes every step of the API, so its credential is checked again. */
  async #get(
    incoming: IncomingMessage,
    path: string,
    init: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
    delivery: Delivery,
  ): Promise<Response> {
    return this.options.fetch(new Request(new URL(path, 'https://console.invalid'), init), {
      incoming,
      delivery,
    })
  }
}

/** Answers an upgrade request with a Failure. */
function refuse(request: IncomingMessage, socket: Duplex, failure: Failure): void {
  const response = upgradeResponse(request, socket)
  const status = httpStatusOf(failure)
  refuseUpgrade(socket, () =>
    response
      .writeHead(status, STATUS_CODES[status], { 'Content-Type': 'text/plain; charset=utf-8' })
      .end(`${failure.message}\n`),
  )
}
