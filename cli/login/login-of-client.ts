import type { ResolvedClient } from '../client/client-config.js'
import { currentToken } from './current-token.js'
import type { LoginStore } from './login-store.js'

/** The login that a command uses. */
export interface LoginOfClient {
  readonly id: string
  /** Its token, renewed where that is due. */
  readonly token: () => Promise<string>
}

/**
 * The last login to a command's server, unless its user names a token: by a setting, or in a client config that they name. A login counts more
 * than the token of a file that merely lies there, such as a playground's, since its user meant to be somebody.
 */
export function loginOfClient(
  { server, token, isTokenFound }: ResolvedClient,
  store: LoginStore,
  signal: AbortSignal,
): LoginOfClient | undefined {
  if (token !== undefined && !isTokenFound) return undefined
  const found = store.latest(server)
  if (!found) return undefined
  const { id } = found
  return { id, token: async () => (await currentToken(id, { store, signal })).token }
}
