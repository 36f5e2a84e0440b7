import type { Hono } from 'hono'
import { notFound } from '../errors/failure.js'
import type { IssuerConfiguration } from '../identity/oidc/configuration-schema.js'
import type { RestEnv } from './env.js'

/** Where the document is. It needs no credentials: who has none yet reads it. */
export const LOGIN_PATH = '/.well-known/kairship-login'

/** As whom `kairship login` comes to an issuer, and what it asks there: the settings of these names. */
export interface LoginOptions {
  readonly clientId: string
  readonly scopes: string
  readonly prompt?: string
}

/** What `kairship login` needs to know of a Kairship. Fields may be added, never renamed. */
export interface LoginDocument extends LoginOptions {
  readonly issuer: string
  /** PEM of what the issuer's certificate is verified with; absent where the platform's own authorities do. */
  readonly certificateAuthority?: string
}

/**
 * Serves what a person needs in order to log in: the issuer whose audiences have the client, because an ID token is for its client. The
 * configuration may change while this runs, so each request reads it.
 * @param login undefined where no client is configured
 */
export function addLoginDocument(
  app: Hono<RestEnv>,
  issuers: () => readonly IssuerConfiguration[],
  login: LoginOptions | undefined,
): void {
  app.get(LOGIN_PATH, c => {
    const document = login && loginDocument(issuers(), login)
    if (!document) throw notFound(whyNone(login), { reason: 'LoginNotConfigured' })
    return c.json(document, 200, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  })
}

function loginDocument(
  issuers: readonly IssuerConfiguration[],
  login: LoginOptions,
): LoginDocument | undefined {
  const found = issuers.find(({ issuer }) => issuer.audiences.includes(login.clientId))
  if (!found) return undefined
  const { url, certificateAuthority } = found.issuer
  return { issuer: url, ...login, ...(certificateAuthority && { certificateAuthority }) }
}

const whyNone = (login: LoginOptions | undefined): string =>
  login
    ? `no issuer of authenticationConfig has ${login.clientId} (loginClientId) among its audiences`
    : 'this Kairship says of no issuer that one may log in there: loginClientId is not set'
