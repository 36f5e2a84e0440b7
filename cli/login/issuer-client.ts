import { X509Certificate } from 'node:crypto'
import * as openid from 'openid-client'
import { Agent, fetch } from 'undici'
import { CommandError, ExitCode } from '../exit-code.js'
import type { Login } from './login-store.js'

/** Seconds for one request to an issuer; a lock is held for longer than two. */
const TIMEOUT_S = 20
/** Bytes of an answer: a discovery document and a key set have some 10 KB. */
const MOST_BYTES = 1 << 20

/** An issuer, and as which client one comes there. */
export type IssuerPlace = Pick<Login, 'issuer' | 'clientId' | 'scopes' | 'issuerCertificateAuthority'>

/** An issuer whose endpoints are known, over connections of its own. */
export interface IssuerClient {
  readonly configuration: openid.Configuration
  readonly place: IssuerPlace
  close(): Promise<void>
}

/** Reads what an issuer offers (OpenID Connect Discovery). TLS is always verified. @throws CommandError */
export async function connectIssuer(place: IssuerPlace): Promise<IssuerClient> {
  const { issuer, clientId, issuerCertificateAuthority: ca } = place
  if (new URL(issuer).protocol !== 'https:')
    throw new CommandError(
      `the issuer ${issuer} is refused: passwords and tokens travel over https:// only`,
      ExitCode.failed,
    )
  if (ca !== undefined) mustBeCertificate(ca)
  const dispatcher = new Agent({
    connect: ca === undefined ? {} : { ca },
    maxResponseSize: MOST_BYTES,
  })
  const overTls: openid.CustomFetch = (url, init) =>
    fetch(url, { ...init, dispatcher } as Parameters<typeof fetch>[1]) as unknown as Promise<Response>
  try {
    const configuration = await openid.discovery(new URL(issuer), clientId, undefined, openid.None(), {
      [openid.customFetch]: overTls,
      timeout: TIMEOUT_S,
    })
    return { configuration, place, close: () => dispatcher.destroy() }
  } catch (error) {
    await dispatcher.destroy()
    throw ofIssuer(error, issuer)
  }
}

/** The CommandError that says what an issuer answered, or that it did not. */
export function ofIssuer(error: unknown, issuer: string): unknown {
  if (error instanceof CommandError) return error
  if (error instanceof openid.ResponseBodyError || error instanceof openid.AuthorizationResponseError)
    return new CommandError(
      `the issuer ${issuer} refuses: ${error.error_description ?? error.error}`,
      ExitCode.denied,
      { cause: error },
    )
  if (!(error instanceof Error)) return error
  return new CommandError(`the issuer ${issuer} cannot be used: ${reasonOf(error)}`, ExitCode.failed, {
    cause: error,
  })
}

/** Clients wrap what the network says. */
function reasonOf(error: Error): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  return inner instanceof Error ? reasonOf(inner) : error.message || String(error)
}

function mustBeCertificate(pem: string): void {
  try {
    new X509Certificate(pem)
  } catch (cause) {
    // Node.js ignores text without a certificate, and would trust no server then.
    throw new CommandError(
      'the server names an authority of its issuer that is no certificate',
      ExitCode.failed,
      {
        cause,
      },
    )
  }
}

/** What a login is made of, as an issuer's tokens say it. */
export type Granted = Pick<Login, 'subject' | 'user' | 'idToken' | 'issuedAt' | 'expiresAt' | 'refreshToken'>

/** @throws CommandError for an answer without an ID token */
export function grantedBy(
  tokens: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers,
): Granted {
  const claims = tokens.claims()
  if (!claims || tokens.id_token === undefined)
    throw new CommandError('the issuer gave no ID token: do the scopes have openid?', ExitCode.failed)
  const { sub, iat, exp, preferred_username: name, email } = claims
  return {
    subject: sub,
    user: typeof name === 'string' ? name : typeof email === 'string' ? email : sub,
    idToken: tokens.id_token,
    issuedAt: iat * 1_000,
    expiresAt: exp * 1_000,
    ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
  }
}
