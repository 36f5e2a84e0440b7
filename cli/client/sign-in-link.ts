import { Agent, fetch } from 'undici'
import { z } from 'zod'
import { CommandError, ExitCode } from '../exit-code.js'
import type { ResolvedClient } from './client-config.js'

const issued = z.object({ code: z.string().min(1) })
const refused = z.object({ message: z.string() })

/** How long the server may take, milliseconds. */
const PATIENCE_MS = 10_000

/**
 * A link that opens the console signed in as the token's owner, once, within ten minutes. The code is in the fragment, which browsers send to
 * no server and to no other page. @throws CommandError
 */
export async function signInLink({
  server,
  token,
  certificateAuthorityData: ca,
}: Pick<ResolvedClient, 'server' | 'token' | 'certificateAuthorityData'>): Promise<string> {
  const dispatcher = new Agent({ connect: ca ? { ca } : {} })
  try {
    const answer = await fetch(`${server}/console/codes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
      dispatcher,
    })
    const body: unknown = await answer.json()
    if (answer.status === 404)
      throw new CommandError(
        `${server} serves no console: it was started with --no-console`,
        ExitCode.notFound,
      )
    if (!answer.ok)
      throw new CommandError(
        refused.safeParse(body).data?.message ?? `${server} answered ${answer.status}`,
        answer.status === 401 || answer.status === 403 ? ExitCode.denied : ExitCode.failed,
      )
    return `${server}/#code=${issued.parse(body).code}`
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    const why =
      cause instanceof Error ? (cause.cause instanceof Error ? cause.cause : cause).message : String(cause)
    throw new CommandError(`cannot get a sign-in code of ${server}: ${why}`, ExitCode.failed, { cause })
  } finally {
    await dispatcher.destroy()
  }
}
