import type { ResolvedClient } from '../client/client-config.js'
import { CommandError, ExitCode } from '../exit-code.js'
import type { LoginContext } from './login.js'
import { endLogin } from './renewal.js'

/** `kairship logout`: ends all logins of this user to one Kairship. Its contexts stay in the kubeconfig, for the next login. */
export async function logout(
  { server }: ResolvedClient,
  { out, interrupted: signal, store }: Pick<LoginContext, 'out' | 'interrupted' | 'store'>,
): Promise<ExitCode> {
  const logins = store.all(server)
  if (logins.length === 0) {
    out(`You are not logged in to ${server}.\n`)
    return ExitCode.ok
  }
  const problems: string[] = []
  for (const { id, login } of logins)
    try {
      const how = await endLogin(login, { store, signal })
      const rest = how === 'withdrawn' ? 'its issuer has withdrawn it' : 'its issuer withdraws nothing'
      out(
        `The login of ${login.user} to ${server} is over: ${rest}. A token that was given out counts until it expires.\n`,
      )
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      const rest = store.has(id)
        ? 'goes on, here and at its issuer'
        : 'is forgotten here, but not withdrawn, and what others copied counts until it expires'
      problems.push(`the login of ${login.user} ${rest}: ${error.message}`)
    }
  if (problems.length > 0) throw new CommandError(problems.join('; '), ExitCode.failed)
  return ExitCode.ok
}
