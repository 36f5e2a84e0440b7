import { Agent, type Dispatcher, request } from 'undici'
import { z } from 'zod'
import type { ResolvedClient } from './client-config.js'
import { CommandError, ExitCode } from './exit-code.js'
import { serverSentEvents } from './server-sent-events.js'

/** How Kairship says no over REST: google.rpc.Status. */
const rpcStatus = z.object({ message: z.string(), code: z.number().optional() })

/** Bytes of an answer: ten thousand instances are some 40 MB. A refusal has one message. */
const LARGEST_ANSWER = 64 << 20
const LARGEST_REFUSAL = 1 << 20

/** Asks one running Kairship over REST. Every failure is a CommandError that a person can act on. */
export interface Client {
  get(path: string): Promise<unknown>
  post(path: string, body: unknown): Promise<unknown>
  delete(path: string): Promise<unknown>
  /** The messages of a stream, until the server ends it or `signal` aborts. */
  stream(path: string, options: { signal: AbortSignal; resumeToken?: string }): AsyncIterable<unknown>
  close(): Promise<void>
}

/** Connects to the Kairship that a client config names. TLS is always verified. */
export function createClient(
  { server, token, certificateAuthorityData, namedBy }: ResolvedClient,
  { requestTimeoutMs }: { requestTimeoutMs: number },
): Client {
  const dispatcher = new Agent({ connect: certificateAuthorityData ? { ca: certificateAuthorityData } : {} })
  const headers = {
    'user-agent': 'kairship-cli',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  const send = async (path: string, options: SendOptions): Promise<Dispatcher.ResponseData<unknown>> => {
    const response = await request(`${server}${path}`, {
      dispatcher,
      ...options,
      headers: { ...headers, ...options.headers },
    }).catch((error: unknown) => Promise.reject(unreachable(server, error, namedBy)))
    if (response.statusCode < 300) return response
    throw refused(response.statusCode, await textOf(response.body, LARGEST_REFUSAL), namedBy)
  }
  const ask = async (path: string, options: SendOptions): Promise<unknown> => {
    const response = await send(path, {
      ...options,
      headersTimeout: requestTimeoutMs,
      bodyTimeout: requestTimeoutMs,
    })
    return parseAnswer(await textOf(response.body, LARGEST_ANSWER))
  }
  return {
    get: path => ask(path, { method: 'GET' }),
    post: (path, body) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    delete: path => ask(path, { method: 'DELETE' }),
    async *stream(path, { signal, resumeToken }) {
      const response = await send(path, {
        method: 'GET',
        signal,
        headersTimeout: requestTimeoutMs,
        // Silence is normal: nothing may change for hours.
        bodyTimeout: 0,
        headers: {
          accept: 'text/event-stream',
          ...(resumeToken === undefined ? {} : { 'last-event-id': resumeToken }),
        },
      })
      for await (const { event, data } of serverSentEvents(response.body)) {
        // The server says why a stream is over; an end without it is a broken connection.
        if (event === 'end') throw refused(0, data)
        yield parseAnswer(data)
      }
    },
    close: () => dispatcher.destroy(),
  }
}

type SendOptions = Omit<NonNullable<Parameters<typeof request>[1]>, 'headers' | 'dispatcher'> & {
  readonly headers?: Record<string, string>
}

/** Reads an answer up to a bound; the rest is not read. @throws CommandError beyond it */
async function textOf(body: AsyncIterable<Buffer>, most: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > most)
      throw new CommandError(
        `the server’s answer is larger than ${most >> 20} MiB: is --server right?`,
        ExitCode.failed,
      )
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CommandError(
      `the server answered with something that is not JSON: ${text.slice(0, 200)}`,
      ExitCode.failed,
      {
        cause: error,
      },
    )
  }
}

function refused(statusCode: number, body: string, namedBy?: string): CommandError {
  const parsed = rpcStatus.safeParse(looseJson(body))
  const message = parsed.success ? parsed.data.message : `HTTP ${statusCode}: ${body.slice(0, 200)}`
  if (statusCode === 401)
    return new CommandError(
      `not known to the server: ${message} (${namedBy ? `${namedBy} names the server and its token; for another token ` : ''}set KAIRSHIP_TOKEN or --token-file)`,
      ExitCode.denied,
    )
  if (statusCode === 403) return new CommandError(message, ExitCode.denied)
  return new CommandError(message, statusCode === 404 ? ExitCode.notFound : ExitCode.failed)
}

function looseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not from Kairship but from something between: the caller shows the text itself.
    return undefined
  }
}

const certificateCodes = /CERT|SIGNATURE|UNABLE_TO_(GET|VERIFY)|ALTNAME/

function unreachable(server: string, error: unknown, namedBy: string | undefined): unknown {
  if (!(error instanceof Error) || error.name === 'AbortError') return error
  const code = 'code' in error ? String(error.code) : ''
  const advice = certificateCodes.test(code)
    ? 'name its authority with --certificate-authority'
    : namedBy
      ? `is it running? ${namedBy} names this server; --server names another`
      : 'is it running, and is --server right?'
  return new CommandError(`cannot reach ${server}: ${error.message || code} (${advice})`, ExitCode.failed, {
    cause: error,
  })
}
