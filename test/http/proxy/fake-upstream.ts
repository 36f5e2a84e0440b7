import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { stringify } from 'yaml'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { createAuthority } from '../../../playground/apiserver/access/certificates.js'
import type { KubeApi } from '../../../ports/kube-api.js'

/** A TLS server in an instance's place, that a test answers for, and the connection an actor would hold to it. */
export interface FakeUpstream {
  readonly api: KubeApi
  readonly requests: IncomingMessage[]
  answer: (request: IncomingMessage, response: ServerResponse) => void
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Sockets that were upgraded, in their order. */
  readonly tunnels: Duplex[]
  /** How many connections are open now. */
  connections(): Promise<number>
  close(): Promise<void>
}

/** @param options of its listener, besides its certificate */
export async function fakeUpstream(basePath = '', options: object = {}): Promise<FakeUpstream> {
  const authority = await createAuthority('instance')
  const { certificate, key } = await authority.issueServing()
  const upstream = new EventEmitter()
  const server = createServer(
    { cert: certificate, key, maxHeaderSize: 1 << 20, ...options },
    (request, response) => {
      fake.requests.push(request)
      upstream.emit('request')
      fake.answer(request, response)
    },
  )
  server.on('upgrade', (request, socket, head) => {
    fake.requests.push(request)
    fake.tunnels.push(socket)
    fake.upgrade(request, socket, head)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cluster = {
    server: `https://127.0.0.1:${port}${basePath}`,
    'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
  }
  const kubeconfig = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    clusters: [{ name: 'x', cluster }],
    users: [{ name: 'x', user: { token: 'own-token' } }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
  })
  const api = await kubeConnector().connect(kubeconfig)
  const fake: FakeUpstream = {
    api,
    requests: [],
    tunnels: [],
    answer: (_, response) => response.end('{}'),
    upgrade: (_, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    connections: () =>
      new Promise((resolve, reject) => server.getConnections((e, n) => (e ? reject(e) : resolve(n)))),
    async close() {
      await api.close()
      server.closeAllConnections()
      for (const tunnel of fake.tunnels) tunnel.destroy() // no connections of HTTP any more
      await new Promise(resolve => server.close(resolve))
    },
  }
  return fake
}
