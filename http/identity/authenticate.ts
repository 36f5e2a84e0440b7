import { hash } from 'node:crypto'
import type { KubeApi } from '../../ports/kube-api.js'
import { unauthenticated } from '../errors/failure.js'
import { type Answer, AnswerCache } from './answer-cache.js'
import type { Caller } from './caller.js'
import { withAuthenticated } from './groups.js'
import { ReviewQuota } from './review-quota.js'

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

/** The parts of a certificate's subject that Kubernetes reads: CN is the user, each O a group. */
export interface CertificateSubject {
  readonly CN?: string | string[]
  readonly O?: string | string[]
}

/** Authenticates requests. OIDC issuers join here later. */
export interface Authenticator {
  /**
   * At once where the answer is known.
   * @throws Failure UNAUTHENTICATED when the credentials are absent or wrong, RESOURCE_EXHAUSTED when their source sent
   *   many wrong ones, UNAVAILABLE when the host could not check them
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
/** How long the host may take to answer a review. */
const REVIEW_TIMEOUT_MS = 10_000

/** Bearer tokens by TokenReview on the host, client certificates by their subject. A certificate counts before a token. */
export function hostAuthenticator(options: {
  readonly host: KubeApi
  readonly now: () => number
}): Authenticator {
  const cache = new AnswerCache<Caller | undefined>({ capacity: CAPACITY, now: options.now })
  const quota = new ReviewQuota(options.now)
  return {
    authenticate({ authorization, certificate, crossSite, remote }) {
      if (certificate && !crossSite) return callerOfCertificate(certificate)
      if (certificate && !authorization) {
        throw unauthenticated(
          'a page of another site made this request: a client certificate does not count for it, send a token',
        )
      }
      const token = bearerToken(authorization)
      const key = hash('sha256', token, 'base64')
      const caller = cache.get(key, () =>
        quota.review({
          address: remote,
          key,
          work: () => reviewToken(options.host, token),
          isRefused: ({ refused }) => refused === true,
        }),
      )
      return caller instanceof Promise ? caller.then(accepted) : accepted(caller)
    },
  }
}

function accepted(caller: Caller | undefined): Caller {
  if (!caller) throw unauthenticated('the bearer token is not accepted: it is unknown or has expired')
  return caller
}

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
  const caller = callerOfSubject(subject)
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

async function reviewToken(host: KubeApi, token: string): Promise<Answer<Caller | undefined>> {
  const review = await host.request<unknown>({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
    timeoutMs: REVIEW_TIMEOUT_MS,
  })
  const caller = callerOfReview(review)
  return caller ? { value: caller, ttlMs: ACCEPTED_MS } : { value: caller, ttlMs: REFUSED_MS, refused: true }
}

/** Reads `status` of a TokenReview; whatever is not clearly a yes is a no. */
function callerOfReview(review: unknown): Caller | undefined {
  const status = member(review, 'status')
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

const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
