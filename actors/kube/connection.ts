import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import { StatusError } from '../../manifests/status-error.js'
import { DeadlineError, deadline, orAborted } from '../../ports/cancellation.js'
import {
  type KubeApi,
  KubeconfigError,
  type KubeRequest,
  UnreachableError,
  UnusableAnswerError,
  type WatchEvent,
  type WatchRequest,
} from '../../ports/kube-api.js'
import { AnswerTooLargeError, parseAnswer, readBody, refusal } from './answer.js'
import { authenticator } from './authenticate.js'
import { requestHeaders } from './headers.js'
import type { Kubeconfig } from './kubeconfig.js'
import type { LargeAnswers } from './large-answers.js'
import { readPem } from './pem.js'
import type { Authenticator, Proof } from './proof.js'
import type { StreamedAnswer } from './session.js'
import { Sockets } from './sockets.js'
import { TURNS, type Turns } from './turns.js'
import { upstreamOf } from './upstream.js'
import { watchLines } from './watch-lines.js'

/** Settings of one connection. */
export interface ConnectionOptions {
  readonly userAgent?: string
  /** How many sockets short requests may use at once; further requests wait their turn. */
  readonly maxRequestSockets?: number
  /**
   * Whether short requests too go over the session that watches share, where the server speaks HTTP/2: one socket for the
   * endpoint. Else they have sockets of their own, which is faster where there are many of them.
   */
  readonly oneSession?: boolean
  /**
   * What the work that follows from answers and events is divided over; those of the process unless given. Undefined where it is urgent: it is done
   * as they come.
   */
  readonly turns?: Turns | undefined
  /** Milliseconds a request may take when it does not say itself, and a watch until the server has accepted it. */
  readonly timeoutMs?: number
  /** The largest answer, and the largest single watch event, that is read. */
  readonly maxAnswerBytes?: number
  /** The most values in the JSON of an answer, and of a single watch event. */
  readonly maxAnswerValues?: number
  /** Where answers wait that are large; they are read at once when absent. */
  readonly largeAnswers?: LargeAnswers
  /** Proves who sends, in place of the kubeconfig's credential. */
  readonly authenticator?: Authenticator
  /** Looks names of servers up; Node's own when absent. */
  readonly lookup?: LookupFunction
  /** Called for every request when it has ended; must not throw. */
  readonly observe?: (ended: EndedRequest) => void
}

/** What became of one request; for metrics. */
export interface EndedRequest {
  readonly verb: KubeRequest['method'] | 'WATCH'
  readonly purpose?: KubeRequest['purpose']
  /** The HTTP status, or 0 where none was received. Not that of a Status, where a server may write any number. */
  readonly code: number
  readonly seconds: number
}

/** A KubeApi over sockets of its own, and what it is doing right now. */
export interface KubeConnection extends KubeApi {
  inFlight(): { readonly requests: number; readonly watches: number }
}

const DEFAULTS = {
  userAgent: 'kairship',
  maxRequestSockets: 16,
  oneSession: false,
  turns: TURNS,
  timeoutMs: 30_000,
  maxAnswerBytes: 64 << 20,
  maxAnswerValues: Number.POSITIVE_INFINITY,
} as const

/** A refusal is one Status, or an error page of which a line is shown. */
const LARGEST_REFUSAL = 1 << 20

/**
 * Connects to the endpoint of a kubeconfig under its credential. Certificates are checked now; sockets are opened when
 * the first request needs one.
 * @throws KubeconfigError when a certificate or key cannot be used
 */
export async function connectKube(
  config: Kubeconfig,
  options: ConnectionOptions = {},
): Promise<KubeConnection> {
  const settings = { ...DEFAULTS, ...options }
  const auth = options.authenticator ?? authenticator(config)
  const sockets = new Sockets(config, settings.maxRequestSockets, settings.lookup)
  const { origin, pathname } = new URL(config.server)
  const basePath = pathname.replace(/\/+$/, '')
  const inFlight = { requests: 0, watches: 0 }
  const isProvenLater = options.authenticator ?? config.credential.exec ?? config.credential.authProvider
  if (!isProvenLater) await sockets.prepare(await auth.proof())

  const wayOfRequests = async (proof: Proof, signal: AbortSignal): Promise<Way> => {
    const sessions = settings.oneSession ? await orAborted(sockets.forStream(proof), signal) : undefined
    return sessions ?? sockets.forRequest(proof)
  }

  /** Sends, and hands the answer over once its head is there. A refusal is read whole and thrown. */
  async function send(
    through: (proof: Proof, signal: AbortSignal) => Promise<Way>,
    request: KubeRequest,
    signal: AbortSignal,
    refusedWith: (code: number) => void,
  ): Promise<StreamedAnswer> {
    const proof = await auth.proof()
    const way = await through(proof, signal)
    const impersonate = request.impersonate ?? config.credential.impersonate
    const headers = requestHeaders({ ...request, ...(impersonate && { impersonate }) }, settings.userAgent)
    const answer = await way.request({
      origin,
      method: request.method,
      path: basePath + request.path + search(request.query),
      headers: { ...headers, ...(proof.authorization && { authorization: proof.authorization }) },
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal,
    })
    if (answer.statusCode < 300) return answer
    refusedWith(answer.statusCode)
    if (answer.statusCode === 401) auth.refused()
    const most = Math.min(LARGEST_REFUSAL, settings.maxAnswerBytes)
    throw refusal(answer.statusCode, answer.headers, await readBody(answer.body, most))
  }

  /** Counts one request in; the returned function counts it out. */
  function began({ verb, purpose }: Pick<EndedRequest, 'verb' | 'purpose'>): (code: number) => void {
    const kind = verb === 'WATCH' ? 'watches' : 'requests'
    const startedAt = performance.now()
    inFlight[kind]++
    return code => {
      inFlight[kind]--
      settings.observe?.({
        verb,
        code,
        seconds: (performance.now() - startedAt) / 1000,
        ...(purpose && { purpose }),
      })
    }
  }

  async function request<T>(sent: KubeRequest): Promise<T> {
    const { signal, disarm, clear } = deadline([sent.signal], sent.timeoutMs ?? settings.timeoutMs)
    const ended = began({ verb: sent.method, purpose: sent.purpose })
    const large = settings.largeAnswers?.begin(config.server)
    let code = 0
    const refusedWith = (received: number) => {
      code = received
    }
    try {
      const answer = await send(wayOfRequests, sent, signal, refusedWith)
      const most = sent.maxAnswerBytes ?? settings.maxAnswerBytes
      const text = await readBody(answer.body, most, large && (bytes => large.grown(bytes, signal)))
      code = answer.statusCode
      // It came in time: what it waits for from here on is this process.
      disarm()
      // A caller waits for what is asked for it.
      if (!sent.impersonate && settings.turns?.isOver()) await settings.turns.mine(signal)
      return parseAnswer(answer.headers, text, settings.maxAnswerValues) as T
    } catch (error) {
      throw explain(error, sent, signal)
    } finally {
      large?.end()
      ended(code)
      clear()
    }
  }

  async function* watch(sent: WatchRequest): AsyncGenerator<WatchEvent, void> {
    const { signal, disarm, clear } = deadline([sent.signal], sent.timeoutMs ?? settings.timeoutMs)
    const ended = began({ verb: 'WATCH' })
    const get = { ...sent, method: 'GET', query: { ...sent.query, watch: true } } as const
    let code = 0
    const refusedWith = (received: number) => {
      code = received
    }
    let socket: Dispatcher | undefined
    const open = async (proof: Proof): Promise<Way> => {
      const sessions = await orAborted(sockets.forStream(proof), signal)
      if (sessions) return sessions
      socket = await sockets.forWatch(proof)
      return socket
    }
    try {
      const answer = await send(open, get, signal, refusedWith)
      code = answer.statusCode
      disarm()
      sent.opened?.()
      yield* watchLines(answer.body, settings, sent.urgent ? undefined : settings.turns, signal)
    } catch (error) {
      if (!sent.signal?.aborted) throw explain(error, get, signal)
    } finally {
      ended(code)
      clear()
      if (socket) await sockets.end(socket)
    }
  }

  return {
    server: config.server,
    insecure: config.tls.insecure,
    ...(config.tls.ca && { certificateAuthority: await readPem(config.tls.ca) }),
    ...(config.tls.serverName && { tlsServerName: config.tls.serverName }),
    request,
    watch,
    upstream: upstreamOf(config, auth, sockets),
    inFlight: () => ({ ...inFlight }),
    close: () => sockets.close(),
  }
}

/** A way to the server: a pool, a socket, or a session of streams. */
interface Way {
  request(
    request: Dispatcher.RequestOptions & {
      readonly headers: Record<string, string | string[]>
      readonly body: string | null
      readonly signal: AbortSignal
    },
  ): Promise<StreamedAnswer>
}

function search(query: KubeRequest['query']): string {
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries(query ?? {}))
    if (value !== undefined) parameters.set(key, String(value))
  const text = parameters.toString()
  return text && `?${text}`
}

/** Says which request it was. Errors that say it themselves, and the caller's own abort, pass unchanged. */
function explain(error: unknown, { method, path }: KubeRequest, signal: AbortSignal): unknown {
  if (error instanceof StatusError || error instanceof KubeconfigError) return error
  const cause = signal.aborted ? signal.reason : error
  if (cause instanceof DeadlineError)
    return new UnreachableError(`${method} ${path}: ${cause.message}`, 'DEADLINE', { cause })
  if (signal.aborted) return cause
  const { message, code } = deepest(error)
  if (error instanceof AnswerTooLargeError || code === undefined)
    return new UnusableAnswerError(`${method} ${path}: ${message}`, { cause: error })
  return new UnreachableError(`${method} ${path}: ${message}`, code, { cause: error })
}

/** A dual-stack connect fails with an AggregateError whose own message is empty: its first error has one. */
function deepest(error: unknown): { message: string; code: string | undefined } {
  if (error instanceof AggregateError && error.errors.length > 0) return deepest(error.errors[0])
  const { message = String(error), code } = error as { message?: string; code?: unknown }
  return { message, code: typeof code === 'string' ? code : undefined }
}
