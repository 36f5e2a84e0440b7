import { request } from 'undici'
import { programPath } from './build.js'
import { freePort } from './ports.js'
import type { Site } from './site.js'

/** Starts the one etcd that serves every API server, each under a prefix of its own, and returns its URL. */
export async function startEtcd(site: Site): Promise<string> {
  const client = `http://127.0.0.1:${await freePort()}`
  const peer = `http://127.0.0.1:${await freePort()}`
  await site.run({
    name: 'etcd',
    command: programPath('etcd'),
    args: [
      '--name=real',
      `--data-dir=${site.folder}/etcd`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=real=${peer}`,
      // The data dies with the stack, so waiting for the disk buys nothing.
      '--unsafe-no-fsync',
      '--quota-backend-bytes=2147483648',
      '--log-level=warn',
    ],
    isReady: async () => {
      try {
        const response = await request(`${client}/readyz`)
        await response.body.dump()
        return response.statusCode === 200
      } catch {
        // Not listening yet; the engine's own deadline decides.
        return false
      }
    },
  })
  return client
}
