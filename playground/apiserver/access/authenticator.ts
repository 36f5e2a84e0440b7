import type { TLSSocket } from 'node:tls'
import { unauthorized } from '../api-status.js'
import type { Cluster } from '../cluster.js'
import { type ApiRequest, header } from '../wire/exchange.js'
import { type AccountClaims, ISSUER } from './tokens.js'
import { ANONYMOUS, authenticated, type User } from './user.js'

/** A further way to recognize a bearer token, e.g. the tokens of an OIDC issuer. Undefined: not one of mine. */
export type TokenAuthenticator = (token: string) => Promise<User | undefined>

/** What a bearer token proved. */
export interface Authenticated {
  readonly user: User
  readonly audiences: readonly string[]
}

/** Finds out who a request is from: client certificate, then bearer token, else anonymous. */
export class Authenticator {
  constructor(
    private readonly cluster: Pick<Cluster, 'tokens' | 'collection'>,
    private readonly extra: readonly TokenAuthenticator[],
  ) {}

  /** @throws StatusError 401 for credentials that are presented but not valid */
  async authenticate(request: ApiRequest): Promise<User> {
    const fromCertificate = certificateUser(request)
    if (fromCertificate) return fromCertificate
    const authorization = header(request, 'authorization')
    const bearer = /^Bearer +(.+)$/i.exec(authorization.trim())?.[1]
    if (bearer === undefined) return ANONYMOUS
    const proven = await this.token(bearer.trim())
    if (!proven?.audiences.includes(ISSUER)) throw unauthorized()
    return proven.user
  }

  /** Who a token is for; undefined when it is unknown, expired, or bound to something that is gone. */
  async token(token: string): Promise<Authenticated | undefined> {
    const verified = await this.cluster.tokens.verify(token)
    if (verified) {
      if (verified.claims && !this.#stillHolds(verified.claims, token)) return undefined
      return { user: verified.user, audiences: verified.audiences }
    }
    for (const authenticator of this.extra) {
      const user = await authenticator(token)
      if (user) return { user, audiences: [ISSUER] }
    }
    return undefined
  }

  /** A token dies with its account, and with the object it is bound to. */
  #stillHolds({ namespace, account, bound, secret }: AccountClaims, token: string): boolean {
    const holder = this.cluster.collection('serviceaccounts').get(`${namespace}/${account.name}`)
    if (!holder || holder.uid !== account.uid || holder.isTerminating) return false
    if (secret !== undefined) {
      const kept = this.cluster.collection('secrets').get(`${namespace}/${secret}`)
      const data = kept?.object.data as Readonly<Record<string, string>> | undefined
      return data?.token !== undefined && Buffer.from(data.token, 'base64').toString('latin1') === token
    }
    if (!bound) return true
    const key = bound.kind === 'Node' ? bound.name : `${namespace}/${bound.name}`
    return this.cluster.collection(`${bound.kind.toLowerCase()}s`).get(key)?.uid === bound.uid
  }
}

/** Who presented the certificate of a connection. It cannot change, and decoding it costs more than most requests. */
const holders = new WeakMap<object, { readonly user: User | undefined }>()

/** CN is the user, O the groups: of a certificate that this cluster's CA signed for client use. */
function certificateUser({ raw }: ApiRequest): User | undefined {
  if (!raw) return undefined
  // The `socket` of an HTTP/2 request is a proxy of its own for each request; their connection is the session.
  const connection = 'stream' in raw ? raw.stream.session : raw.socket
  if (!connection) return undefined
  const known = holders.get(connection) ?? { user: holderOf(raw.socket as TLSSocket) }
  holders.set(connection, known)
  return known.user
}

function holderOf(socket: TLSSocket): User | undefined {
  if (!socket.authorized) return undefined
  const subject = socket.getPeerCertificate()?.subject as
    | { CN?: string | string[]; O?: string | string[] }
    | undefined
  const name = [subject?.CN ?? []].flat().at(-1)
  if (name === undefined || name === '') return undefined
  return authenticated(name, [subject?.O ?? []].flat())
}
