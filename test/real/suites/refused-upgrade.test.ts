import { once } from 'node:events'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import type { Api } from '../../../http/api-options.js'
import { startApi } from '../../../http/server.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { fakeFleet, viewOf } from '../../http/fakes/fleet.js'
import { fakeHost } from '../../http/fakes/host.js'
import { fakeLog } from '../../http/fakes/log.js'
import { unmetered } from '../../silent.js'
import { kubeconfigText } from '../api-client.js'

const PROXY = '/apis/kairship.io/v1alpha1/instances/north/proxy'
const WEBSOCKET = [
  ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
  ...['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Protocol: v5.channel.k8s.io'],
]
const SPDY = [
  ...['Connection: Upgrade', 'Upgrade: SPDY/3.1', 'X-Stream-Protocol-Version: v4.channel.k8s.io'],
  'Content-Length: 0',
]

/**
 * Kairship's own credential for the instance is a client certificate of `system:masters`: it belongs to the connection, so
 * whatever arrives over that connection without another identity is executed as the instance's administrator. kube-apiserver
 * keeps the connection of a refused upgrade open for the next request.
 */
describe('a caller without rights in an instance that authenticates Kairship by client certificate', () => {
  const { host } = inject('stack')
  const log = fakeLog()
  let api: KubeApi
  let running: Api

  beforeAll(async () => {
    expect(host.clientCertificate).toBeDefined()
    api = await kubeConnector().connect(kubeconfigText('north', host))
    const fleet = fakeFleet(viewOf('north'))
    fleet.connections.set('north', api)
    running = await startApi({
      connector: kubeConnector(),
      ...{
        fleet,
        log,
        auditSink: log.auditSink,
        meter: unmetered,
        listen: '127.0.0.1:0',
        grpcListen: '127.0.0.1:0',
      },
      host: fakeHost({ tokens: { dev: { user: 'dev' } }, allows: () => true }),
    })
  })
  afterAll(async () => {
    await running?.close()
    await api?.close()
  })

  /** Sends bytes on one connection, then more once something was answered, and gives all that came until it was closed. */
  async function say(first: string, then: string): Promise<string> {
    const { hostname, port } = new URL(running.url)
    const ca = running.certificateAuthority
    const socket = connect({ host: hostname, port: Number(port), ca, servername: 'localhost' })
    socket.on('error', () => undefined)
    const closed = once(socket, 'close')
    let text = ''
    socket.on('data', chunk => (text += String(chunk)))
    socket.once('data', () => socket.write(then))
    await once(socket, 'secureConnect')
    socket.write(first)
    await closed
    return text
  }

  const exec = (method: string, lines: readonly string[]) =>
    [
      `${method} ${PROXY}/api/v1/namespaces/default/pods/x/exec?command=ls HTTP/1.1`,
      ...['Host: kairship', 'Authorization: Bearer dev', ...lines, '\r\n'],
    ].join('\r\n')
  const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })
  const whoAmI = [
    'POST /apis/authentication.k8s.io/v1/selfsubjectreviews HTTP/1.1',
    ...['Host: instance', 'Content-Type: application/json', `Content-Length: ${review.length}`, '', review],
  ].join('\r\n')
  const secrets = 'GET /api/v1/namespaces/kube-system/secrets HTTP/1.1\r\nHost: instance\r\n\r\n'

  it('could read secrets with Kairship’s own credential', async () => {
    const kube = await api.request<{ kind: string }>({
      method: 'GET',
      path: '/api/v1/namespaces/kube-system/secrets',
    })
    expect(kube.kind).toBe('SecretList')
  })

  it.each([
    ['WebSocket', 'GET', WEBSOCKET],
    ['SPDY', 'POST', SPDY],
  ])(
    'gets one 403 for an exec over %s, and no answer to the bytes before and after it',
    async (_, method, lines) => {
      const text = await say(exec(method, lines) + secrets, whoAmI + secrets)
      expect(text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
      expect(text).toMatch(/User \\?"dev\\?" cannot (get|create) resource \\?"pods\/exec/)
      expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
      expect(text).not.toMatch(/system:masters|SecretList/)
      expect(log.audits().at(-1)).toMatchObject({ status: 403, outcome: 'denied', user: 'dev' })
    },
  )
})
