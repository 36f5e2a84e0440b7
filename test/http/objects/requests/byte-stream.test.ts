import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { streamOf } from '../../../../http/objects/requests/byte-stream.js'
import type { RawRequest, RawSink, Sender } from '../../../../ports/kube-api.js'
import { waitFor } from '../../../patience.js'

const request = { method: 'GET', path: '/', headers: [], long: true, headTimeoutMs: 0 } as RawRequest

/** A stream of a sender that a test plays. */
function opening() {
  const call = new AbortController()
  let sink: RawSink | undefined
  const sent = {
    get sink() {
      if (!sink) throw new Error('nothing was sent')
      return sink
    },
    resume: vi.fn(),
    abort: vi.fn((reason: Error) => sink?.failed(reason)),
  }
  const upstream: Sender = {
    send(_, to) {
      sink = to
      return sent
    },
  }
  const listeners = () => getEventListeners(call.signal, 'abort').length
  const open = () => streamOf(upstream, request, call.signal)
  /** One whose head has arrived. */
  const begun = async () => {
    const opened = open()
    sent.sink.head(200, 'OK', ['a', 'b'])
    return opened
  }
  return { call, sent, open, begun, listeners, wasSent: () => sink !== undefined }
}

/** The chunks until the end, and what broke them. */
async function all(chunks: AsyncIterable<Buffer>) {
  const read: string[] = []
  try {
    for await (const chunk of chunks) read.push(chunk.toString())
  } catch (error) {
    read.push(`! ${(error as Error).message}`)
  }
  return read
}

describe('an answer that is read as it comes', () => {
  it('is not requested for a call that is over', async () => {
    const { call, open, wasSent } = opening()
    call.abort(new Error('the caller hung up'))
    await expect(open()).rejects.toThrow('the caller hung up')
    expect(wasSent()).toBe(false)
  })

  it('that breaks before its head is refused with what broke it, and leaves no listener', async () => {
    const { sent, open, listeners } = opening()
    const opened = open()
    expect(listeners()).toBe(1)
    sent.sink.failed(new Error('connection reset'))
    await expect(opened).rejects.toThrow('connection reset')
    expect(listeners()).toBe(0)
  })

  it('is ended by its call with the call’s reason, before its head and after', async () => {
    for (const isBegun of [false, true]) {
      const { call, sent, open, begun } = opening()
      const reason = new Error('the deadline passed')
      const opened = isBegun ? begun() : open()
      if (isBegun) await opened
      call.abort(reason)
      expect(sent.abort.mock.calls).toEqual([[reason]])
      if (isBegun) expect(await all((await opened).chunks)).toEqual(['! the deadline passed'])
      else await expect(opened).rejects.toBe(reason)
    }
  })

  it('is held back after each chunk until its reader has taken all that is here', async () => {
    const { sent, begun } = opening()
    const { chunks } = await begun()
    const reader = chunks[Symbol.asyncIterator]()
    expect(sent.sink.data(Buffer.from('a'))).toBe(false)
    expect(sent.sink.data(Buffer.from('b'))).toBe(false)
    expect(String((await reader.next()).value)).toBe('a')
    expect(String((await reader.next()).value)).toBe('b')
    expect(sent.resume).not.toHaveBeenCalled()
    // A sender may have the next one at once.
    sent.resume.mockImplementation(() => void sent.sink.data(Buffer.from('c')))
    expect(String((await reader.next()).value)).toBe('c')
    expect(sent.resume).toHaveBeenCalledTimes(1)
  })

  it.each([
    [undefined, ['a', 'b']],
    [new Error('it broke'), ['a', 'b', '! it broke']],
  ])('is read to its last chunk before its end, %s', async (error, read) => {
    const { sent, begun } = opening()
    const { chunks } = await begun()
    for (const chunk of ['a', 'b']) sent.sink.data(Buffer.from(chunk))
    if (error) sent.sink.failed(error)
    else sent.sink.end()
    expect(await all(chunks)).toEqual(read)
  })

  it.each([false, true])('wakes its reader when it ends, broken: %s', async isBroken => {
    const { sent, begun } = opening()
    const reading = all((await begun()).chunks)
    await waitFor(() => expect(sent.resume).toHaveBeenCalled())
    if (isBroken) sent.sink.failed(new Error('it broke'))
    else sent.sink.end()
    expect(await reading).toEqual(isBroken ? ['! it broke'] : [])
  })

  it('is ended when its reader leaves, once, and not where it has ended; no listener stays', async () => {
    const { sent, begun, listeners } = opening()
    const left = await begun()
    left.leave()
    left.leave()
    expect(sent.abort.mock.calls).toEqual([[new Error('the reader has left')]])
    expect(listeners()).toBe(0)
    const other = opening()
    const whole = await other.begun()
    other.sent.sink.end()
    whole.leave()
    expect(other.sent.abort).not.toHaveBeenCalled()
    expect(other.listeners()).toBe(0)
  })
})
