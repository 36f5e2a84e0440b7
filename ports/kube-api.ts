import type { Impersonation } from './impersonation.js'

/** How a write's body is to be read (the Content-Type of a PATCH). */
export type PatchType =
  | 'application/json-patch+json'
  | 'application/merge-patch+json'
  | 'application/strategic-merge-patch+json'
  | 'application/apply-patch+yaml'

/** One request to a Kubernetes API. `path` is absolute and already encoded; `query` values are encoded for you. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Serialized as JSON. */
  readonly body?: unknown
  /** Defaults to application/json; a PATCH names its PatchType. */
  readonly contentType?: 'application/json' | PatchType
  readonly accept?: string
  readonly impersonate?: Impersonation
  /** Separates requests of a kind of their own from the work, in the metrics. */
  readonly purpose?: 'canary'
  /** Ends the request, also upstream. */
  readonly signal?: AbortSignal
  /** Milliseconds until the request is given up; the implementation has a default of its own. */
  readonly timeoutMs?: number
  /** A larger answer is not read, and fails the request; the implementation has a default of its own. */
  readonly maxAnswerBytes?: number
}

/** The request that opens a watch. */
export interface WatchRequest extends Omit<KubeRequest, 'method' | 'body' | 'contentType'> {
  /** Called once, when the server has accepted the watch: an accepted watch may send nothing for as long as nothing changes. */
  readonly opened?: () => void
  /** Its events take rights away: they are passed on as they come, before other work that has come earlier. */
  readonly urgent?: boolean
}

/** One item of a watch as it stands on the wire. `object` is a Status for ERROR and carries only metadata for BOOKMARK. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: unknown
}

/**
 * One Kubernetes API endpoint under one credential, with its own connections. Short requests share a bounded pool;
 * watches have an unbounded one, so that no number of watches starves a request.
 */
export interface KubeApi {
  /** The base URL, without a trailing slash. */
  readonly server: string
  /** True when the server's certificate is not verified, because its kubeconfig says so. To be reported, not hidden. */
  readonly insecure?: boolean
  /** PEM of the authorities that vouch for the server; absent where the platform's own do. For kubeconfigs handed out. */
  readonly certificateAuthority?: string
  /** The name in the server's certificate, where it is not the host of `server`. */
  readonly tlsServerName?: string
  /**
   * Sends one request and returns the parsed JSON body (a string where the answer is not JSON).
   * @throws StatusError when the server answered with an error; UnreachableError when it could not be reached or the
   * deadline passed; the signal's reason when that aborted; any other Error when the answer cannot be read. Never retried:
   * a write may have been executed although the answer was lost.
   */
  request<T = unknown>(request: KubeRequest): Promise<T>
  /**
   * Opens a watch (`watch=true` is added) and yields its events until the server closes it, `signal` aborts, or an error
   * is thrown.
   */
  watch(request: WatchRequest): AsyncIterable<WatchEvent>
  /**
   * The way past `request` for a proxy; absent where the API is not reached over sockets. That of an instance is under an account that
   * may do nothing but impersonate: its requests are in the names of callers.
   */
  readonly upstream?: Upstream
  /** Ends all requests, watches and upgraded connections and closes the sockets. Idempotent. */
  close(): Promise<void>
}

/** One request as it stands on the wire, for a proxy: nothing is parsed, and nothing is added but the connection's own proof. */
export interface RawRequest {
  readonly method: string
  /** Absolute, encoded, with its query. The endpoint's own base path goes in front. */
  readonly path: string
  /** Names and values in turn, without hop-by-hop headers, host and authorization. */
  readonly headers: readonly string[]
  /** Sent as it comes; absent for no body. */
  readonly body?: AsyncIterable<Uint8Array>
  /** Watches and followed logs: they get a socket of their own, so that they do not starve requests. */
  readonly long: boolean
  /** Milliseconds until the head of the answer must be there; 0 for no limit. */
  readonly headTimeoutMs: number
  /** Milliseconds the answer may stall while its reader waits; no limit when absent. */
  readonly idleTimeoutMs?: number
}

/** Takes an answer as it comes in. `failed` comes at any time, once, and last; after `end` nothing comes. */
export interface RawSink {
  /** Header names and values in turn, as received. */
  head(status: number, message: string, headers: readonly string[]): void
  /** False asks for a pause until `RawExchange.resume`. */
  data(chunk: Uint8Array): boolean
  end(): void
  failed(error: Error): void
}

/** A request on its way. */
export interface RawExchange {
  resume(): void
  /** Ends it, also upstream; `failed` follows with this error. */
  abort(reason: Error): void
}

/** A request to go on in another protocol. It has no body. */
export interface UpgradeRequest extends Omit<RawRequest, 'body' | 'long'> {
  /** The value of the `Upgrade` header: one protocol. `headers` hold neither that nor `Connection`. */
  readonly protocol: string
}

/** Takes the answer to an upgrade request: the socket after a 101 that names the protocol, else an ordinary answer. */
export interface UpgradeSink extends RawSink {
  /**
   * The server switched protocols. The socket is the sink's from now on, with all that followed the answer's head; nothing
   * else is called after this.
   */
  switched(headers: readonly string[], socket: RawSocket): void
}

/** The endpoint of a KubeApi as a proxy needs it: bytes and sockets, under the connection's own credential and TLS. */
export interface Upstream {
  /** Sends at most once: nothing that may have been executed is ever repeated. */
  send(request: RawRequest, sink: RawSink): RawExchange
  /**
   * Sends an upgrade request over a socket of its own. Until the server has switched to exactly the requested protocol, the
   * socket carries this one request and its answer and nothing else: its bytes are sent under the connection's credential.
   */
  upgrade(request: UpgradeRequest, sink: UpgradeSink): RawExchange
  /** By which another process of Kairship sends as this endpoint does; absent where only this one can. */
  readonly account?: UpstreamAccount | undefined
}

/** The account of an endpoint. The rest of what a connection needs is in its KubeApi. */
export interface UpstreamAccount {
  readonly tokens: AccountTokens
  /** Aborts when the connection is closed: nothing is sent under the account any more. */
  readonly closed: AbortSignal
}

/** An endpoint for requests only: nothing is upgraded there. */
export type Sender = Pick<Upstream, 'send'>

/** A plain or TLS socket. */
export type RawSocket = NodeJS.ReadWriteStream & { destroy(error?: Error): unknown }

/** The bearer tokens of an account, one after the other. */
export interface AccountTokens {
  /** At once where one is known that still counts. @throws why there is none */
  token(): string | Promise<string>
  /** The server refused it (401): it is not to be used again. */
  refused(): void
  /** The server forbade a request (403): perhaps the account may not impersonate any more. */
  forbade?(): void
  /** Whether the kubeconfig's own credential is used where `token` throws an ImpersonationRefusedError. */
  readonly ownStandsIn?: boolean
}

/** An instance refuses to let Kairship act in the names of callers. The message says what is missing, and what to do. */
export class ImpersonationRefusedError extends Error {
  override readonly name = 'ImpersonationRefusedError'
}

/** Turns a kubeconfig document into a connection. The implementation parses exec and token plugins, and verifies TLS. */
export interface KubeConnector {
  /**
   * @param kubeconfig the YAML or JSON text of a kubeconfig
   * @throws KubeconfigError when it cannot be used; the message names the part that is wrong, never a secret
   */
  connect(kubeconfig: string, options?: { readonly userAgent?: string }): Promise<KubeApi>
  /**
   * Connects to the same server under the tokens of another account. No token is asked for before the first request.
   * @throws KubeconfigError as `connect`
   */
  connectAs?(kubeconfig: string, tokens: AccountTokens): Promise<KubeApi>
}

/** A kubeconfig that cannot be used: not YAML, no current context, a dangling reference, unreadable certificate data. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError'
}

/** The connection was closed on our side, on purpose: its instance is gone, or is reached by another one from now on. */
export class ConnectionClosedError extends Error {
  override readonly name = 'ConnectionClosedError'
}

/** An answer came that is none: larger than was asked for, or not what it says it is. The message names the request and what is wrong. */
export class UnusableAnswerError extends Error {
  override readonly name = 'UnusableAnswerError'
}

/**
 * No answer came: refused, reset, name not found, certificate not trusted, deadline over. The message names the request
 * and the cause, e.g. `GET /readyz: connect ECONNREFUSED 127.0.0.1:5443`. A write may have been executed all the same.
 */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  /**
   * @param code Node's or undici's error code (ECONNREFUSED, ENOTFOUND, SELF_SIGNED_CERT_IN_CHAIN,
   * ERR_TLS_CERT_ALTNAME_INVALID, UND_ERR_SOCKET, …); DEADLINE when the time was over; '' when there is none
   */
  constructor(
    message: string,
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
