import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { watchBody } from '../../../http/listener/body-deadline.js'

describe('the deadline of a request body', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function receive(bytesPerSecond = 0) {
    const body = { complete: false, readableLength: 0, socket: { bytesRead: 10 } }
    const expired = vi.fn()
    const stop = watchBody(body, { idleMs: 1_000, bytesPerSecond }, expired)
    return { body, expired, stop }
  }

  it('expires once, when no bytes arrive for the idle time', () => {
    const { expired } = receive()
    vi.advanceTimersByTime(999)
    expect(expired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(10_000)
    expect(expired.mock.calls).toEqual([["nothing of the request's body was received for 1000 ms"]])
  })

  it('expires when bytes arrive below the least rate in two windows in a row, and not before', () => {
    const { body, expired } = receive(100)
    const receives = (bytes: number) => {
      body.socket.bytesRead += bytes
      vi.advanceTimersByTime(1_000)
    }
    for (const bytes of [99, 100, 99, 100, 1_000_000, 1]) receives(bytes)
    expect(expired).not.toHaveBeenCalled()
    receives(99)
    expect(expired.mock.calls).toEqual([
      ["less than 100 bytes a second of the request's body were received for 2000 ms"],
    ])
  })

  it('does not expire by its rate when the reader was slow in one of the windows', () => {
    const { body, expired } = receive(100)
    for (let window = 0; window < 10; window++) {
      body.socket.bytesRead += 1
      body.readableLength = window % 2
      vi.advanceTimersByTime(1_000)
    }
    expect(expired).not.toHaveBeenCalled()
  })

  it('does not expire while bytes arrive, however long the body takes, and expires when they stop', () => {
    const { body, expired } = receive()
    for (let piece = 0; piece < 1_000; piece++) {
      body.socket.bytesRead += 1
      vi.advanceTimersByTime(900)
    }
    expect(expired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(2_000)
    expect(expired).toHaveBeenCalledTimes(1)
  })

  it('does not expire while the body waits for a slow reader', () => {
    const { body, expired } = receive()
    body.readableLength = 65_536
    vi.advanceTimersByTime(100_000)
    expect(expired).not.toHaveBeenCalled()
    body.readableLength = 0
    vi.advanceTimersByTime(1_000)
    expect(expired).toHaveBeenCalledTimes(1)
  })

  it.each(['complete', 'stopped'] as const)('leaves no timer when the body is %s', how => {
    const { body, expired, stop } = receive()
    if (how === 'complete') body.complete = true
    else stop()
    vi.advanceTimersByTime(10_000)
    expect([expired.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0])
  })
})
