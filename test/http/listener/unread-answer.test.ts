import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { endUnreadAnswer, watchAnswer } from '../../../http/listener/unread-answer.js'

describe('the deadline of an answer', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function send() {
    const answer = { writableLength: 100, socket: { bytesWritten: 10, writableLength: 5 } }
    const expired = vi.fn()
    const stop = watchAnswer(answer, 60_000, expired)
    return { answer, expired, stop }
  }

  it('expires once, when its reader reads nothing', () => {
    const { expired } = send()
    vi.advanceTimersByTime(60_000)
    expect(expired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(600_000)
    expect([expired.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0])
  })

  it('does not expire while its reader reads some of it, however long that takes', () => {
    const { answer, expired } = send()
    for (let piece = 0; piece < 1_000; piece++) {
      answer.socket.bytesWritten += 1
      vi.advanceTimersByTime(50_000)
    }
    expect(expired).not.toHaveBeenCalled()
  })

  it('does not expire while there is nothing to read', () => {
    const { answer, expired } = send()
    answer.writableLength = 0
    answer.socket.writableLength = 0
    vi.advanceTimersByTime(600_000)
    expect(expired).not.toHaveBeenCalled()
    answer.writableLength = 1
    vi.advanceTimersByTime(75_000)
    expect(expired).toHaveBeenCalledTimes(1)
  })

  it('leaves no timer when it is over', () => {
    const { stop, expired } = send()
    stop()
    vi.advanceTimersByTime(600_000)
    expect([expired.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0])
  })
})

describe('a reader that reads nothing', () => {
  it('is disconnected', async () => {
    const server = createServer((_, response) => {
      endUnreadAnswer(response, 200)
      // More than the system takes for a reader that takes nothing.
      response.end(Buffer.alloc(64 << 20))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
    socket.on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: kairship\r\n\r\n')
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
    await new Promise(resolve => response.once('close', resolve))
    const closed = new Promise(resolve => socket.once('close', resolve))
    socket.resume()
    await closed
    expect(socket.bytesRead).toBeLessThan(64 << 20)
    await new Promise(resolve => server.close(resolve))
  })
})
