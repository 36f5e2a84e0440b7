import type * as openid from 'openid-client'
import type { SignInPlace } from '../../ports/issuer-sign-in.js'
import { ServiceError } from '../../ports/service-error.js'
import type { IssuerEndpoints } from './issuer-endpoints.js'

/**
 * An issuer's metadata. `discoveryUrl` may have less than signing in needs: Kubernetes reads no more of it than keys. Then it is read at the
 * issuer's own place (OpenID Connect Discovery, section 4).
 */
export async function metadataOf(
  place: SignInPlace,
  endpoints: IssuerEndpoints,
  signal: AbortSignal,
): Promise<openid.ServerMetadata> {
  const own = `${place.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  for (const url of [place.discoveryUrl, own]) {
    if (url === undefined) continue
    const { status, body } = await endpoints.send(url, {
      method: 'GET',
      headers: { accept: 'application/json' },
      signal,
    })
    const server = status === 200 ? objectIn(body) : undefined
    if (server?.issuer === place.issuer && hasEndpoints(server)) return server as openid.ServerMetadata
  }
  throw new ServiceError(
    'gateway',
    `the issuer ${place.issuer} publishes no page to sign in (authorization_endpoint and token_endpoint that begin with https://) under its own name`,
    'NoIssuer',
  )
}

const hasEndpoints = (server: Record<string, unknown>): boolean =>
  ['authorization_endpoint', 'token_endpoint'].every(name => {
    const url = server[name]
    return typeof url === 'string' && URL.canParse(url) && new URL(url).protocol === 'https:'
  })

function objectIn(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    // No JSON: the caller says what is missing.
    return undefined
  }
}
