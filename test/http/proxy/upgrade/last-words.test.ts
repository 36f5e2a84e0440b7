import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { waitFor } from '../../../patience.js'
import { ProxyUnderTest, root } from '../proxy-under-test.js'

const proxy = new ProxyUnderTest()
const kubelet = new WebSocketServer({ noServer: true, clientTracking: false })
const clients: WebSocket[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.terminate()
})

/** A client of a container, as kubectl is one since 1.30, and what it received. */
async function open(subresource: string, protocol = 'v5.channel.k8s.io') {
  let behind: Duplex | undefined
  proxy.upstream.upgrade = (request, socket, head) => {
    behind = socket
    kubelet.handleUpgrade(request, socket, head, server => {
      server.on('error', () => undefined)
      server.send(Buffer.from('\u0001hello'))
    })
  }
  const { url, certificateAuthority } = proxy.api.running
  const client = new WebSocket(
    `${url.replace('https', 'wss')}${root}/north/proxy/api/v1/namespaces/a/pods/x/${subresource}`,
    [protocol],
    { ca: certificateAuthority, headers: { authorization: 'Bearer admin' } },
  )
  clients.push(client)
  const received: string[] = []
  client.on('message', data => received.push(String(data)))
  client.on('error', () => undefined)
  const closed = once(client, 'close') as Promise<[number, Buffer]>
  await waitFor(() => expect(received).toEqual(['\u0001hello']))
  return { received, closed, behind: behind! }
}

/** The instance is deleted: its actor closes the connection that it held. */
const deleteInstance = async () => {
  proxy.fleet.delete('north')
  proxy.fleet.connections.delete('north')
  await proxy.upstream.api.close()
}

describe('an exec that ends because its instance is deleted', () => {
  it('ends with a Status on the error channel and a close frame with the reason', async () => {
    const { received, closed } = await open('exec')
    await deleteInstance()
    const [code, reason] = await closed
    expect([code, String(reason)]).toEqual([1001, expect.stringContaining('the instance was deleted')])
    expect(received).toHaveLength(2)
    expect(received[1]?.[0]).toBe('\u0003')
    expect(JSON.parse(received[1]!.slice(1))).toMatchObject({
      ...{ kind: 'Status', status: 'Failure', code: 503 },
      message: expect.stringContaining('the instance was deleted'),
    })
  })

  it.each([
    ['portforward', 'v4.channel.k8s.io'],
    ['exec', 'base64.channel.k8s.io'],
  ])(
    'ends with a close frame only, where no error channel exists: %s over %s',
    async (subresource, protocol) => {
      const { received, closed } = await open(subresource, protocol)
      await deleteInstance()
      expect((await closed)[0]).toBe(1001)
      expect(received).toHaveLength(1)
    },
  )
})

it('an exec that ends because the server stops reports the reason', async () => {
  const { received, closed } = await open('exec')
  const stopped = proxy.api.running.close()
  expect((await closed)[0]).toBe(1001)
  expect(received[1]).toContain('shutting down')
  await stopped
})
