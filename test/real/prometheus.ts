import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { selfSigned } from '../../http/listener/serving-certificate.js'
import { freePort } from './ports.js'
import { serviceProgram } from './service-programs.js'
import type { Site } from './site.js'

/** A Prometheus with TLS and one user. */
export interface RunningPrometheus {
  readonly url: string
  /** PEM. */
  readonly certificateAuthority: string
  readonly username: string
  readonly password: string
}

const USER = { username: 'kairship', password: 'correct horse' } as const
/** bcrypt of the password with the fewest rounds. */
const HASH = '$2b$04$rGCYWOaHwTk2o1KXp2i2b.hqBSDhWBzq1jhzCyiViTWhEXKcilO32'

/** Debian's Prometheus on loopback with samples from OpenMetrics text; it scrapes nothing. */
export async function startPrometheus(site: Site, name: string, samples: string): Promise<RunningPrometheus> {
  const data = join(site.folder, name, 'data')
  mkdirSync(data, { recursive: true })
  const input = site.file(`${name}/samples.txt`, samples)
  execFileSync(serviceProgram('promtool'), ['tsdb', 'create-blocks-from', 'openmetrics', '-q', input, data], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const { certificate, key } = await selfSigned(['127.0.0.1', 'localhost'])
  const [cert, keyFile] = [site.file(`${name}/tls.crt`, certificate), site.file(`${name}/tls.key`, key)]
  const web = [
    'tls_server_config:',
    `  cert_file: ${cert}`,
    `  key_file: ${keyFile}`,
    'basic_auth_users:',
    `  ${USER.username}: ${HASH}`,
  ]
  const port = await freePort()
  const isReady = () =>
    new Promise<boolean>(resolve => {
      const path = '/-/ready'
      const auth = `${USER.username}:${USER.password}`
      request({ host: '127.0.0.1', port, path, auth, ca: certificate }, answer => {
        answer.resume()
        resolve(answer.statusCode === 200)
      })
        .on('error', () => resolve(false))
        .end()
    })
  await site.run({
    name,
    command: serviceProgram('prometheus'),
    args: [
      `--config.file=${site.file(`${name}/prometheus.yml`, 'global: {}\n')}`,
      `--web.config.file=${site.file(`${name}/web.yml`, `${web.join('\n')}\n`)}`,
      `--storage.tsdb.path=${data}`,
      '--storage.tsdb.retention.time=100y',
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    isReady,
  })
  return { url: `https://127.0.0.1:${port}`, certificateAuthority: certificate, ...USER }
}
