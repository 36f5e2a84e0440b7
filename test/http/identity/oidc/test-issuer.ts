import { createServer } from 'node:https'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { createAuthority } from '../../../../playground/apiserver/access/certificates.js'

/** A key pair of an issuer. */
export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly published: JWK
}

/** Makes a key pair. */
export async function signingKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, published: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** An OpenID Connect issuer over TLS on 127.0.0.1: its discovery document, its keys, and tokens. */
export interface TestIssuer {
  readonly url: string
  /** PEM of what vouches for its certificate. */
  readonly certificateAuthority: string
  /** What it publishes; may be changed. */
  keys: JWK[]
  /** Answers before anything else does; undefined passes. */
  script: (
    path: string,
  ) => { status?: number; type?: string; body?: string; location?: string } | 'never' | undefined
  /** Paths of the requests it got, oldest first. */
  readonly requests: string[]
  /** A token for the audience `kairship`, valid for two hours, with other claims and header fields where they are given. */
  token(claims?: object, header?: object, key?: SigningKey): Promise<string>
  close(): Promise<void>
}

/** Starts an issuer whose first key is `key`. */
export async function startIssuer(key: SigningKey): Promise<TestIssuer> {
  const authority = await createAuthority('issuer')
  const { certificate, key: tlsKey } = authority.issueServing()
  const issuer: { -readonly [Field in keyof TestIssuer]: TestIssuer[Field] } = {
    url: '',
    certificateAuthority: authority.certificate,
    keys: [key.published],
    script: () => undefined,
    requests: [],
    async token(claims = {}, header = {}, by = key) {
      const now = Math.floor(Date.now() / 1_000)
      return new SignJWT({
        iss: issuer.url,
        aud: 'kairship',
        sub: 'ada',
        iat: now,
        exp: now + 7_200,
        ...claims,
      })
        .setProtectedHeader({ alg: by.alg, kid: by.kid, ...header })
        .sign(by.privateKey)
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  const server = createServer({ cert: certificate, key: tlsKey }, (request, response) => {
    const path = request.url ?? ''
    issuer.requests.push(path)
    const scripted = issuer.script(path)
    if (scripted === 'never') return
    if (scripted) {
      const { status = 200, type = 'application/json', body = '', location } = scripted
      response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body)
      return
    }
    const documents: Record<string, object> = {
      '/.well-known/openid-configuration': { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` },
      '/keys': { keys: issuer.keys },
    }
    const found = documents[path]
    response
      .writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(found ?? {}))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  issuer.url = `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return issuer
}
