import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { type ServingCertificate, selfSigned } from '../../http/listener/serving-certificate.js'
import { content, digestOf } from '../conformance/images/content.js'
import { freePort } from './ports.js'
import { serviceProgram } from './service-programs.js'
import type { Site } from './site.js'

/** A registry with TLS. */
export interface RunningRegistry {
  readonly url: string
  /** PEM. */
  readonly certificateAuthority: string
}

/** Lines of YAML that say how callers authenticate. */
export type RegistryAuth = readonly string[]

export const USER = { username: 'kairship', password: 'correct horse' } as const
/** bcrypt of the password with the fewest rounds. */
const HASH = '$2b$04$rGCYWOaHwTk2o1KXp2i2b.hqBSDhWBzq1jhzCyiViTWhEXKcilO32'

/** A name and a password with each request. */
export const basicAuth = (site: Site, name: string): RegistryAuth => [
  'auth:',
  '  htpasswd:',
  '    realm: registry',
  `    path: ${site.file(`${name}/htpasswd`, `${USER.username}:${HASH}\n`)}`,
]

/** Debian's docker-registry on loopback, empty. @param tls its certificate; a new one where it is absent */
export async function startRegistry(
  site: Site,
  name: string,
  auth: RegistryAuth,
  tls?: ServingCertificate,
): Promise<RunningRegistry> {
  const data = join(site.folder, name, 'data')
  mkdirSync(data, { recursive: true })
  const { certificate, key } = tls ?? (await selfSigned(['127.0.0.1', 'localhost']))
  const port = await freePort()
  const config = [
    'version: 0.1',
    'log: { level: warn }',
    `storage: { filesystem: { rootdirectory: ${data} } }`,
    'http:',
    `  addr: 127.0.0.1:${port}`,
    '  tls:',
    `    certificate: ${site.file(`${name}/tls.crt`, certificate)}`,
    `    key: ${site.file(`${name}/tls.key`, key)}`,
    ...auth,
  ]
  const url = `https://127.0.0.1:${port}`
  const dispatcher = new Agent({ connect: { ca: certificate } })
  await site.run({
    name,
    command: serviceProgram('docker-registry'),
    args: ['serve', site.file(`${name}/config.yml`, `${config.join('\n')}\n`)],
    isReady: () =>
      request(`${url}/v2/`, { dispatcher }).then(
        async ({ statusCode, body }) => {
          await body.dump()
          return statusCode === 200 || statusCode === 401
        },
        () => false,
      ),
  })
  await dispatcher.close()
  return { url, certificateAuthority: certificate }
}

/**
 * Pushes the content of tests.
 * @param authorizationFor the header for pushing to a repository
 */
export async function push(
  { url, certificateAuthority }: RunningRegistry,
  authorizationFor: (repository: string) => Promise<string>,
): Promise<void> {
  const dispatcher = new Agent({ connect: { ca: certificateAuthority } })
  for (const { repository, tags, type, body, blobs } of content) {
    const authorization = await authorizationFor(repository)
    const send = async (method: 'POST' | 'PUT', to: string, bytes?: Buffer, contentType?: string) => {
      const answer = await request(new URL(to, url), {
        dispatcher,
        method,
        headers: { authorization, ...(contentType && { 'content-type': contentType }) },
        body: bytes ?? null,
      })
      const text = await answer.body.text()
      if (answer.statusCode >= 300) throw new Error(`${method} ${to} answered ${answer.statusCode}: ${text}`)
      return String(answer.headers.location)
    }
    for (const blob of blobs) {
      const upload = new URL(await send('POST', `/v2/${repository}/blobs/uploads/`), url)
      upload.searchParams.set('digest', digestOf(blob))
      await send('PUT', upload.href, blob, 'application/octet-stream')
    }
    for (const tag of tags) await send('PUT', `/v2/${repository}/manifests/${tag}`, body, type)
  }
  await dispatcher.close()
}
