import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { ProxyUnderTest, readAll, root } from './proxy-under-test.js'

const proxy = new ProxyUnderTest()

/** As an actor does when its instance is deleted: the connection is closed, and nobody knows the instance any more. */
async function forgotten(): Promise<void> {
  proxy.fleet.connections.delete('north')
  await proxy.upstream.api.close()
}

const nothingLeft = () => waitFor(async () => expect(await proxy.upstream.connections()).toBe(0))

describe('when the connection to a deleted instance is closed', () => {
  it('a watch ends after its last event, as an API server ends it; one within an event breaks', async () => {
    const behind: ServerResponse[] = []
    proxy.upstream.answer = (_, response) => {
      response.writeHead(200).flushHeaders()
      behind.push(response)
    }
    const watches = [await proxy.watch(), await proxy.watch(), await proxy.watch()]
    const readers = watches.map(({ response }) => readAll(response))
    const said = ['', '{"n":1}\n', '{"n":1}\n{"n":']
    const heard = watches.map(({ response }) => {
      let text = ''
      response.on('data', chunk => (text += chunk))
      return () => text
    })
    behind.forEach((response, index) => {
      response.write(said[index] ?? '')
    })
    await waitFor(() => expect(heard.map(text => text())).toEqual(said))
    await forgotten()
    const ends = (await Promise.all(readers)).map(({ bytes, complete }) => [String(bytes), complete])
    expect(ends).toEqual([
      ['', true],
      ['{"n":1}\n', true],
      ['{"n":1}\n{"n":', false],
    ])
    await nothingLeft()
  })

  it('a short answer in progress breaks, so that no client accepts half of it', async () => {
    proxy.upstream.answer = (_, response) => void response.writeHead(200).write('{"items":[]}\n')
    const { response } = await proxy.watch('/north/proxy/api/v1/pods')
    const reader = readAll(response)
    await once(response, 'data')
    await forgotten()
    expect((await reader).complete).toBe(false)
    await nothingLeft()
  })

  it('an upgraded connection ends on both sides', async () => {
    proxy.upstream.upgrade = (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
      socket.on('error', () => undefined)
      socket.resume()
    }
    const socket = await proxy.socket()
    const path = `${root}/north/proxy/api/v1/namespaces/a/pods/x/exec`
    const headers = 'Host: x\r\nAuthorization: Bearer admin\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1'
    socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`)
    await once(socket, 'data')
    const closed = once(socket, 'close')
    await forgotten()
    await closed
    await nothingLeft()
  })
})
