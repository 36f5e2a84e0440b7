import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ProxyExchange } from '../../../../http/proxy/exchange/exchange.js'
import { requestInfo } from '../../../../http/proxy/route/request-info.js'
import type { ExchangeTarget } from '../../../../http/proxy/target.js'
import type { RawSink, Sender } from '../../../../ports/kube-api.js'

const KIB = 1024
const EVENT = Buffer.from(`${'x'.repeat(2 * KIB - 1)}\n`)

/** A watch whose reader takes what is written when the test lets it, and the upstream's side of it. */
function watch() {
  const { sink, ...rest } = exchange('/api/v1/pods?watch=true')
  sink.head(200, 'OK', ['Content-Type', 'application/json'])
  return { sink, ...rest }
}

/** The same of any request, before the head of its answer. */
function exchange(path: string) {
  const left: { take?: (() => void) | undefined } = {}
  const written: string[] = []
  const reader = new Writable({
    write: (chunk, _encoding, taken) => {
      written.push(String(chunk))
      left.take = taken
    },
    writev: (chunks, taken) => {
      written.push(chunks.map(({ chunk }) => String(chunk)).join(''))
      left.take = taken
    },
  })
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  response.assignSocket(reader as Socket)
  // As a server's connection does.
  reader.on('drain', () => response.emit('drain'))
  const upstream = { resumed: 0, sink: undefined as RawSink | undefined }
  const behind: Sender = {
    send: (_, sink) => {
      upstream.sink = sink
      return { resume: () => upstream.resumed++, abort: () => undefined }
    },
  }
  const target: ExchangeTarget = {
    path,
    info: requestInfo('GET', path),
    caller: { user: 'a', groups: [], extra: {} },
    upstream: behind,
  }
  const passage = new ProxyExchange(request, response, target, () => 0)
  passage.over.catch(() => undefined)
  const { sink } = upstream
  if (!sink) throw new Error('nothing was sent')
  /** Lets the reader take everything that is there. */
  const taken = async () => {
    await setImmediate()
    for (let { take } = left; take; take = left.take) {
      left.take = undefined
      take()
      await setImmediate()
    }
  }
  return { sink, upstream, taken, response, written }
}

/** Sends events until the upstream is to pause. @returns how many bytes those were */
function untilHeldBack(sink: RawSink): number {
  let bytes = EVENT.length
  while (sink.data(EVENT)) bytes += EVENT.length
  return bytes
}

describe('a stream of small events', () => {
  it('is paused once for each quarter of a megabyte that its reader lags, not for each 16 KiB', async () => {
    const { sink, upstream, taken } = watch()
    for (const times of [1, 2, 3]) {
      const bytes = untilHeldBack(sink)
      expect(bytes).toBeGreaterThanOrEqual(250 * KIB)
      expect(bytes).toBeLessThanOrEqual(260 * KIB)
      expect(upstream.resumed).toBe(times - 1)
      await taken()
      expect(upstream.resumed).toBe(times)
    }
  })

  it('has one listener for a lagging reader, however many events it lags', () => {
    const { sink, response } = watch()
    untilHeldBack(sink)
    expect(response.listenerCount('drain')).toBe(1)
  })

  it('has no listener for a reader that keeps up', async () => {
    const { sink, taken, response } = watch()
    await taken()
    for (let events = 0; events < 50; events++) {
      expect(sink.data(EVENT)).toBe(true)
      await taken()
    }
    expect(response.listenerCount('drain')).toBe(0)
  })
})

describe('an answer that says its length', () => {
  const NAMED = '/api/v1/namespaces/default/configmaps/two'
  const answered = (length: string, ...bodies: readonly string[]) => {
    const { sink, written, response, taken } = exchange(NAMED)
    sink.head(200, 'OK', ['Content-Length', length, 'Content-Type', 'application/json'])
    for (const body of bodies) sink.data(Buffer.from(body))
    return { sink, written, response, taken }
  }

  it('is written with its end at once where it comes whole', async () => {
    const { sink, written, response } = answered('3', 'abc')
    expect(written).toEqual([])
    sink.end()
    await setImmediate()
    expect(written).toEqual([expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nabc$/)])
    expect(response.writableEnded).toBe(true)
  })

  it.each([
    ['in parts', '3', ['a', 'bc']],
    ['with more than it said', '2', ['abc']],
    ['with a length that is none', 'x', ['abc']],
  ] as const)('is written as it comes where it comes %s', async (_, length, bodies) => {
    const { written, taken } = answered(length, ...bodies)
    await taken()
    await taken()
    expect(written.join('')).toMatch(/abc$/)
  })

  it('is not written whole where it fails before its end', async () => {
    const { sink, written } = answered('3', 'abc')
    sink.failed(new Error('reset'))
    await setImmediate()
    expect(written.join('')).not.toMatch(/abc$/)
  })
})
