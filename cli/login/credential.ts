import { z } from 'zod'
import type { Config } from '../../config.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { currentToken } from './current-token.js'
import type { LoginStore } from './login-store.js'

const GROUP = 'client.authentication.k8s.io'
/** What kubectl says in `KUBERNETES_EXEC_INFO`, as far as it matters. */
const execInfo = z.object({ apiVersion: z.string() })

/**
 * `kairship credential`: an ExecCredential with the token of a login, for kubectl and programs with client-go. It asks nobody anything and
 * opens no browser; a refresh token never leaves this machine's cache.
 * @throws CommandError
 */
export async function credential(
  { login, execApiVersion }: Pick<Config, 'login' | 'execApiVersion'>,
  { out, signal, store }: { out: (text: string) => void; signal: AbortSignal; store: LoginStore },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<ExitCode> {
  if (login === '')
    throw new CommandError('--login is missing: "kairship login" writes it into a kubeconfig', ExitCode.usage)
  const asked = versionOf(environment.KUBERNETES_EXEC_INFO) ?? `${GROUP}/${execApiVersion}`
  const { token, renewAt } = await currentToken(login, { store, signal })
  // kubectl keeps the token until then, so that it asks again in time.
  const status = { token, expirationTimestamp: new Date(Math.max(renewAt, Date.now())).toISOString() }
  out(`${JSON.stringify({ kind: 'ExecCredential', apiVersion: asked, status })}\n`)
  return ExitCode.ok
}

/** The version that kubectl asks in, and expects the answer in. */
function versionOf(text: string | undefined): string | undefined {
  if (!text) return undefined
  let info: unknown
  try {
    info = JSON.parse(text)
  } catch (cause) {
    throw new CommandError('KUBERNETES_EXEC_INFO is no JSON', ExitCode.usage, { cause })
  }
  const { data } = execInfo.safeParse(info)
  if (data?.apiVersion === `${GROUP}/v1` || data?.apiVersion === `${GROUP}/v1beta1`) return data.apiVersion
  throw new CommandError(
    `kubectl asks in ${data?.apiVersion ?? 'an unknown version'}; this program knows ${GROUP}/v1 and v1beta1`,
    ExitCode.usage,
  )
}
