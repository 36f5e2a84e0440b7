import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { remember } from '../../objects/bounded-memory.js'
import { authenticated, type User } from './user.js'

/** The issuer of this API server's tokens, as kube-apiserver's --service-account-issuer. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local'

/** An object a token is bound to, or the account it is for. */
export interface Bound {
  readonly kind: string
  readonly name: string
  readonly uid: string
}

/** What a service account's token says. */
export interface AccountClaims {
  readonly namespace: string
  readonly account: { readonly name: string; readonly uid: string }
  /** Present in tokens of TokenRequest that are bound to a Pod, Secret or Node. */
  readonly bound?: Bound
  /** Present in the never-expiring tokens of Secrets of type kubernetes.io/service-account-token. */
  readonly secret?: string
}

/** A token whose signature and times are right; whether what it names still exists is not checked here. */
export interface VerifiedToken {
  readonly user: User
  readonly audiences: readonly string[]
  readonly claims?: AccountClaims
}

const legacy = {
  issuer: 'kubernetes/serviceaccount',
  namespace: 'kubernetes.io/serviceaccount/namespace',
  name: 'kubernetes.io/serviceaccount/service-account.name',
  uid: 'kubernetes.io/serviceaccount/service-account.uid',
  secret: 'kubernetes.io/serviceaccount/secret.name',
}

/** A token whose signature was right; its validity is checked every time. */
interface Signed {
  readonly token: VerifiedToken
  /** Seconds since the epoch; absent: always. */
  readonly notBefore?: number
  readonly expires?: number
}

/** Tokens remembered as signed by this cluster; the one unused for longest is verified again. */
const MOST_SIGNED = 256

/** Signs and verifies one logical cluster's bearer tokens (ES256). The key is made when it is first needed. */
export class Tokens {
  #key: KeyObject | undefined
  #publicKey: KeyObject | undefined
  /** What a token says cannot change, and verifying its signature costs more than most requests. In order of use. */
  readonly #signed = new Map<string, Signed>()

  /** @param kept a PKCS#8 PEM from `exportKey`, to keep tokens valid across a restart */
  constructor(
    private readonly now: () => number,
    kept?: string,
  ) {
    this.#key = kept === undefined ? undefined : createPrivateKey(kept)
  }

  exportKey(): string {
    return this.#private.export({ format: 'pem', type: 'pkcs8' }) as string
  }

  /** A token for a user outside the cluster, such as an administrator of the playground. */
  async issueUser(user: Pick<User, 'name' | 'groups'>, seconds: number): Promise<string> {
    return this.#sign({ groups: [...user.groups], aud: [ISSUER] }, user.name, ISSUER, seconds)
  }

  /** A TokenRequest's token. */
  async issueAccount(claims: AccountClaims, audiences: readonly string[], seconds: number): Promise<string> {
    const { namespace, account, bound } = claims
    const kubernetes = {
      namespace,
      serviceaccount: account,
      ...(bound ? { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } } : {}),
    }
    const subject = `system:serviceaccount:${namespace}:${account.name}`
    const aud = audiences.length > 0 ? [...audiences] : [ISSUER]
    return this.#sign({ 'kubernetes.io': kubernetes, aud }, subject, ISSUER, seconds)
  }

  /** The token of a Secret of type kubernetes.io/service-account-token: it never expires. */
  async issueSecret({ namespace, account, secret }: Required<Omit<AccountClaims, 'bound'>>): Promise<string> {
    const payload = {
      [legacy.namespace]: namespace,
      [legacy.secret]: secret,
      [legacy.name]: account.name,
      [legacy.uid]: account.uid,
    }
    return this.#sign(payload, `system:serviceaccount:${namespace}:${account.name}`, legacy.issuer)
  }

  /** @returns undefined for a token this cluster did not sign, or one that has expired */
  async verify(token: string): Promise<VerifiedToken | undefined> {
    const known = this.#signed.get(token)
    if (known) {
      remember(this.#signed, token, known, MOST_SIGNED)
      return this.#holdsNow(known) ? known.token : undefined
    }
    const payload = await this.#payload(token)
    const read = payload && readToken(payload)
    if (!payload || !read) return undefined
    const signed = {
      token: read,
      ...(payload.nbf !== undefined && { notBefore: payload.nbf }),
      ...(payload.exp !== undefined && { expires: payload.exp }),
    }
    remember(this.#signed, token, signed, MOST_SIGNED)
    return read
  }

  #holdsNow({ notBefore, expires }: Signed): boolean {
    const now = Math.floor(this.now() / 1000)
    return (notBefore === undefined || notBefore <= now) && (expires === undefined || expires > now)
  }

  /** What a token of this cluster says now; undefined for any other, and before and after its time. */
  async #payload(token: string): Promise<JWTPayload | undefined> {
    if (!this.#key) return undefined
    this.#publicKey ??= createPublicKey(this.#key)
    try {
      const options = { algorithms: ['ES256'], currentDate: new Date(this.now()) }
      return (await jwtVerify(token, this.#publicKey, options)).payload
    } catch {
      // Whatever is wrong with it, the caller is not who the token says; jose's reasons help only an attacker.
      return undefined
    }
  }

  get #private(): KeyObject {
    this.#key ??= generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    return this.#key
  }

  #sign(payload: JWTPayload, subject: string, issuer: string, seconds?: number): Promise<string> {
    const now = Math.floor(this.now() / 1000)
    const jwt = new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256' })
      .setSubject(subject)
      .setIssuer(issuer)
    if (seconds !== undefined)
      jwt
        .setIssuedAt(now)
        .setNotBefore(now)
        .setExpirationTime(now + seconds)
    return jwt.sign(this.#private)
  }
}

/** Whom a payload names; undefined when it names no user. */
function readToken(payload: JWTPayload): VerifiedToken | undefined {
  const audiences = payload.aud === undefined ? [] : [payload.aud].flat()
  const claims = accountClaims(payload)
  if (claims)
    return { user: accountUser(claims), audiences: audiences.length > 0 ? audiences : [ISSUER], claims }
  if (payload.sub === undefined) return undefined
  const groups = Array.isArray(payload.groups) ? payload.groups.map(String) : []
  return { user: authenticated(payload.sub, groups), audiences }
}

function accountClaims(payload: JWTPayload): AccountClaims | undefined {
  if (payload.iss === legacy.issuer) {
    const [namespace, name, uid, secret] = [legacy.namespace, legacy.name, legacy.uid, legacy.secret].map(
      claim => String(payload[claim] ?? ''),
    ) as [string, string, string, string]
    return { namespace, account: { name, uid }, secret }
  }
  const kubernetes = payload['kubernetes.io'] as Record<string, unknown> | undefined
  if (!kubernetes) return undefined
  const account = kubernetes.serviceaccount as { name: string; uid: string }
  const kind = ['Pod', 'Secret', 'Node'].find(one => kubernetes[one.toLowerCase()] !== undefined)
  const bound = kind && (kubernetes[kind.toLowerCase()] as { name: string; uid: string })
  return {
    namespace: String(kubernetes.namespace),
    account,
    ...(bound ? { bound: { kind, name: bound.name, uid: bound.uid } } : {}),
  }
}

function accountUser({ namespace, account, bound }: AccountClaims): User {
  const extra: Record<string, readonly string[]> = {}
  if (bound?.kind === 'Pod') {
    extra['authentication.kubernetes.io/pod-name'] = [bound.name]
    extra['authentication.kubernetes.io/pod-uid'] = [bound.uid]
  }
  return authenticated(
    `system:serviceaccount:${namespace}:${account.name}`,
    ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    { uid: account.uid, extra },
  )
}
