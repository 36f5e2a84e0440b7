import { CommandError, ExitCode } from '../exit-code.js'
import { locked } from './login-lock.js'
import { type Login, logInAnew } from './login-store.js'
import type { TokenDependencies } from './renewal.js'

/** A token is renewed this long before it expires, or after three quarters of its time, milliseconds. */
const EARLY_MS = 60_000

/** A token, and from when on another one is to be asked for, milliseconds since the epoch. */
export interface CurrentToken {
  readonly token: string
  readonly renewAt: number
}

/**
 * The token of a login, renewed where it is about to expire. Of processes that want it at the same time one renews it, and the others wait
 * and read: an issuer accepts a refresh token once, and ends the whole login when it comes again. Nothing here opens a browser.
 * @throws CommandError saying to log in, where that is all that helps
 */
export async function currentToken(id: string, dependencies: TokenDependencies): Promise<CurrentToken> {
  const { store, signal, now = Date.now } = dependencies
  const known = store.read(id)
  if (!known)
    throw new CommandError('this login is over or was never made here: run "kairship login"', ExitCode.denied)
  if (now() < renewAt(known)) return tokenOf(known)
  let begun = false
  try {
    return await locked(
      `${store.folder}/${id}.lock`,
      async () => {
        begun = true
        // Another process may have renewed it meanwhile, or have ended the login.
        const login = store.read(id)
        if (!login) throw logInAnew(known)
        if (now() < renewAt(login)) return tokenOf(login)
        // Loaded when it is needed: most calls of kubectl find a token that is good.
        const { renewed } = await import('./renewal.js')
        return tokenOf(await renewed(login, store, now))
      },
      signal,
    )
  } catch (error) {
    // A folder that cannot be written lets nobody renew it. Until it expires it counts as it is.
    if (!begun && error instanceof CommandError && now() < known.expiresAt) return tokenOf(known)
    throw error
  }
}

function renewAt({ issuedAt, expiresAt }: Login): number {
  const early = Math.min(EARLY_MS, (expiresAt - issuedAt) / 4)
  return expiresAt - early
}

const tokenOf = (login: Login): CurrentToken => ({ token: login.idToken, renewAt: renewAt(login) })
