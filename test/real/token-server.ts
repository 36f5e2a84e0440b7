import { createServer } from 'node:https'
import { calculateJwkThumbprint, exportJWK, importPKCS8, importX509, SignJWT } from 'jose'
import type { ServingCertificate } from '../../http/listener/serving-certificate.js'
import { USER } from './docker-registry.js'

/** A token server of the distribution project's token spec, which a real registry trusts. */
export interface TokenServer {
  readonly url: string
  /** What was asked for, oldest first: the scopes, and the Authorization header. */
  readonly received: readonly { readonly scope: string; readonly authorization: string | undefined }[]
  /** A header that lets push to a repository. */
  pushTo(repository: string): Promise<string>
  close(): Promise<void>
}

const SERVICE = 'registry'
const ISSUER = 'tokens'

/** @param tls also of the tokens: the registry trusts what its key has signed */
export async function startTokenServer(tls: ServingCertificate, port: number): Promise<TokenServer> {
  const key = await importPKCS8(tls.key, 'ES256')
  const publicKey = await exportJWK(await importX509(tls.certificate, 'ES256', { extractable: true }))
  const kid = await calculateJwkThumbprint(publicKey)
  const x5c = [tls.certificate.replace(/-----[^-]+-----|\s/g, '')]
  const received: { scope: string; authorization: string | undefined }[] = []
  const issue = (access: readonly object[]) =>
    new SignJWT({ access })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid, x5c })
      .setIssuer(ISSUER)
      .setSubject(USER.username)
      .setAudience(SERVICE)
      .setIssuedAt()
      .setNotBefore('-1m')
      .setExpirationTime('5m')
      .setJti(String(Math.random()))
      .sign(key)
  const proof = `Basic ${Buffer.from(`${USER.username}:${USER.password}`).toString('base64')}`
  const server = createServer({ cert: tls.certificate, key: tls.key }, async (request, response) => {
    const url = new URL(request.url ?? '', 'https://tokens')
    const scope = url.searchParams.get('scope') ?? ''
    const { authorization } = request.headers
    received.push({ scope, authorization })
    if (url.pathname !== '/token' || authorization !== proof) return response.writeHead(401).end()
    const [type = '', name = '', actions = ''] = /^([^:]+):(.+):([^:]+)$/.exec(scope)?.slice(1) ?? []
    const token = await issue(type === '' ? [] : [{ type, name, actions: actions.split(',') }])
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token }))
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${port}`,
    received,
    pushTo: async name => `Bearer ${await issue([{ type: 'repository', name, actions: ['pull', 'push'] }])}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** How a registry names such a server, in its own configuration. */
export const tokenAuth = (url: string, certificateFile: string): readonly string[] => [
  'auth:',
  '  token:',
  `    realm: ${url}/token`,
  `    service: ${SERVICE}`,
  `    issuer: ${ISSUER}`,
  `    rootcertbundle: ${certificateFile}`,
]
