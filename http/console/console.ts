import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Hono } from 'hono'
import type { WebSocket } from 'ws'
import type { AccessLocks } from '../../ports/access-locks.js'
import type { Log } from '../../ports/log.js'
import type { Audit } from '../audit/audit.js'
import type { Delivery } from '../dispatch/delivery.js'
import { type Failure, httpStatusOf } from '../errors/failure.js'
import { toFailure } from '../errors/to-failure.js'
import type { Authenticator } from '../identity/authenticate.js'
import { credentialsOf } from '../identity/credentials.js'
import type { EndedTokens } from '../identity/ended-tokens.js'
import type { IssuerConfiguration } from '../identity/oidc/configuration-schema.js'
import { ConcurrencyLimit } from '../limits/concurrency-limit.js'
import { refuseUpgrade, upgradeResponse } from '../listener/upgrade-response.js'
import type { RestEnv } from '../rest/env.js'
import type { StoredLocks } from '../rpc/access-lock/access-locks.js'
import type { Assets } from './assets.js'
import { type BrowserSignIn, IssuerLogins } from './issuer-logins.js'
import { addIssuerSignIn } from './issuer-routes.js'
import { ofAnotherPage } from './of-another-page.js'
import { addPage } from './page-routes.js'
import { addSessions, addSignedIn } from './session-routes.js'
import { isOfOwnPage, Sessions } from './sessions.js'
import { type Later, type PageSocket, pageSockets, shareSocket } from './shared-socket.js'
import { SignInCodes } from './sign-in-codes.js'
import { SignedOutSessions } from './signed-out-sessions.js'
import { UntakenBytes } from './untaken-bytes.js'

/** What the console's server side depends on. */
export interface ConsoleOptions {
  readonly assets: Assets
  readonly authenticator: Authenticator
  /** Where tokens are noted that count no longer. */
  readonly endedTokens: EndedTokens
  /** The locks that this replica's watch has, and the host's. */
  readonly locks: AccessLocks
  readonly storedLocks: Pick<StoredLocks, 'create' | 'delete'>
  readonly audit: Audit
  /** 32 bytes: encrypts sessions. */
  readonly sessionKey: Uint8Array
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number
  readonly later: Later
  /** Milliseconds since 1970, by which sessions end; `Date.now` when absent. */
  readonly wallClock?: () => number
  readonly log: Log
  /** How people sign in at an issuer; they cannot when absent. */
  readonly signIn?: BrowserSignIn | undefined
  /** The issuers as they are configured now. */
  readonly issuers: () => readonly IssuerConfiguration[]
  /** `https://host:port` by which browsers reach this server. */
  readonly baseUrl: () => string
}

/** Pages of one caller that are open at once. */
const MOST_SOCKETS = 32
/** The path of the socket that a page's streams share. */
const SOCKET_PATH = '/console/socket'
/** The close code of RFC 6455 for a policy that the other side no longer meets. */
const SESSION_OVER = 1008
/** Streams end within a second of their token's end, and say so first; milliseconds. */
const LAST_WORDS_MS = 2_000

/**
 * The console's part of the server: its page, the sessions of browsers, and the socket that a page's streams share. What the page shows it
 * asks the management API for, as its caller: nothing here reads an instance.
 */
export class Console {
  readonly #sessions: Sessions
  readonly #codes: SignInCodes
  readonly #logins: IssuerLogins | undefined
  readonly #signedOut: SignedOutSessions
  readonly #stopFollowing: () => void
  readonly #sockets = pageSockets()
  readonly #held = new ConcurrencyLimit('pages of the console open', MOST_SOCKETS)
  readonly #untaken = new UntakenBytes()
  #app: Hono<RestEnv> | undefined

  constructor(readonly options: ConsoleOptions) {
    this.#sessions = new Sessions(options.sessionKey)
    this.#codes = new SignInCodes(options.now)
    const { signIn, issuers, baseUrl, sessionKey, locks, storedLocks: stored, log } = options
    const { wallClock = Date.now } = options
    this.#signedOut = new SignedOutSessions({ locks, stored, log, wallClock })
    this.#stopFollowing = this.#signedOut.follow(this.#sessions.uses)
    this.#logins = signIn && new IssuerLogins(signIn, issuers, baseUrl, sessionKey)
  }

  /**
   * Calls `then` once the session of a request, if it has one, counts as its credential: at once where there is none.
   * @param answer what is cut off when the session is signed out of meanwhile
   */
  withSession(request: IncomingMessage, answer: ServerResponse | Duplex, then: () => void): void {
    if (!this.#sessions.mayHave(request)) {
      then()
      return
    }
    void this.#sessions.authorize(request).then(() => {
      this.#untilSignedOut(request, answer)
      then()
    })
  }

  /** Adds the routes that need no credentials. */
  anonymous(app: Hono<RestEnv>): void {
    this.#app = app
    const { wallClock = Date.now } = this.options
    const routes = { ...this.options, ...this.#ways, signedOut: this.#signedOut, wallClock }
    addSessions(app, routes)
    addIssuerSignIn(app, routes)
    addPage(app, this.options.assets)
  }

  /** Adds the routes of authenticated callers. */
  authenticated(app: Hono<RestEnv>): void {
    app.use((c, next) => {
      const { incoming } = c.env
      c.set('bySession', incoming !== undefined && this.#sessions.credentialOf(incoming) !== undefined)
      return next()
    })
    addSignedIn(app, this.#ways)
  }

  /** Takes an upgrade request that is for the console. @returns false where it is not */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (request.url !== SOCKET_PATH) return false
    // Node hands over a socket without a listener for errors, and an unheard error would end the process.
    socket.on('error', () => socket.destroy())
    void this.#open(request, socket, head)
    return true
  }

  /** Closes all sockets, saying that they may come back. */
  close(): void {
    this.#stopFollowing()
    for (const socket of this.#sockets.clients) socket.close(1001, 'the server is shutting down')
    this.#sockets.close()
  }

  /** Reads alone: a write that is under way stays one, and ends by itself. The page's own socket says why it closes. */
  #untilSignedOut(request: IncomingMessage, answer: ServerResponse | Duplex): void {
    const session = this.#sessions.credentialOf(request)
    if (!session || request.method !== 'GET' || request.url === SOCKET_PATH) return
    this.#sessions.uses.cutOff(session.id, answer)
  }

  get #ways() {
    return { sessions: this.#sessions, codes: this.#codes, logins: this.#logins }
  }

  /** It never rejects. */
  async #open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      if (!isOfOwnPage(request)) throw ofAnotherPage()
      const { user } = await this.options.authenticator.authenticate(credentialsOf(request))
      socket.once('close', this.#held.take(user))
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

  /** What a session has open ends with it: at its token's end, of which each stream has said so, and when somebody signs out of it. */
  #endWithSession(request: IncomingMessage, opened: WebSocket, shared: PageSocket): void {
    const session = this.#sessions.credentialOf(request)
    if (!session) return
    const { later, wallClock = Date.now } = this.options
    const isOver = () => shared.close(SESSION_OVER, 'the session is over: sign in')
    const stops = [
      this.#sessions.uses.add(session.id, isOver),
      later(isOver, session.until - wallClock() + LAST_WORDS_MS),
    ]
    opened.once('close', () => {
      for (const stop of stops) stop()
    })
    // Somebody may have signed out while the socket was let in.
    if (this.#sessions.uses.isEnded(session.id)) isOver()
  }

  /** A GET of the socket's caller, which passes every step of the API: its credential is checked anew. */
  async #get(
    incoming: IncomingMessage,
    path: string,
    init: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
    delivery: Delivery,
  ): Promise<Response> {
    if (!this.#app) throw new Error('the console has no routes yet')
    return this.#app.fetch(new Request(new URL(path, 'https://console.invalid'), init), {
      incoming,
      delivery,
    })
  }
}

/** Answers an upgrade request with a Failure's message. */
function refuse(request: IncomingMessage, socket: Duplex, failure: Failure): void {
  const response = upgradeResponse(request, socket)
  const status = httpStatusOf(failure)
  refuseUpgrade(socket, () =>
    response
      .writeHead(status, STATUS_CODES[status], { 'Content-Type': 'text/plain; charset=utf-8' })
      .end(`${failure.message}\n`),
  )
}
