import { decodeJwt } from 'jose'
import type { KubeApi } from '../../ports/kube-api.js'
import { askedReview } from './asked-review.js'
import type { Caller, CallerCredential } from './caller.js'
import { withAuthenticated } from './groups.js'

/**
 * Asks the host whose token this is; undefined where it knows none.
 * @param now milliseconds since the epoch
 * @throws StatusError, UnreachableError when it did not answer
 */
export async function reviewToken(
  host: KubeApi,
  token: string,
  now: number = Date.now(),
  timeoutMs?: number,
): Promise<Caller | undefined> {
  const status = await askedReview(host, {
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    verdict: 'authenticated',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
  const caller = callerOfReview(status)
  return caller && { ...caller, ...credentialOf(token, caller, now) }
}

/** Reads `status` of a TokenReview; whatever is not clearly a yes is a no. */
function callerOfReview(status: unknown): Caller | undefined {
  if (member(status, 'authenticated') !== true) return undefined
  const user = member(status, 'user')
  const username = member(user, 'username')
  if (typeof username !== 'string' || username === '') return undefined
  const uid = member(user, 'uid')
  const extra = member(user, 'extra')
  return {
    user: username,
    ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
    groups: withAuthenticated(strings(member(user, 'groups'))),
    extra: Object.fromEntries(
      Object.entries(typeof extra === 'object' && extra !== null ? extra : {}).map(([key, values]) => [
        key,
        strings(values),
      ]),
    ),
  }
}

/** Where Kubernetes (1.32 and later) says which token of a service account it was: `JTI=<uuid>`. */
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id'

/**
 * What a token says of itself that the host has accepted, which makes it genuine; the host names its own. An expiry in the past is none of
 * the host's.
 */
function credentialOf(
  token: string,
  { extra }: Caller,
  now: number,
): { readonly credential?: CallerCredential } {
  const { jti, exp } = claimsOf(token)
  const id = extra[CREDENTIAL_ID]?.[0] || (typeof jti === 'string' ? jti : '')
  const expiresAt = typeof exp === 'number' && exp * 1_000 > now ? exp * 1_000 : undefined
  if (id === '' && expiresAt === undefined) return {}
  return { credential: { ...(id && { id }), ...(expiresAt !== undefined && { expiresAt }) } }
}

function claimsOf(token: string): { readonly jti?: unknown; readonly exp?: unknown } {
  try {
    return decodeJwt(token)
  } catch {
    // No JWT, which is no failure: the host has accepted it.
    return {}
  }
}

const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
