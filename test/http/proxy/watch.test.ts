import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { deferred } from '../fakes/deferred.js'
import { ProxyUnderTest } from './proxy-under-test.js'

const proxy = new ProxyUnderTest()

describe('a watch through the proxy', () => {
  it('has response headers before the first event, and forwards each event at once', async () => {
    const server = deferred<{ write(text: string): void }>()
    proxy.upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
      server.resolve(response)
    }
    const { request, response } = await proxy.watch()
    const { write } = { write: (text: string) => void server.promise.then(s => s.write(text)) }
    write('{"type":"ADDED"}\n')
    expect(String((await once(response, 'data'))[0])).toBe('{"type":"ADDED"}\n')
    write('{"type":"DELETED"}\n')
    expect(String((await once(response, 'data'))[0])).toBe('{"type":"DELETED"}\n')
    request.destroy()
  })

  it('ends upstream when its reader disconnects', async () => {
    const closed = deferred<void>()
    proxy.upstream.answer = (_, response) => {
      response.writeHead(200).flushHeaders()
      response.on('close', () => closed.resolve(undefined))
    }
    const { request } = await proxy.watch()
    request.destroy()
    await closed.promise
    await waitFor(async () => expect(await proxy.upstream.connections()).toBe(0))
  })

  it('pauses the server when it is not read, instead of filling memory', async () => {
    const line = `${'x'.repeat(64 * 1024)}\n`
    let written = 0
    let blocked = false
    proxy.upstream.answer = async (_, response) => {
      response.writeHead(200)
      while (!blocked && written < 200 * 1024 * 1024) {
        written += line.length
        if (!response.write(line)) {
          const drained = await Promise.race([
            once(response, 'drain').then(() => true),
            new Promise(resolve => setTimeout(resolve, 300, false)),
          ])
          blocked = !drained
        }
      }
    }
    const { request, response } = await proxy.watch()
    response.pause()
    await waitFor(() => expect(blocked).toBe(true))
    // What sockets of four parties hold; without backpressure it would have been all 200 MiB.
    expect(written).toBeLessThan(64 * 1024 * 1024)
    request.destroy()
  })

  it('ends after a complete line when the server stops', async () => {
    const server = deferred<{ write(text: string): void }>()
    proxy.upstream.answer = (_, response) => {
      response.writeHead(200)
      response.write('{"n":1}\n{"n":')
      server.resolve(response)
    }
    const { response } = await proxy.watch()
    const text = deferred<string>()
    let received = ''
    response.on('data', chunk => {
      received += chunk
    })
    response.on('end', () => text.resolve(received))
    await waitFor(() => expect(received).toBe('{"n":1}\n{"n":'))
    const closing = proxy.api.running.close()
    const { write } = { write: (part: string) => void server.promise.then(s => s.write(part)) }
    await waitFor(async () => expect((await proxy.api.running.readiness()).ready).toBe(false))
    write('2}\n{"n":3')
    expect(await text.promise).toBe('{"n":1}\n{"n":2}\n')
    await closing
  })
})
