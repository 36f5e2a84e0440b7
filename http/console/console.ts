import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Hono } from 'hono'
import type { AccessLocks } from '../../ports/access-locks.js'
import type { Log } from '../../ports/log.js'
import type { Audit } from '../audit/audit.js'
import type { Authenticator } from '../identity/authenticate.js'
import type { EndedTokens } from '../identity/ended-tokens.js'
import type { IssuerConfiguration } from '../identity/oidc/configuration-schema.js'
import type { RestEnv } from '../rest/env.js'
import type { StoredLocks } from '../rpc/access-lock/access-locks.js'
import type { Assets } from './assets.js'
import { type BrowserSignIn, IssuerLogins } from './issuer-logins.js'
import { addIssuerSignIn } from './issuer-routes.js'
import type { Later } from './later.js'
import { addPage } from './page-routes.js'
import { PageSockets, SOCKET_PATH } from './page-sockets.js'
import { addSessions, addSignedIn } from './session-routes.js'
import { Sessions } from './sessions.js'
import { SignInCodes } from './sign-in-codes.js'
import { SignedOutSessions } from './signed-out-sessions.js'

/** Dependencies of the console's server side. */
export interface ConsoleOptions {
  readonly assets: Assets
  readonly authenticator: Authenticator
  /** Records tokens that are no longer valid. */
  readonly endedTokens: EndedTokens
  /** The access locks of this replica's watch; and those of the host, for writes. */
  readonly locks: AccessLocks
  readonly storedLocks: Pick<StoredLocks, 'create' | 'delete'>
  readonly audit: Audit
  /** The key that encrypts sessions, 32 bytes. */
  readonly sessionKey: Uint8Array
  /** A monotonic clock, milliseconds. */
  readonly now: () => number
  readonly later: Later
  /** The clock by which sessions end, milliseconds since 1970; `Date.now` when absent. */
  readonly wallClock?: () => number
  readonly log: Log
  /** The sign-in at an issuer; absent where there is none. */
  readonly signIn?: BrowserSignIn | undefined
  /** The currently configured issuers. */
  readonly issuers: () => readonly IssuerConfiguration[]
  /** The `https://host:port` at which browsers reach this server. */
  readonly baseUrl: () => string
}

/**
 * The console's part of the server: its page, the sessions of browsers, and the sockets of pages. The page reads all data from the management API as
 * its caller; nothing here reads an instance.
 */
export class Console {
  readonly #sessions: Sessions
  readonly #codes: SignInCodes
  readonly #logins: IssuerLogins | undefined
  readonly #signedOut: SignedOutSessions
  readonly #stopFollowing: () => void
  readonly #sockets: PageSockets
  #app: Hono<RestEnv> | undefined

  constructor(readonly options: ConsoleOptions) {
    this.#sessions = new Sessions(options.sessionKey)
    this.#codes = new SignInCodes(options.now)
    const { signIn, issuers, baseUrl, sessionKey, locks, storedLocks: stored, log } = options
    const { authenticator, later, wallClock = Date.now } = options
    this.#sockets = new PageSockets({
      ...{ sessions: this.#sessions, authenticator, later, wallClock },
      fetch: (request, env) => this.#routes.fetch(request, env),
    })
    this.#signedOut = new SignedOutSessions({ locks, stored, log, wallClock })
    this.#stopFollowing = this.#signedOut.follow(this.#sessions.uses)
    this.#logins = signIn && new IssuerLogins(signIn, issuers, baseUrl, sessionKey)
  }

  /**
   * Makes the session of a request, if it has one, count as its credential, then calls `callback`; at once where there is none.
   * @param answer is cut off when the session is signed out of
   */
  withSession(request: IncomingMessage, answer: ServerResponse | Duplex, callback: () => void): void {
    if (!this.#sessions.mayHave(request)) {
      callback()
      return
    }
    void this.#sessions.authorize(request).then(() => {
      this.#cutOffOnSignOut(request, answer)
      callback()
    })
  }

  /** Adds the routes that need no credentials. */
  anonymous(app: Hono<RestEnv>): void {
    this.#app = app
    const { wallClock = Date.now } = this.options
    const routes = { ...this.options, ...this.#signInParts, signedOut: this.#signedOut, wallClock }
    // Sessions and codes are one user's, and change at each request: no cache may keep them.
    app.use('/console/*', async (c, next) => {
      await next()
      c.header('cache-control', 'no-store')
    })
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
    addSignedIn(app, this.#signInParts)
  }

  /** Handles an upgrade request of the console. @returns false where it is for another path */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    return this.#sockets.upgrade(request, socket, head)
  }

  /** Closes all sockets with a code that tells pages to reconnect. */
  close(): void {
    this.#stopFollowing()
    this.#sockets.close()
  }

  /** Cuts off a read when somebody signs out. Writes run on. The socket of a page closes by itself, with a reason. */
  #cutOffOnSignOut(request: IncomingMessage, answer: ServerResponse | Duplex): void {
    const session = this.#sessions.credentialOf(request)
    if (!session || request.method !== 'GET' || request.url === SOCKET_PATH) return
    this.#sessions.uses.cutOff(session.id, answer)
  }

  get #routes(): Hono<RestEnv> {
    if (!this.#app) throw new Error('the console has no routes yet')
    return this.#app
  }

  get #signInParts() {
    return { sessions: this.#sessions, codes: this.#codes, logins: this.#logins }
  }
}
