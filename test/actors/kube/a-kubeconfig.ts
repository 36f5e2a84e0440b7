import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

/** What is said of a server and of a user, where it matters. */
export interface Parts {
  server?: string
  cluster?: object
  user?: object
}

/** A kubeconfig of one server, one user and one context, as text. */
export const kubeconfig = ({
  server = 'https://127.0.0.1:6443',
  cluster = {},
  user = {},
}: Parts = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
  })

export const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** A folder of its own for each test. */
export function ownFolder(): { readonly path: string } {
  const folder = { path: '' }
  beforeEach(async () => {
    folder.path = await mkdtemp(join(tmpdir(), 'kairship-kubeconfig-'))
  })
  afterEach(() => rm(folder.path, { recursive: true }))
  return folder
}
