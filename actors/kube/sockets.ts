import { X509Certificate } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext, type SecureContext } from 'node:tls'
import { buildConnector, Client, type Dispatcher, Pool } from 'undici'
import { certificatesOf } from '../../ports/certificates.js'
import { ConnectionClosedError, KubeconfigError } from '../../ports/kube-api.js'
import type { Kubeconfig } from './kubeconfig.js'
import { readPem } from './pem.js'
import type { Proof } from './proof.js'
import { Sessions } from './sessions.js'

/** kube-apiserver closes idle connections after 90 s; being first avoids sending a request into its close. */
const KEEP_ALIVE_MS = 60_000
const CONNECT_TIMEOUT_MS = 10_000
/** The deadline of a request is its own signal's affair, and a watch may be silent for as long as it likes. */
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 } as const

/** How sockets are opened under one client certificate, and what of them is shared. */
interface Footing {
  readonly connect: buildConnector.connector
  /** For sockets that outlive HTTP: one side may end while the other goes on. */
  readonly connectHalfOpen: () => buildConnector.connector
  /** Bounded; opened when the first request needs it, because an empty one already costs 16 KB. */
  requests?: Pool
  /** The bounded pool of what is proxied, apart, so that callers and Kairship's own requests do not wait for each other. */
  proxied?: Pool
  /** Its certificate was replaced: what is opened yet serves those who waited for it, and then closes. */
  retired?: true
  /** Absent without TLS, in whose handshake HTTP/2 is negotiated. */
  readonly sessions?: Sessions
}

/** The footing of one certificate, at once when its files have been read. */
interface Prepared {
  readonly cert: string | undefined
  readonly ready: Promise<Footing>
  known?: Footing
}

/** More than a person's tools open at once; what is beyond waits its turn. */
const PROXIED_SOCKETS = 256

/**
 * The sockets of one endpoint. Watches never wait: they are streams of an HTTP/2 session where the server has it, and
 * otherwise each has a socket of its own that ends with it. Short requests are either streams of the same session, so that an
 * endpoint costs one socket, or share a bounded pool of HTTP/1.1 sockets and wait their turn there, which is faster for many.
 * Watches in that pool would starve everything else, and undici reconnects a pooled socket whose request was aborted.
 *
 * When the client certificate rotates, new requests use new sockets, and what runs on the old ones ends in its own time.
 */
export class Sockets {
  #footing: Prepared | undefined
  readonly #open = new Set<Dispatcher>()
  readonly #upgraded = new Set<Duplex>()
  /** Aborted by `close`, which ends the sessions: those under a certificate that was replaced are held by nothing else. */
  readonly #closing = new AbortController()

  constructor(
    readonly config: Kubeconfig,
    readonly maxRequestSockets: number,
    readonly lookup?: LookupFunction,
  ) {
    setMaxListeners(0, this.#closing.signal) // one for each session: Node would call eleven a leak
  }

  /** Reads the certificates now, so that a connect fails with what is wrong with them. @throws as `forRequest` */
  async prepare(proof: Proof): Promise<void> {
    await this.#current(proof)
  }

  /** Where a short request goes. @throws KubeconfigError when a certificate cannot be used; Error when closed */
  async forRequest(proof: Proof): Promise<Dispatcher> {
    const footing = await this.#current(proof)
    footing.requests ??= this.#pool(footing, this.maxRequestSockets)
    return footing.requests
  }

  /** Where requests are streams; undefined where the server speaks HTTP/1.1 only. @throws as `forRequest` */
  async forStream(proof: Proof): Promise<Sessions | undefined> {
    const { sessions } = await this.#current(proof)
    return (await sessions?.speakHttp2()) ? sessions : undefined
  }

  /** A socket for one watch; give it back with `end`. @throws as `forRequest` */
  async forWatch(proof: Proof): Promise<Dispatcher> {
    const { connect } = await this.#current(proof)
    return this.#track(new Client(this.#origin, { connect, ...NO_TIMEOUTS }))
  }

  /** Where a caller's short request goes: said at once, unless the certificates are still being read. @throws as `forRequest` */
  forProxy(proof: Proof): Dispatcher | Promise<Dispatcher> {
    const footing = this.#current(proof)
    return footing instanceof Promise ? footing.then(ready => this.#proxied(ready)) : this.#proxied(footing)
  }

  /**
   * A socket for one upgrade request, under HTTP until the server has switched protocols; give it back with `end`. The
   * socket that was upgraded is no part of it any more and goes to `keepUpgraded`. @throws as `forRequest`
   */
  async forUpgrade(proof: Proof): Promise<Dispatcher> {
    const { connectHalfOpen } = await this.#current(proof)
    return this.#track(new Client(this.#origin, { connect: connectHalfOpen(), ...NO_TIMEOUTS }))
  }

  /** Ends an upgraded socket with `close`, if it is still open then. */
  keepUpgraded(socket: Duplex): void {
    this.#upgraded.add(socket)
    // The socket's user may not listen for errors yet, and an error without a listener would end the process.
    socket.on('error', () => undefined)
    socket.once('close', () => this.#upgraded.delete(socket))
  }

  /** Ends the socket of a watch or of an upgrade request, and what still runs on it. */
  async end(dispatcher: Dispatcher): Promise<void> {
    this.#open.delete(dispatcher)
    await dispatcher.destroy()
  }

  async close(): Promise<void> {
    this.#closing.abort(new ConnectionClosedError(`the connection to ${this.config.server} was closed`))
    const { reason } = this.#closing.signal
    for (const socket of this.#upgraded) socket.destroy(reason as Error)
    await Promise.all([...this.#open].map(each => each.destroy(reason)))
    this.#open.clear()
  }

  get #origin(): string {
    return new URL(this.config.server).origin
  }

  #proxied(footing: Footing): Pool {
    footing.proxied ??= this.#pool(footing, PROXIED_SOCKETS)
    return footing.proxied
  }

  #current(proof: Proof): Footing | Promise<Footing> {
    this.#closing.signal.throwIfAborted()
    const footing = this.#footing?.cert === proof.cert ? this.#footing : undefined
    const { known, ready } = footing ?? this.#replace(proof)
    return known ?? ready.then(prepared => this.#unlessClosed(prepared))
  }

  #unlessClosed(footing: Footing): Footing {
    this.#closing.signal.throwIfAborted()
    return footing
  }

  #replace(proof: Proof): Prepared {
    const before = this.#footing
    const next: Prepared = { cert: proof.cert, ready: this.#prepare(proof) }
    this.#footing = next
    next.ready.then(
      footing => {
        next.known = footing
      },
      () => {
        if (this.#footing === next) this.#footing = undefined // a file that is missing now may be there next time
      },
    )
    before?.ready.then(
      footing => this.#retire(footing),
      () => undefined,
    )
    return next
  }

  async #prepare(proof: Proof): Promise<Footing> {
    const { tls, server } = this.config
    // Made once: parsing the authorities again for every socket costs milliseconds, and memory as long as it lives.
    const secure = server.startsWith('https:') ? await secureContext(this.config, proof) : undefined
    const manner = {
      timeout: CONNECT_TIMEOUT_MS,
      rejectUnauthorized: !tls.insecure,
      ...(tls.serverName && { servername: tls.serverName }),
      ...(secure && { secureContext: secure }),
      ...(this.lookup && { lookup: this.lookup }),
    }
    const connect = buildConnector(manner)
    const connectHalfOpen = () =>
      buildConnector({ ...manner, allowHalfOpen: true } as buildConnector.BuildOptions)
    return { connect, connectHalfOpen, ...(secure && { sessions: this.#shared(secure) }) }
  }

  #pool({ connect, retired }: Footing, connections: number): Pool {
    const settings = { connect, connections, keepAliveTimeout: KEEP_ALIVE_MS, ...NO_TIMEOUTS }
    const pool = this.#track(new Pool(this.#origin, settings))
    // Who waited for it sends first.
    if (retired) setImmediate(() => this.#finish(pool))
    return pool
  }

  #track<D extends Dispatcher>(dispatcher: D): D {
    this.#open.add(dispatcher)
    return dispatcher
  }

  #shared(secureContext: SecureContext): Sessions {
    const { tls } = this.config
    const target = {
      origin: this.#origin,
      secureContext,
      ...(tls.serverName && { serverName: tls.serverName }),
      insecure: tls.insecure,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      ...(this.lookup && { lookup: this.lookup }),
    }
    return new Sessions(target, this.#closing.signal)
  }

  #retire(footing: Footing): void {
    footing.retired = true
    if (footing.requests) this.#finish(footing.requests)
    if (footing.proxied) this.#finish(footing.proxied)
    footing.sessions?.retire()
  }

  /** Lets what runs in a pool end in its own time. */
  #finish(pool: Pool): void {
    const forget = (): void => void this.#open.delete(pool)
    pool.close().then(forget, forget) // it rejects when close() destroyed it meanwhile
  }
}

async function secureContext({ tls }: Kubeconfig, { cert, key }: Proof): Promise<SecureContext> {
  const ca = tls.ca && (await readPem(tls.ca))
  try {
    // OpenSSL passes over an authority that it cannot read, and then trusts no server, without an error.
    for (const authority of certificatesOf(ca ?? '')) new X509Certificate(authority)
    return createSecureContext({ ...(ca && { ca }), ...(cert && key && { cert, key }) })
  } catch (cause) {
    throw new KubeconfigError(`kubeconfig: the certificates cannot be used: ${(cause as Error).message}`, {
      cause,
    })
  }
}
