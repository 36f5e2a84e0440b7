import * as openid from 'openid-client'
import { CommandError, ExitCode } from '../exit-code.js'
import { connectIssuer, type Granted, grantedBy, ofIssuer } from './issuer-client.js'
import { locked } from './login-lock.js'
import { type Login, type LoginStore, logInAnew, loginId } from './login-store.js'

/** Those who waited for an attempt that failed do not try at once again, milliseconds. */
const FAILED_MS = 5_000

/** What a token is kept and renewed with. */
export interface TokenDependencies {
  readonly store: LoginStore
  readonly signal: AbortSignal
  readonly now?: () => number
}

/** The issuer will not renew this login any more, whoever asks. */
class LoginOver extends Error {
  override readonly name = 'LoginOver'
}

/**
 * Renews a login whose token is about to expire, under its lock, and keeps what came of it before anyone else may try.
 * @returns the login with a token that counts now
 * @throws CommandError
 */
export async function renewed(login: Login, store: LoginStore, now: () => number): Promise<Login> {
  const isValid = now() < login.expiresAt
  const { failure, ...plain } = login
  const settled = (problem: CommandError): Login => {
    if (isValid) return login
    throw problem
  }
  if (login.refreshToken === undefined) return settled(logInAnew(login))
  if (failure && now() - failure.at < FAILED_MS)
    return settled(new CommandError(failure.message, ExitCode.failed))
  try {
    // Before the refresh token is spent: where the next one cannot be kept the whole login is lost.
    store.write(plain)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return settled(error)
  }
  let granted: Granted
  try {
    granted = await refreshed(login, login.refreshToken)
  } catch (error) {
    if (error instanceof LoginOver) {
      // It is good for nothing now: those who wait must not show it again.
      const { refreshToken: _, ...left } = plain
      store.write(left)
      return settled(logInAnew(login, error.message))
    }
    const problem = ofIssuer(error, login.issuer)
    if (!(problem instanceof CommandError)) throw problem
    store.write({ ...plain, failure: { at: now(), message: problem.message } })
    return settled(problem)
  }
  const next = { ...plain, ...granted }
  store.write(next)
  return next
}

/** One grant of the refresh token (RFC 6749, section 6). An issuer that rotates it sends the next one; otherwise it stays. */
async function refreshed(login: Login, refreshToken: string): Promise<Granted> {
  const issuer = await connectIssuer(login)
  try {
    const tokens = await openid.refreshTokenGrant(issuer.configuration, refreshToken)
    if (tokens.id_token === undefined) throw new LoginOver('its issuer renews no ID tokens')
    const granted = grantedBy(tokens)
    if (granted.subject !== login.subject) throw new LoginOver('its issuer gave the token of another user')
    return granted
  } catch (error) {
    if (error instanceof openid.ResponseBodyError && error.error === 'invalid_grant')
      throw new LoginOver(error.error_description ?? error.error)
    throw error
  } finally {
    await issuer.close()
  }
}

/** Ends a login: the issuer withdraws its tokens where it can (RFC 7009), and this machine forgets them in any case. */
export async function endLogin(
  login: Login,
  { store, signal }: TokenDependencies,
): Promise<'withdrawn' | 'forgotten'> {
  const id = loginId(login)
  return locked(
    `${store.folder}/${id}.lock`,
    async () => {
      const last = store.read(id)
      store.remove(id)
      if (last?.refreshToken === undefined) return 'forgotten'
      const issuer = await connectIssuer(last)
      try {
        if (issuer.configuration.serverMetadata().revocation_endpoint === undefined) return 'forgotten'
        await openid.tokenRevocation(issuer.configuration, last.refreshToken, {
          token_type_hint: 'refresh_token',
        })
        return 'withdrawn'
      } catch (error) {
        throw ofIssuer(error, last.issuer)
      } finally {
        await issuer.close()
      }
    },
    signal,
  )
}
