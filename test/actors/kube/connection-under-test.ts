import type { ServerResponse } from 'node:http'
import { afterEach, vi } from 'vitest'
import { type ConnectionOptions, connectKube, type KubeConnection } from '../../../actors/kube/connection.js'
import type { Credential, Kubeconfig } from '../../../actors/kube/kubeconfig.js'
import type { WatchEvent } from '../../../ports/kube-api.js'
import { type Received, type ScriptedServer, scriptedServer } from './scripted-server.js'

/** A connection to a server that a test answers for. Both are closed after each test, and timers are real again. */
export class ConnectionUnderTest {
  server!: ScriptedServer
  api!: KubeConnection

  constructor() {
    afterEach(async () => {
      vi.useRealTimers()
      await this.api?.close()
      await this.server?.close()
    })
  }

  /** @param options.path of the API below the root of the server */
  async connect(
    answer: (request: Received, response: ServerResponse) => void,
    {
      credential = {},
      path = '',
      ...options
    }: ConnectionOptions & { credential?: Credential; path?: string } = {},
  ): Promise<void> {
    this.server = await scriptedServer(answer)
    const config: Kubeconfig = {
      server: this.server.url + path,
      context: 'test',
      namespace: 'default',
      tls: { insecure: false },
      credential,
    }
    this.api = await connectKube(config, options)
  }
}

/** The error of a promise, which is expected to be rejected. */
export const caught = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => Promise.reject(new Error('it was expected to fail')),
    error => error,
  )

/** All events of a watch, when it has ended. */
export async function events(watch: AsyncIterable<WatchEvent>): Promise<WatchEvent[]> {
  const seen: WatchEvent[] = []
  for await (const event of watch) seen.push(event)
  return seen
}
