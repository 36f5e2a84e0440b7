import { randomBytes } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { Fleet } from '../../../ports/fleet.js'
import type { ServiceAccounts } from '../../../ports/service-accounts.js'
import { invalidFields, permissionDenied, unauthenticated } from '../../errors/failure.js'
import type { Caller } from '../caller.js'
import { checkOf } from '../credential.js'
import { ACCOUNT_IS_GONE, accountOf } from '../deleted-account.js'
import type { Issuers } from '../oidc/issuers.js'
import { ALGORITHM, type SigningKeys } from './signing-keys.js'

/** The `iss` of instance tokens. No issuer of a configuration can have it: those are URLs. */
export const INSTANCE_TOKEN_ISSUER = 'kairship.io/instance-tokens'
/**
 * How long a token may be valid, seconds. Until its end nobody is asked whether its user is still there, unless a lock says so; a
 * ServiceAccount's ends with the account where accounts are watched.
 */
export const SHORTEST_S = 60
export const LONGEST_S = 3_600
const DEFAULT_S = 3_600
/** An account that was made when a token of it was issued is seen by this replica's watch after so long, milliseconds. */
const SEEN_AFTER_MS = 60_000
/** What the authenticator reads; a caller of very many groups gets none. */
const LONGEST_TOKEN = 16_384

const claimsSchema = z.object({
  jti: z.string().min(1),
  exp: z.number(),
  iat: z.number(),
  sub: z.string().min(1),
  /** What of Kairship's own is in it. */
  kairship: z.object({
    instance: z.object({ name: z.string().min(1), uid: z.string() }),
    uid: z.string().optional(),
    groups: z.array(z.string()),
    extra: z.record(z.string(), z.array(z.string())),
    /** The configured issuer of the token that it was made by, as it was configured then. */
    origin: z.object({ issuer: z.string(), configuration: z.string() }).optional(),
    /** The id of the credential that it was requested with. */
    requestedWith: z.string().optional(),
  }),
})

/** A token that was issued. */
export interface IssuedToken {
  readonly token: string
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Whose token it is and for how long that is known; or why it is not accepted, in words for its holder. */
export type CheckedToken =
  | { readonly caller: Caller; readonly validMs: number; readonly issuer?: { readonly isOver: boolean } }
  | { readonly refused: string }

/** What instance tokens are made and checked with. */
export interface InstanceTokensOptions {
  readonly keys: SigningKeys
  readonly fleet: Pick<Fleet, 'get'>
  readonly issuers?: Pick<Issuers, 'configured'> | undefined
  readonly accounts?: Pick<ServiceAccounts, 'isThere'> | undefined
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
}

/**
 * Tokens that Kairship signs itself: for one instance, for the user who asks, for an hour at most. They say who the user is, and no
 * rights: what the user may do is decided for each request as for any other token.
 */
export class InstanceTokens {
  constructor(private readonly options: InstanceTokensOptions) {}

  /** Whether a token says that it is one of these. Nothing of it is verified yet. */
  isOne(token: string): boolean {
    try {
      return decodeJwt(token).iss === INSTANCE_TOKEN_ISSUER
    } catch {
      return false
    }
  }

  /**
   * Issues a token that ends no later than the credential which the caller has shown.
   * @throws Failure PERMISSION_DENIED for a caller who came with such a token, INVALID_ARGUMENT for a lifetime that is not allowed
   */
  async issue(
    caller: Caller,
    instance: { name: string; uid: string },
    seconds: number,
  ): Promise<IssuedToken> {
    const { user, uid, groups, extra, credential } = caller
    if (credential?.instance)
      throw permissionDenied('a token of an instance cannot be used to make another one')
    if (seconds !== 0 && (seconds < SHORTEST_S || seconds > LONGEST_S))
      throw invalidFields([
        {
          field: 'expirationSeconds',
          description: `is ${seconds}: it must be ${SHORTEST_S} to ${LONGEST_S} seconds, or 0 for ${DEFAULT_S}`,
        },
      ])
    const issuedAt = this.options.wallClock()
    const wanted = issuedAt + (seconds || DEFAULT_S) * 1_000
    const exp = Math.floor(Math.min(wanted, credential?.expiresAt ?? wanted) / 1_000)
    if (exp * 1_000 <= issuedAt) throw unauthenticated('the credential has expired')
    const origin =
      credential?.issuer === undefined ? undefined : this.options.issuers?.configured(credential.issuer)
    if (credential?.issuer !== undefined && (!origin || checkOf(caller)?.issuer?.isOver))
      throw unauthenticated('the issuer of the token is not configured any more')
    const { kid, key } = await this.options.keys.signing()
    const id = randomBytes(16).toString('hex')
    const token = await new SignJWT({
      kairship: {
        instance,
        ...(uid !== undefined && { uid }),
        groups,
        extra,
        ...(origin && { origin: { issuer: credential?.issuer, configuration: origin.fingerprint } }),
        ...(credential?.id !== undefined && { requestedWith: credential.id }),
      },
    })
      .setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' })
      .setIssuer(INSTANCE_TOKEN_ISSUER)
      .setAudience(audienceOf(instance.name))
      .setSubject(user)
      .setJti(id)
      .setIssuedAt(Math.floor(issuedAt / 1_000))
      .setExpirationTime(exp)
      .sign(key)
    if (token.length > LONGEST_TOKEN)
      throw permissionDenied('you are in too many groups for such a token: go on with your own')
    return { token, id, expiresAt: exp * 1_000 }
  }

  /** Checks a token that says it is one of these. @throws Failure where its key cannot be known now */
  async check(token: string): Promise<CheckedToken> {
    const now = this.options.wallClock()
    const key = await this.options.keys.verifying(kidOf(token))
    if (!key) return NOT_OURS
    let claims: z.infer<typeof claimsSchema>
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        issuer: INSTANCE_TOKEN_ISSUER,
        currentDate: new Date(now),
        requiredClaims: ['exp', 'aud'],
      })
      claims = claimsSchema.parse(payload)
      if (payload.aud !== audienceOf(claims.kairship.instance.name)) return NOT_OURS
    } catch (error) {
      return error instanceof errors.JWTExpired
        ? { refused: 'the token of the instance has expired' }
        : NOT_OURS
    }
    const { instance, uid, groups, extra, origin, requestedWith } = claims.kairship
    if (this.options.fleet.get(instance.name)?.instance.metadata.uid !== instance.uid)
      return { refused: `the instance ${instance.name} of the token is gone` }
    const issuer = origin && this.options.issuers?.configured(origin.issuer)
    if (origin && issuer?.fingerprint !== origin.configuration)
      return {
        refused: `the issuer ${origin.issuer}, by whose token this one was made, is not configured any more`,
      }
    const account = accountOf({ user: claims.sub, ...(uid !== undefined && { uid }) })
    // By what is there, and not by what was seen to go: this replica may have started after that.
    if (
      account &&
      now - claims.iat * 1_000 >= SEEN_AFTER_MS &&
      this.options.accounts?.isThere(account) === false
    )
      return { refused: ACCOUNT_IS_GONE }
    const expiresAt = claims.exp * 1_000
    return {
      caller: {
        user: claims.sub,
        ...(uid !== undefined && { uid }),
        groups,
        extra,
        credential: {
          id: claims.jti,
          expiresAt,
          instance: instance.name,
          ...(origin && { issuer: origin.issuer }),
          ...(requestedWith !== undefined && { requestedWith }),
        },
      },
      validMs: expiresAt - now,
      ...(issuer && { issuer: issuer.vouching }),
    }
  }
}

const NOT_OURS: CheckedToken = {
  refused: 'the token of the instance is not accepted: Kairship did not sign it',
}
const audienceOf = (instance: string): string => `kairship.io/instances/${instance}`

function kidOf(token: string): string {
  try {
    const { kid } = decodeProtectedHeader(token)
    return typeof kid === 'string' ? kid : ''
  } catch {
    return ''
  }
}
