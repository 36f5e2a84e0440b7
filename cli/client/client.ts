import { Agent, fetch } from 'undici'
import { AnswerError, ApiError, ConnectionError } from '../../client/errors.js'
import { type Fetch, type Rest, restCalls } from '../../client/rest.js'
import { Code } from '../../transcoding/code.js'
import { EncodeError } from '../../transcoding/encode.js'
import { CommandError, ExitCode } from '../exit-code.js'
import type { ResolvedClient } from './client-config.js'

/** Calls one running Kairship over REST. Every failure is a CommandError that a person can act on. */
export interface Client extends Rest {
  close(): Promise<void>
}

/** What a client command needs of its process. */
export interface ClientContext {
  readonly client: Client
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal
  readonly now: () => number
  /** Resolves after a while, or at once when `signal` aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Connects to the Kairship that a client config names. TLS is always verified.
 * @param token called before each request; the client config's own unless given
 */
export function createClient(
  resolved: ResolvedClient,
  { requestTimeoutMs: timeoutMs }: { requestTimeoutMs: number },
  token: () => string | undefined | Promise<string | undefined> = () => resolved.token,
): Client {
  const { server, certificateAuthorityData } = resolved
  const dispatcher = new Agent({
    connect: certificateAuthorityData ? { ca: certificateAuthorityData } : {},
    // Calls have deadlines of their own, and streams may be silent for hours.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const overTls: Fetch = (url, init) => fetch(url, { ...init, dispatcher })
  const rest = restCalls({
    server,
    token,
    userAgent: 'kairship-cli',
    fetch: overTls,
    timeoutMs,
  })
  return {
    unary: (...call) => rest.unary(...call).catch(error => Promise.reject(forPeople(error, resolved))),
    async *stream(...call) {
      try {
        yield* rest.stream(...call)
      } catch (error) {
        throw forPeople(error, resolved)
      }
    },
    close: () => dispatcher.destroy(),
  }
}

/** The CommandError that says what a person can do about a failed call. Other errors stay as they are. */
function forPeople(error: unknown, resolved: ResolvedClient): unknown {
  if (error instanceof ApiError) return refused(error, resolved)
  // Without a token nothing was sent: that error says what helps, and the server is not to blame.
  if (error instanceof ConnectionError && error.cause instanceof CommandError) return error.cause
  if (error instanceof ConnectionError) return unreachable(error, resolved)
  if (error instanceof AnswerError)
    return new CommandError(`${error.message}: is --server right?`, ExitCode.failed, { cause: error })
  if (error instanceof EncodeError) return new CommandError(error.message, ExitCode.usage, { cause: error })
  return error
}

function refused(error: ApiError, { namedBy }: ResolvedClient): CommandError {
  const { code, message } = error
  if (code === Code.UNAUTHENTICATED)
    return new CommandError(
      `not known to the server: ${message} (${namedBy ? `${namedBy} names the server and its token; for another token ` : ''}run "kairship login", or set KAIRSHIP_TOKEN or --token-file)`,
      ExitCode.denied,
      { cause: error },
    )
  const exitCode =
    code === Code.PERMISSION_DENIED
      ? ExitCode.denied
      : code === Code.NOT_FOUND
        ? ExitCode.notFound
        : ExitCode.failed
  return new CommandError(message, exitCode, { cause: error })
}

const certificateCodes = /CERT|SIGNATURE|UNABLE_TO_(GET|VERIFY)|ALTNAME/

function unreachable(error: ConnectionError, { server, namedBy }: ResolvedClient): CommandError {
  const cause = firstCause(error)
  const code = 'code' in cause ? String(cause.code) : ''
  const advice = certificateCodes.test(code)
    ? 'name its authority with --certificate-authority'
    : namedBy
      ? `is it running? ${namedBy} names this server; --server names another`
      : 'is it running, and is --server right?'
  return new CommandError(`cannot reach ${server}: ${cause.message || code} (${advice})`, ExitCode.failed, {
    cause: error,
  })
}

/** `fetch` says that it failed, and why in the cause; where several addresses were tried, in the errors of the cause. */
function firstCause(error: Error): Error {
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  return inner instanceof Error ? firstCause(inner) : error
}
