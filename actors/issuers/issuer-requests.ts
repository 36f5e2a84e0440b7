import * as openid from 'openid-client'
import type { SignInPlace } from '../../ports/issuer-sign-in.js'
import { ServiceError } from '../../ports/service-error.js'
import type { IssuerEndpoints } from './issuer-endpoints.js'

/** A request of openid-client's, over sockets that are bounded and verified. */
export async function send(
  endpoints: IssuerEndpoints,
  url: string,
  init: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body?: unknown
    readonly signal?: AbortSignal | undefined
  },
): Promise<Response> {
  const { method, headers, body, signal = new AbortController().signal } = init
  if (method !== 'GET' && method !== 'POST') throw new Error(`a sign-in makes no request with ${method}`)
  const answer = await endpoints.send(url, {
    method,
    headers,
    ...(body !== undefined && body !== null && { body: String(body) }),
    signal,
  })
  const kept = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined) kept.set(name, Array.isArray(value) ? value.join(', ') : value)
  return new Response(answer.body.length > 0 ? new Uint8Array(answer.body) : null, {
    status: answer.status,
    headers: kept,
  })
}

/** Does it, or throws the ServiceError that says in words what the issuer answered. */
export async function asked<T>(place: SignInPlace, signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    signal.throwIfAborted()
    throw ofIssuer(error, place.issuer)
  }
}

/** What an issuer says no with, in its own words. */
export const refused = (
  issuer: string,
  error: openid.ResponseBodyError | openid.AuthorizationResponseError,
  reason: 'IssuerRefused' | 'LoginOver',
): ServiceError =>
  new ServiceError(
    'unmet',
    `the issuer ${issuer} refuses: ${error.error_description ?? error.error}`,
    reason,
    { cause: error },
  )

function ofIssuer(error: unknown, issuer: string): unknown {
  const inner = serviceErrorIn(error)
  if (inner) return inner
  if (error instanceof openid.ResponseBodyError || error instanceof openid.AuthorizationResponseError)
    return refused(issuer, error, 'IssuerRefused')
  if (error instanceof openid.WWWAuthenticateChallengeError)
    return new ServiceError(
      'unmet',
      `the issuer ${issuer} refuses Kairship as its client: is consoleClientCredentialFile right?`,
      'IssuerRefused',
      { cause: error },
    )
  if (!(error instanceof Error)) return error
  return new ServiceError(
    'unmet',
    `the answer of the issuer ${issuer} is refused: ${error.message}`,
    'IssuerRefused',
    { cause: error },
  )
}

/** Clients wrap what the network says. */
function serviceErrorIn(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error
  return error instanceof Error && error.cause !== undefined ? serviceErrorIn(error.cause) : undefined
}
