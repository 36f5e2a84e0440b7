import type { KubeApi } from '../../ports/kube-api.js'
import type { ServiceAccounts } from '../../ports/service-accounts.js'
import { unauthenticated } from '../errors/failure.js'
import { type Answer, AnswerCache } from './answer-cache.js'
import type { Caller } from './caller.js'
import { type CertificateSubject, certificateCredential } from './certificate.js'
import { checkedBy } from './credential.js'
import { ACCOUNT_IS_GONE, isDeletedAccount } from './deleted-account.js'
import { type EndedTokens, tokenKey } from './ended-tokens.js'
import { withAuthenticated } from './groups.js'
import type { HostGrace } from './host-grace.js'
import type { HostReviews } from './host-reviews.js'
import type { InstanceTokens } from './instance-tokens/instance-tokens.js'
import { whyNotLockable } from './lockable.js'
import type { Issuers } from './oidc/issuers.js'
import { RAN_TOO_LONG, ReviewQuota } from './review-quota.js'
import { reviewToken } from './token-review.js'

/** What a request proves its caller by. */
export interface Credentials {
  /** The `Authorization` header as it came. */
  readonly authorization?: string | undefined
  /** Subject of the client certificate, given only where TLS verified it against the client CA. */
  readonly certificate?: CertificateSubject | undefined
  /** A page of another site made the request: its certificate proves nothing, since the browser added it by itself. */
  readonly crossSite?: boolean
  /** Address of the connection, by which unknown tokens are bounded. */
  readonly remote?: string | undefined
  /** Port of the caller's side of the connection, which with the address names it. */
  readonly port?: number | undefined
}

/** Authenticates requests. */
export interface Authenticator {
  /**
   * At once where the answer is known.
   * @throws Failure UNAUTHENTICATED when the credentials are absent or wrong, RESOURCE_EXHAUSTED when their source sent
   *   many wrong ones, UNAVAILABLE when the host could not check them, or the keys of their issuer are not known
   */
  authenticate(credentials: Credentials): Caller | Promise<Caller>
}

/** An accepted token is cached this long: Kubernetes' own default for delegated authentication. */
const ACCEPTED_MS = 10_000
/** A refused token stays refused this long without a request: short, since it may just have been issued. */
const REFUSED_MS = 1_000
/** How many accepted tokens are cached, by their SHA-256, and how many refused ones. */
const CAPACITY = 4_096
/** No token that a Kubernetes authenticator issues comes near this; longer ones are not worth a request. */
const LONGEST_TOKEN = 16_384
/** What the authenticator asks. */
export interface AuthenticatorOptions {
  readonly host: KubeApi
  /** What keeps callers from waiting for a host that answers no TokenReview; each waits for its own when absent. */
  readonly reviews?: Pick<HostReviews, 'ask'> | undefined
  /** The issuers whose tokens are verified here; none where none are configured. */
  readonly issuers?: Pick<Issuers, 'of'> | undefined
  /** Tokens that Kairship issues itself; none are accepted when absent. */
  readonly instanceTokens?: Pick<InstanceTokens, 'isOne' | 'check'> | undefined
  /** The ServiceAccounts of the host; of none is known that it was deleted when absent. */
  readonly accounts?: Pick<ServiceAccounts, 'wasDeleted'> | undefined
  /** Tokens that count no longer, whoever accepted them; none when absent. */
  readonly ended?: Pick<EndedTokens, 'why'> | undefined
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number
  /** How long an accepted token counts while the host does not answer. */
  readonly grace?: HostGrace | undefined
  /** Milliseconds since the epoch, by which tokens expire; `Date.now` when absent. */
  readonly wallClock?: () => number
}

/** Whose token it is and which issuer says so; or why it is not accepted. */
type Found =
  | { readonly caller: Caller; readonly issuer?: { readonly isOver: boolean } | undefined }
  | {
      readonly refused: string
      /** Looking at it held up the whole process, which its source is charged for. */
      readonly ranTooLong?: boolean
    }

/**
 * The one order in which callers are authenticated, on all wires: a client certificate that TLS verified counts first. A bearer token
 * that names a configured issuer is verified by it alone: the host must not accept what its rules refuse. Every other token is
 * reviewed by the host. An accepted token is cached for ten seconds, and not beyond its expiry or its issuer's configuration.
 */
export function authenticatorOf({
  host,
  reviews = { ask: work => work() },
  issuers,
  instanceTokens,
  accounts,
  ended,
  now,
  grace,
  wallClock = () => Date.now(),
}: AuthenticatorOptions): Authenticator {
  const cache = new AnswerCache<Found>({
    ...{ capacity: CAPACITY, now },
    ...(grace && { standingIn: () => grace.standingIn('token') }),
  })
  const quota = new ReviewQuota(now)
  const check = async (token: string, key: string): Promise<Answer<Found>> => {
    const ask = () => askAgain(token, key)
    if (instanceTokens?.isOne(token)) {
      const own = await instanceTokens.check(token)
      if ('refused' in own) return { value: own, ttlMs: REFUSED_MS, refused: true }
      const { issuer, validMs } = own
      const caller = checkedBy(own.caller, { key, ask, ...(issuer && { issuer }) })
      return { value: { caller, issuer }, ttlMs: Math.min(ACCEPTED_MS, validMs) }
    }
    const issuer = issuers?.of(token)
    if (!issuer) {
      const caller = await reviews.ask(() => reviewToken(host, token, wallClock()))
      if (!caller) return { value: UNKNOWN, ttlMs: REFUSED_MS, refused: true }
      const why = whyNotLockable(caller)
      if (why !== undefined)
        return {
          value: { refused: `the bearer token is not accepted: ${why}` },
          ttlMs: REFUSED_MS,
          refused: true,
        }
      // A token that says when it expires counts no longer, whoever is away.
      const { expiresAt = Number.POSITIVE_INFINITY } = caller.credential ?? {}
      const standInMs = Math.min(grace?.ms ?? 0, expiresAt - wallClock())
      return { value: { caller: checkedBy(caller, { key, ask }) }, ttlMs: ACCEPTED_MS, standInMs }
    }
    const checked = await issuer.check(token)
    if ('refused' in checked) return { value: checked, ttlMs: REFUSED_MS, refused: true }
    const caller = checkedBy(checked.caller, { key, ask, issuer })
    return { value: { caller, issuer }, ttlMs: Math.min(ACCEPTED_MS, checked.validMs) }
  }
  const stillThere = (caller: Caller): Caller => {
    if (isDeletedAccount(caller, accounts)) throw unauthenticated(ACCOUNT_IS_GONE)
    return caller
  }
  const judgeOf = (token: string): string =>
    instanceTokens?.isOne(token) ? 'Kairship' : (issuers?.of(token)?.configuration.issuer.url ?? 'the host')
  const askAgain = async (token: string, key: string): Promise<Caller> => {
    const found = await cache.renew(key, () => check(token, key))
    if ('refused' in found) throw unauthenticated(found.refused)
    if (found.issuer?.isOver) throw unauthenticated(ISSUER_IS_OVER)
    return stillThere(found.caller)
  }
  const find = (token: string, key: string, remote: string | undefined): Caller | Promise<Caller> => {
    const settle = (found: Found): Caller | Promise<Caller> => {
      if ('refused' in found) throw unauthenticated(found.refused)
      if (!found.issuer?.isOver) return stillThere(found.caller)
      // Its issuer is gone, or configured anew: then that decides.
      cache.forget(key)
      return find(token, key, remote)
    }
    const found = cache.get(key, () =>
      quota.review({
        address: remote,
        key,
        judge: judgeOf(token),
        work: () => check(token, key),
        chargeOf: ({ value }) => ('refused' in value ? (value.ranTooLong ? RAN_TOO_LONG : 1) : 0),
      }),
    )
    return found instanceof Promise ? found.then(settle) : settle(found)
  }
  return {
    authenticate({ authorization, certificate, crossSite, remote }) {
      if (certificate && !crossSite) return callerOfCertificate(certificate)
      if (certificate && !authorization) {
        throw unauthenticated(
          'a page of another site made this request: a client certificate does not count for it, send a token',
        )
      }
      const token = bearerToken(authorization)
      const key = tokenKey(token)
      const why = ended?.why(key)
      if (why !== undefined) throw unauthenticated(why)
      return find(token, key, remote)
    },
  }
}

const UNKNOWN: Found = { refused: 'the bearer token is not accepted: it is unknown or has expired' }

/** What is told the holder of a token whose issuer was taken out of the configuration, or changed there. */
export const ISSUER_IS_OVER = 'the issuer of the bearer token is not configured any more'

function bearerToken(authorization: string | undefined): string {
  if (!authorization) {
    throw unauthenticated(
      'no credentials: send `Authorization: Bearer <token>` or present a client certificate',
    )
  }
  const [, token] = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(authorization) ?? []
  if (!token || token.length > LONGEST_TOKEN) {
    throw unauthenticated('the Authorization header does not hold a bearer token')
  }
  return token
}

/** One connection has one certificate, and its caller is one object, by which what is derived from it is found again. */
function callerOfCertificate(subject: CertificateSubject): Caller {
  const known = certified.get(subject)
  if (known) return known
  const credential = certificateCredential(subject)
  const caller = { ...callerOfSubject(subject), ...(Object.keys(credential).length > 0 && { credential }) }
  const why = whyNotLockable(caller)
  if (why !== undefined) throw unauthenticated(`the client certificate is not accepted: ${why}`)
  checkedBy(caller, { key: credential.id ?? JSON.stringify(subject) })
  certified.set(subject, caller)
  return caller
}

const certified = new WeakMap<CertificateSubject, Caller>()

function callerOfSubject({ CN, O }: CertificateSubject): Caller {
  if (typeof CN !== 'string' || CN === '') {
    throw unauthenticated("the client certificate's subject must have exactly one CN: it names the user")
  }
  return { user: CN, groups: withAuthenticated(O === undefined ? [] : [O].flat()), extra: {} }
}
