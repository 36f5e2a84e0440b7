import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { ConnectIssuer } from '../../../ports/issuer-documents.js'
import type { Log } from '../../../ports/log.js'
import type { Meter } from '../../../ports/meter.js'
import { unavailable } from '../../errors/failure.js'
import type { Caller } from '../caller.js'
import { whyNotLockable } from '../lockable.js'
import type { IssuerConfiguration } from './configuration-schema.js'
import { RanTooLong, Stalled } from './expressions.js'
import { IssuerKeys, type KeysStatus, KeysUnavailable } from './issuer-keys.js'
import { type ClaimMapping, ClaimsRefused, claimMapping } from './mapping.js'

/** What issuers need of this process. */
export interface IssuerDependencies {
  readonly connect: ConnectIssuer
  /** How long the last known keys of an issuer count while it cannot be read, milliseconds. */
  readonly graceMs: number
  readonly log: Log
  readonly meter: Meter
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number
  /** Milliseconds since the epoch, by which tokens expire. */
  readonly wallClock: () => number
  readonly schedule: (work: () => void, ms: number) => () => void
}

/** Whose token it is, and for how long that is known; or why it is not accepted, in words for its holder. */
export type Checked =
  | { readonly caller: Caller; readonly validMs: number }
  | { readonly refused: string; readonly ranTooLong?: boolean }

/** kube-apiserver's list. Never `none`, and nothing symmetric: the public key would be the secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512']
/** How far an issuer's clock may be ahead of ours for `nbf`, seconds; kube-apiserver's OpenID library has the same. */
const CLOCK_TOLERANCE_S = 60

/** The latest time that there is in JavaScript, milliseconds since 1970: `exp` may be any number. */
const LATEST_MS = 8.64e15

/** What came of a token, for metrics. */
type Outcome = 'accepted' | 'signature' | 'expired' | 'audience' | 'claims' | 'keys_unavailable' | 'stalled'

/** One issuer of the configuration, from when it is configured until it is not. */
export class Issuer {
  readonly #keys: IssuerKeys
  readonly #map: ClaimMapping
  readonly #verify: JWTVerifyOptions
  #isOver = false

  constructor(
    readonly configuration: IssuerConfiguration,
    private readonly dependencies: IssuerDependencies,
  ) {
    const { issuer } = configuration
    this.#map = claimMapping(configuration)
    this.#keys = new IssuerKeys({
      ...dependencies,
      issuer,
      documents: dependencies.connect(issuer.certificateAuthority || undefined),
    })
    this.#verify = {
      algorithms: ALGORITHMS,
      issuer: issuer.url,
      audience: issuer.audiences,
      clockTolerance: CLOCK_TOLERANCE_S,
      requiredClaims: ['exp'],
    }
  }

  /** Whether it was taken out of the configuration, or changed there. Its tokens, and what is cached of them, count no longer. */
  get isOver(): boolean {
    return this.#isOver
  }

  status(): KeysStatus {
    return this.#keys.status()
  }

  end(): void {
    this.#isOver = true
    this.#keys.close()
  }

  /** Checks a token that names this issuer. @throws Failure UNAVAILABLE while its keys are not known */
  async check(token: string): Promise<Checked> {
    const { url } = this.configuration.issuer
    try {
      const claims = await this.#claimsOf(token)
      const expiresAt = Math.min((claims.exp as number) * 1_000, LATEST_MS)
      const id = typeof claims.jti === 'string' && claims.jti !== '' ? { id: claims.jti } : {}
      const caller = { ...this.#map(claims), credential: { ...id, expiresAt, issuer: url } }
      const why = whyNotLockable(caller)
      if (why !== undefined) throw new ClaimsRefused(why)
      this.#count('accepted')
      return { caller, validMs: expiresAt - this.dependencies.wallClock() }
    } catch (error) {
      if (error instanceof KeysUnavailable) {
        this.#count('keys_unavailable')
        throw unavailable(`the keys of the issuer ${url} cannot be read: ${error.message}`, {
          reason: 'IssuerUnavailable',
          cause: error,
        })
      }
      if (error instanceof Stalled) {
        this.#count('stalled')
        throw unavailable(error.message, { retryAfterSeconds: 1, cause: error })
      }
      const [outcome, why] = this.#explained(error)
      this.#count(outcome)
      this.dependencies.log.debug({ issuer: url, outcome, why }, 'a token is not accepted')
      const ranTooLong = error instanceof Error && error.cause instanceof RanTooLong
      return {
        refused: `the bearer token of the issuer ${url} is not accepted: ${why}`,
        ...(ranTooLong && { ranTooLong }),
      }
    }
  }

  async #claimsOf(token: string): Promise<JWTPayload> {
    const now = this.dependencies.wallClock()
    const options = { ...this.#verify, currentDate: new Date(now) }
    const claims = await jwtVerify(token, this.#keys.get, options).then(
      ({ payload }) => payload,
      error => verifiedWithOne(token, error, options),
    )
    // The tolerance is for clocks that are ahead; a token that has expired here is of no use.
    if ((claims.exp as number) * 1_000 <= now) throw new errors.JWTExpired('expired', claims, 'exp')
    return claims
  }

  /** What is told about the contents is told only of a token whose signature is right: its holder may know it. */
  #explained(error: unknown): readonly [Outcome, string] {
    if (error instanceof ClaimsRefused) return ['claims', error.message]
    if (error instanceof errors.JWTExpired) return ['expired', 'it has expired']
    if (error instanceof errors.JWTClaimValidationFailed) {
      if (error.claim === 'aud')
        return ['audience', `it must be for the audience ${this.configuration.issuer.audiences.join(' or ')}`]
      if (error.claim === 'nbf') return ['expired', 'it is not valid yet']
      return ['claims', `its claim ${error.claim} is missing or wrong`]
    }
    return ['signature', 'it is not signed with a key that the issuer publishes']
  }

  #count(outcome: Outcome): void {
    const { url: issuer } = this.configuration.issuer
    this.dependencies.meter.count('kairship_issuer_tokens_total', { issuer, outcome })
  }
}

/** A token that names no key is verified with each key that its algorithm fits. */
async function verifiedWithOne(
  token: string,
  error: unknown,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
  let last: unknown = error
  for await (const key of error) {
    try {
      return (await jwtVerify(token, key, options)).payload
    } catch (wrong) {
      // Signatures are verified before claims: this key was the right one.
      if (wrong instanceof errors.JWTExpired || wrong instanceof errors.JWTClaimValidationFailed) throw wrong
      last = wrong
    }
  }
  throw last
}
