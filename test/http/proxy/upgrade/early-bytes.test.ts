import { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { EarlyBytes } from '../../../../http/proxy/upgrade/early-bytes.js'

const BOUND = 16 * 1024
const turn = () => new Promise(setImmediate)

/** A caller's socket after its upgrade request, whose bytes a test sends. */
function caller(head = '') {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
  const early = new EarlyBytes(socket, Buffer.from(head))
  const send = async (bytes: string | null) => {
    socket.push(bytes)
    await turn()
  }
  return { socket, early, send }
}
const text = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString()

describe('bytes that a caller sends before its upgrade is decided', () => {
  it('are returned in their order when it is accepted, after the bytes that came with the request', async () => {
    const { early, send } = caller('a')
    await send('b')
    await send('c')
    expect(text(early.take())).toBe('abc')
  })

  it('are read up to 16 KiB, and wait in the socket beyond that', async () => {
    const { socket, early, send } = caller()
    await send('x'.repeat(BOUND))
    expect(socket.isPaused()).toBe(false)
    await send('y')
    expect(socket.isPaused()).toBe(true)
    await send('z')
    expect([socket.readableLength, text(early.take()).length]).toEqual([1, BOUND + 1])
  })

  it('are counted with those that came with the request, and over all chunks', async () => {
    const { socket, send } = caller('x'.repeat(BOUND - 1))
    await send('y')
    expect(socket.isPaused()).toBe(false)
    await send('z')
    expect(socket.isPaused()).toBe(true)
  })

  it('are left to the next reader once it is accepted', async () => {
    const { socket, early, send } = caller()
    await send('early')
    const taken = early.take()
    await send('late')
    expect([text(taken), socket.isPaused()]).toEqual(['early', true])
    let read = ''
    socket.on('data', chunk => (read += String(chunk)))
    socket.resume()
    await turn()
    expect([read, text(taken)]).toEqual(['late', 'early'])
  })

  it('are dropped when it is refused, and so are those that follow, without a bound', async () => {
    const { socket, early, send } = caller('head')
    await send('x'.repeat(BOUND + 1))
    early.drop()
    await send('y'.repeat(2 * BOUND))
    await send('z'.repeat(2 * BOUND))
    expect([socket.isPaused(), socket.readableLength, text(early.take())]).toEqual([false, 0, ''])
  })
})

describe('a caller that ends its side', () => {
  it('has hung up before the decision', async () => {
    const { socket, send } = caller()
    await send(null)
    expect(socket.destroyed).toBe(true)
  })

  it.each(['take', 'drop'] as const)('has not hung up after it (%s)', async decide => {
    const { socket, early, send } = caller()
    socket.on('end', () => undefined)
    early[decide]()
    socket.resume()
    await send(null)
    expect([socket.readableEnded, socket.destroyed]).toEqual([true, false])
  })
})
