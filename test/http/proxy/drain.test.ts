import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { ProxyUnderTest, readAll } from './proxy-under-test.js'

const proxy = new ProxyUnderTest()

/** Opens watches whose upstream ends are the test's to write to, in order. */
async function watches(count: number, headers: Record<string, string> = {}) {
  const behind: ServerResponse[] = []
  proxy.upstream.answer = (_, response) => {
    response.writeHead(200, headers).flushHeaders()
    behind.push(response)
  }
  const readers: Promise<{ bytes: Buffer; complete: boolean }>[] = []
  const received = Array.from({ length: count }, () => 0)
  for (let index = 0; index < count; index++) {
    const { response } = await proxy.watch()
    response.on('data', (chunk: Buffer) => {
      received[index]! += chunk.length
    })
    readers.push(readAll(response))
  }
  /** Writes to each watch, and waits until its reader has it: the proxy then knows where in an event the watch is. */
  const write = async (...parts: (string | Buffer)[]) => {
    const lengths = parts.map((part, index) => received[index]! + Buffer.byteLength(part))
    for (const [index, part] of parts.entries()) behind[index]?.write(part)
    await waitFor(() => expect(received).toEqual(lengths))
  }
  return { behind, readers, write }
}

/** Closes, and waits until the closing has reached the proxy. */
async function closing(): Promise<Promise<void>> {
  const closed = proxy.api.running.close()
  await waitFor(async () => expect((await proxy.api.running.readiness()).ready).toBe(false))
  return closed
}

/** A protobuf event as a watch carries it. */
function frame(length: number): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(length)
  return Buffer.concat([head, Buffer.alloc(length, 10)])
}

describe('when the server stops', () => {
  it('every watch ends after a complete event, at its own time, without a lost event', async () => {
    const { behind, readers, write } = await watches(3)
    await write('{"n":1}\n', '{"n":1}\n{"n"', '{"n":1}\n{"n":')
    const closed = closing()
    await readers[0]
    behind[1]?.write(':')
    behind[1]?.write('2}\n{"n":3}\n{"n":4')
    behind[2]?.write('22}\n')
    const texts = (await Promise.all(readers)).map(({ bytes, complete }) => [String(bytes), complete])
    expect(texts).toEqual([
      ['{"n":1}\n', true],
      ['{"n":1}\n{"n":2}\n{"n":3}\n', true],
      ['{"n":1}\n{"n":22}\n', true],
    ])
    await closed
  })

  it('a watch of protobuf ends after a complete event', async () => {
    const type = 'application/vnd.kubernetes.protobuf;stream=watch'
    const { behind, readers, write } = await watches(1, { 'content-type': type })
    const [one, two] = [frame(300), frame(10)]
    await write(Buffer.concat([one, two.subarray(0, 3)]))
    const closed = closing()
    behind[0]?.write(Buffer.concat([two.subarray(3), one.subarray(0, 100)]))
    const { bytes, complete } = (await readers[0])!
    expect([bytes.equals(Buffer.concat([one, two])), complete]).toEqual([true, true])
    await closed
  })

  it('a compressed watch breaks, because it could end within an event', async () => {
    const { readers, write } = await watches(1, { 'content-encoding': 'gzip' })
    await write(gzipSync('{"n":1}\n').subarray(0, 12))
    const closed = closing()
    expect((await readers[0])?.complete).toBe(false)
    await closed
  })

  it('a watch without an answer from the instance is refused, and may be sent to another replica', async () => {
    let arrived = false
    proxy.upstream.answer = () => {
      arrived = true
    }
    const request = proxy.begin('/north/proxy/api/v1/pods?watch=true')
    request.end()
    const answered = once(request, 'response') as Promise<[IncomingMessage]>
    await waitFor(() => expect(arrived).toBe(true))
    const closed = closing()
    const [response] = await answered
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1'])
    response.resume()
    await closed
  })

  it('a short request completes', async () => {
    let answer = (): void => undefined
    proxy.upstream.answer = (_, response) => {
      answer = () => response.end('whole')
    }
    const asked = proxy.ask('/north/proxy/api')
    await waitFor(() => expect(proxy.upstream.requests).toHaveLength(1))
    const closed = closing()
    answer()
    expect(await asked).toMatchObject({ status: 200, text: 'whole' })
    await closed
  })

  it('an upgraded connection receives everything that was sent, and then an orderly end', async () => {
    let heard = ''
    let ended = false
    proxy.upstream.upgrade = (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
      socket.on('data', chunk => {
        heard += chunk
      })
      socket.on('end', () => {
        ended = true
        socket.end()
      })
    }
    const socket = await proxy.socket()
    const path = '/apis/kairship.io/v1alpha1/instances/north/proxy/api/v1/namespaces/a/pods/x/exec'
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`,
    )
    await once(socket, 'data')
    socket.write('last words')
    await waitFor(() => expect(heard).toBe('last words'))
    const clientEnded = once(socket, 'end')
    const closed = closing()
    await clientEnded
    await waitFor(() => expect(ended).toBe(true))
    await closed
  })
})
