import { Agent, fetch } from 'undici'
import { z } from 'zod'
import type { ResolvedClient } from '../client/client-config.js'
import { CommandError, ExitCode } from '../exit-code.js'

const PATH = '/.well-known/kairship-login'
/** Milliseconds that the server may be silent, and bytes of one small document. */
const TIMEOUT_MS = 20_000
const MOST_BYTES = 1 << 20

const schema = z.object({
  issuer: z.url(),
  clientId: z.string().min(1),
  scopes: z.string().min(1),
  prompt: z.string().min(1).optional(),
  certificateAuthority: z.string().optional(),
})
const refusal = z.object({ message: z.string() })

/** At which issuer people log in for a Kairship, and as which client. */
export type LoginDocument = z.output<typeof schema>

/** Asks a Kairship how people log in. @throws CommandError */
export async function readLoginDocument(
  { server, certificateAuthorityData: ca }: ResolvedClient,
  signal: AbortSignal,
): Promise<LoginDocument> {
  const dispatcher = new Agent({
    connect: ca === undefined ? {} : { ca },
    connectTimeout: TIMEOUT_MS,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    maxResponseSize: MOST_BYTES,
  })
  try {
    const response = await fetch(`${server}${PATH}`, {
      dispatcher,
      redirect: 'error',
      headers: { accept: 'application/json', 'user-agent': 'kairship-cli' },
      signal,
    })
    const body: unknown = await response.json().catch(() => undefined)
    const { data } = schema.safeParse(body)
    if (response.status === 200 && data) return data
    const { data: refused } = refusal.safeParse(body)
    throw new CommandError(
      response.status === 404 || response.status === 401
        ? `nobody can log in to ${server}: ${refused?.message ?? 'it names no issuer'} (its operator sets loginClientId)`
        : `${server} does not say how to log in: it answered ${response.status}`,
      ExitCode.failed,
    )
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof CommandError || !(error instanceof Error)) throw error
    const { message } = error.cause instanceof Error ? error.cause : error
    throw new CommandError(
      `cannot reach ${server}: ${message} (is it running, and is --certificate-authority right?)`,
      ExitCode.failed,
      { cause: error },
    )
  } finally {
    await dispatcher.destroy()
  }
}
