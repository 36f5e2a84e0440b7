import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import type { MaySend } from '../../../http/console/carried-answer.js'
import { type AnswerGet, acceptSockets, shareSocket } from '../../../http/console/shared-socket.js'
import { waitFor } from '../../patience.js'

/** What is to be done later, which a test does when it likes. */
interface Timer {
  readonly ms: number
  readonly then: () => void
  isStopped: boolean
}

const PING_MS = 30_000
const PATIENCE_MS = 60_000
const endings: (() => void)[] = []
/** Of an answer that nobody cuts. */
const delivery: Parameters<AnswerGet>[3] = { whenOver: () => undefined, cut: () => undefined }
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

/** A page's socket over a real connection, and its timers. */
async function sharing(
  answer: AnswerGet,
  options: ClientOptions = {},
  maySend: MaySend = async () => () => undefined,
) {
  const timers: Timer[] = []
  const later = (then: () => void, ms: number) => {
    const timer = { ms, then, isStopped: false }
    timers.push(timer)
    return () => {
      timer.isStopped = true
    }
  }
  const server = createServer()
  const accepted = new Promise<WebSocket>(resolve => {
    server.on('upgrade', (request, socket, head) =>
      acceptSockets().handleUpgrade(request, socket, head, resolve),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const page = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, options)
  endings.push(
    () => page.terminate(),
    () => server.close(),
  )
  const frames: unknown[] = []
  page.on('message', data => frames.push(JSON.parse(String(data))))
  const socket = await accepted
  const shared = shareSocket(socket, answer, later, maySend)
  const pending = (ms: number) => timers.filter(timer => timer.ms === ms && !timer.isStopped)
  const closed = once(page, 'close').then(([code]) => code as number)
  if (page.readyState !== page.OPEN) await once(page, 'open')
  return {
    ...{ page, socket, shared, frames, closed, pending },
    send: (frame: object) => page.send(JSON.stringify(frame)),
    /** The time of a timer comes. */
    fire(ms: number): void {
      const timer = pending(ms)[0]
      if (!timer) throw new Error(`nothing waits for ${ms} ms`)
      timer.isStopped = true
      timer.then()
    },
  }
}

const bodyOf = (...pieces: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start: controller => {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
const streaming = (body: ReadableStream<Uint8Array>) =>
  new Response(body, { headers: { 'content-type': 'text/event-stream' } })
const never = new AbortController().signal
const unanswered: AnswerGet = () => new Promise(() => undefined)
const nothing: AnswerGet = async () => new Response(null, { status: 204 })

describe('a page’s socket', () => {
  it('is kept open by pongs, each half minute', async () => {
    const { socket, page, pending, fire } = await sharing(nothing)
    for (let count = 0; count < 3; count += 1) {
      const alive = once(socket, 'pong')
      fire(PING_MS)
      await alive
    }
    expect([page.readyState, pending(PING_MS).length]).toEqual([page.OPEN, 1])
  })

  it('is cut off without a pong for half a minute', async () => {
    const { page, closed, fire } = await sharing(nothing, { autoPong: false })
    const asked = once(page, 'ping')
    fire(PING_MS)
    await asked
    expect(page.readyState).toBe(page.OPEN)
    fire(PING_MS)
    expect(await closed).toBe(1006)
  })

  it('leaves no timers when it is closed', async () => {
    const { page, socket, pending, fire } = await sharing(nothing)
    const alive = once(socket, 'pong')
    fire(PING_MS)
    await alive
    const gone = once(socket, 'close')
    page.close()
    await gone
    expect([pending(PING_MS), pending(PATIENCE_MS)]).toEqual([[], []])
  })

  it('is cut off when its page has taken nothing for a minute, and its streams end', async () => {
    let isCancelled = false
    const piece = new Uint8Array(1_000_000).fill(97)
    const body = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(piece),
      cancel: () => {
        isCancelled = true
      },
    })
    const signals: AbortSignal[] = []
    const { page, socket, send, pending, fire } = await sharing(async (_path, _headers, signal) => {
      signals.push(signal)
      return streaming(body)
    })
    page.pause()
    send({ open: 1, path: '/apis/pods' })
    await waitFor(() => expect(socket.bufferedAmount).toBeGreaterThan(0))
    const gone = once(socket, 'close')
    expect(pending(PATIENCE_MS)).toHaveLength(1)
    fire(PATIENCE_MS)
    await gone
    await waitFor(() => expect([isCancelled, signals[0]?.aborted]).toEqual([true, true]))
  })

  it('waits for no frame that was taken', async () => {
    const { frames, send, pending } = await sharing(nothing)
    send({ open: 1, path: '/apis/pods' })
    await waitFor(() => expect(frames).toContainEqual({ id: 1, end: true }))
    await waitFor(() => expect(pending(PATIENCE_MS)).toEqual([]))
  })

  it('sends a piece when it may, and reports when it was taken; a stream that is closed meanwhile ends', async () => {
    const turns: { bytes: number; go: () => void; isTaken: boolean }[] = []
    const { frames, send } = await sharing(
      async () => streaming(bodyOf(Buffer.from('one'), Buffer.from('three'))),
      {},
      (bytes, signal) =>
        new Promise((resolve, reject) => {
          const turn = {
            bytes,
            isTaken: false,
            go: () => resolve(() => void Object.assign(turn, { isTaken: true })),
          }
          turns.push(turn)
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    )
    send({ open: 1, path: '/apis/x' })
    await waitFor(() => expect(turns).toMatchObject([{ bytes: 3, isTaken: false }]))
    await waitFor(() => expect(frames).toEqual([{ id: 1, status: 200 }]))
    turns[0]?.go()
    await waitFor(() => expect(turns).toMatchObject([{ isTaken: true }, { bytes: 5 }]))
    await waitFor(() =>
      expect(frames).toEqual([
        { id: 1, status: 200 },
        { id: 1, text: 'one' },
      ]),
    )
    send({ close: 1 })
    await waitFor(() => expect(frames).toContainEqual({ id: 1, end: true }))
  })

  it('counts a piece as taken also where its page went before it took it', async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(new Uint8Array(1_000_000)),
    })
    let [untaken, begun] = [0, 0]
    const { page, socket, send } = await sharing(
      async () => streaming(endless),
      {},
      async bytes => {
        untaken += bytes
        begun += 1
        return () => {
          untaken -= bytes
        }
      },
    )
    page.pause()
    send({ open: 1, path: '/apis/x' })
    await waitFor(() => expect(socket.bufferedAmount).toBeGreaterThan(0))
    expect(untaken).toBe(1_000_000)
    page.terminate()
    await waitFor(() => expect(untaken).toBe(0))
    expect(begun).toBeGreaterThan(0)
  })

  it('is cut off where a stream that was given up cannot be ended', async () => {
    const { send, frames, closed } = await sharing(async () =>
      streaming(new ReadableStream({ cancel: () => Promise.reject(new Error('it goes on')) })),
    )
    send({ open: 1, path: '/apis/x' })
    await waitFor(() => expect(frames).toEqual([{ id: 1, status: 200 }]))
    send({ close: 1 })
    expect(await closed).toBe(1006)
  })

  it('is cut off when it sends a frame that is too large, though its page does not take the close', async () => {
    const { page, socket } = await sharing(nothing)
    const terminate = vi.spyOn(socket, 'terminate')
    const failed = new Promise(resolve => socket.once('error', resolve))
    page.send('x'.repeat(20_000))
    page.pause()
    await failed
    expect(terminate).toHaveBeenCalled()
  })

  it('carries a stream with the id of one that has ended', async () => {
    const { frames, send, socket } = await sharing(async (_path, _headers, signal) => {
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      return new Response(null, { status: 204 })
    })
    for (const ends of [1, 2]) {
      send({ open: 1, path: '/apis/pods' })
      send({ close: 1 })
      await waitFor(() => expect(frames).toEqual(Array(ends).fill({ id: 1, end: true })))
    }
    expect(socket.readyState).toBe(socket.OPEN)
  })

  it('carries characters that are cut in two', async () => {
    const text = 'Zoë 💚 ℵ'
    const bytes = Buffer.from(text)
    const pieces = Array.from(bytes, byte => Uint8Array.of(byte))
    const { frames, send } = await sharing(async () => streaming(bodyOf(...pieces)))
    send({ open: 1, path: '/apis/pods' })
    await waitFor(() => expect(frames).toContainEqual({ id: 1, end: true }))
    expect(frames.map(frame => (frame as { text?: string }).text ?? '').join('')).toBe(text)
  })

  it('ends a stream that was closed before its answer began', async () => {
    let isCancelled = false
    let begin: () => void = () => undefined
    const begun = new Promise<void>(resolve => {
      begin = resolve
    })
    const signals: AbortSignal[] = []
    const { frames, send } = await sharing(async (_path, _headers, signal) => {
      signals.push(signal)
      await begun
      return streaming(
        new ReadableStream({
          cancel: () => {
            isCancelled = true
          },
        }),
      )
    })
    send({ open: 1, path: '/apis/pods' })
    send({ close: 1 })
    await waitFor(() => expect(signals[0]?.aborted).toBe(true))
    begin()
    await waitFor(() => expect(frames).toContainEqual({ id: 1, end: true }))
    expect(isCancelled).toBe(true)
    expect(frames).toHaveLength(1)
  })

  it('ends its streams when its page closes, also those without an answer and those that send nothing', async () => {
    const signals: AbortSignal[] = []
    let isCancelled = false
    const silentBody = () =>
      streaming(
        new ReadableStream({
          cancel: () => {
            isCancelled = true
          },
        }),
      )
    const { page, frames, send } = await sharing((path, _headers, signal) => {
      signals.push(signal)
      return path.endsWith('unanswered') ? new Promise(() => undefined) : Promise.resolve(silentBody())
    })
    send({ open: 1, path: '/apis/unanswered' })
    send({ open: 2, path: '/apis/silent' })
    await waitFor(() => expect(frames).toEqual([{ id: 2, status: 200 }]))
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    page.terminate()
    await waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]))
    await waitFor(() => expect(isCancelled).toBe(true))
  })

  it('is closed with a code for reconnecting when an answer fails', async () => {
    const { send, closed } = await sharing(() => Promise.reject(new TypeError('a fault of ours')))
    send({ open: 1, path: '/apis/pods' })
    expect(await closed).toBe(1011)
  })

  it('refuses binary frames', async () => {
    const { page, closed } = await sharing(nothing)
    page.send(Buffer.from('{"open":1,"path":"/apis/pods"}'))
    expect(await closed).toBe(1008)
  })

  it('has room for another stream when one is closed but has not ended', async () => {
    const begun: string[] = []
    const { frames, send } = await sharing(async path => {
      begun.push(path)
      return path === '/apis/last'
        ? streaming(bodyOf(Buffer.from('hello')))
        : unanswered('', {}, never, delivery)
    })
    for (let id = 0; id < 64; id += 1) send({ open: id, path: '/apis/hanging' })
    for (let id = 0; id < 64; id += 1) send({ close: id })
    send({ open: 64, path: '/apis/last' })
    await waitFor(() => expect(frames).toContainEqual({ id: 64, text: 'hello' }))
    expect(begun).toHaveLength(65)
  })

  it('carries any number of streams one after the other, also closed ones', async () => {
    const { frames, send, socket } = await sharing(nothing)
    for (let round = 1; round <= 6; round += 1) {
      for (let n = 0; n < 60; n += 1) send({ open: round * 100 + n, path: '/apis/pods' })
      for (let n = 0; n < 30; n += 1) send({ close: round * 100 + n })
      await waitFor(() => expect(frames.filter(frame => 'end' in (frame as object))).toHaveLength(round * 60))
    }
    expect(socket.readyState).toBe(socket.OPEN)
  })

  it('is closed when its page closes more streams than end', async () => {
    let begun = 0
    const { send, closed } = await sharing(() => {
      begun += 1
      return unanswered('', {}, never, delivery)
    })
    for (let id = 0; id < 400; id += 1) {
      send({ open: id, path: '/apis/hanging' })
      send({ close: id })
    }
    expect(await closed).toBe(1008)
    expect(begun).toBe(256)
  })

  it('is closed when the id of a closed stream is used again before its end', async () => {
    const { send, closed } = await sharing(unanswered)
    send({ open: 1, path: '/apis/hanging' })
    send({ close: 1 })
    send({ open: 1, path: '/apis/hanging' })
    expect(await closed).toBe(1008)
  })

  /** A page that takes nothing, of which frames wait: the system holds no more of them. */
  async function blocked() {
    const endless = streaming(
      new ReadableStream({ pull: controller => controller.enqueue(new Uint8Array(1_000_000).fill(97)) }),
    )
    let begun = 0
    const sharedWith = await sharing(async path => {
      begun += 1
      return path === '/apis/endless' ? endless : new Response(null, { status: 204 })
    })
    const { page, socket, send } = sharedWith
    page.pause()
    send({ open: 0, path: '/apis/endless' })
    await waitFor(() => expect(socket.bufferedAmount).toBeGreaterThan(0))
    return { ...sharedWith, begun: () => begun }
  }

  it('is closed when its page takes nothing while it opens and closes many streams', async () => {
    const { socket, send, begun } = await blocked()
    let id = 0
    for (let round = 1; round <= 20; round += 1) {
      for (let n = 0; n < 20; n += 1) send({ open: id + n + 1, path: '/apis/pods' })
      for (let n = 0; n < 20; n += 1) send({ close: id + n + 1 })
      id += 20
      await waitFor(() => expect(begun() > id || socket.readyState !== socket.OPEN).toBe(true))
    }
    expect(socket.readyState).toBe(socket.CLOSING)
    expect(begun()).toBeLessThan(300)
  })

  it('answers pings, and keeps no pongs for a page that takes none', async () => {
    const { page } = await sharing(nothing)
    const answered = once(page, 'pong')
    page.ping('north')
    expect(String((await answered)[0])).toBe('north')
    const { page: deaf, socket } = await blocked()
    const before = socket.bufferedAmount
    const last = new Promise<void>(resolve => {
      socket.on('ping', data => String(data) === 'last' && resolve())
    })
    for (let count = 0; count < 1_000; count += 1) deaf.ping('again')
    deaf.ping('last')
    await last
    expect(socket.bufferedAmount).toBe(before)
  })

  it('ignores the close of an unknown stream', async () => {
    const { frames, send } = await sharing(nothing)
    send({ close: 7 })
    send({ open: 1, path: '/apis/pods' })
    await waitFor(() => expect(frames).toContainEqual({ id: 1, end: true }))
  })

  it('reports the end of an answer, and is cut off with one that is not taken', async () => {
    const over: string[] = []
    const ways: Parameters<AnswerGet>[3][] = []
    const { send, frames, closed } = await sharing(async (path, _headers, _signal, way) => {
      ways.push(way)
      way.whenOver(() => over.push(path))
      if (path === '/apis/hanging') setImmediate(() => way.cut())
      return path === '/apis/hanging' ? unanswered('', {}, never, way) : new Response(null, { status: 204 })
    })
    send({ open: 1, path: '/apis/short' })
    await waitFor(() => expect(frames).toContainEqual({ id: 1, end: true }))
    await waitFor(() => expect(over).toEqual(['/apis/short']))
    // As a lock does that comes after it.
    ways[0]?.whenOver(() => over.push('at once'))
    expect(over).toEqual(['/apis/short', 'at once'])
    send({ open: 2, path: '/apis/hanging' })
    expect(await closed).toBe(1006)
  })

  it('starts no streams after it was closed, and ends its streams at once, also if its page does not answer', async () => {
    const signals: AbortSignal[] = []
    const { page, send, socket, closed } = await sharing((_path, _headers, signal) => {
      signals.push(signal)
      return unanswered('', {}, never, delivery)
    })
    send({ open: 1, path: '/apis/hanging' })
    await waitFor(() => expect(signals).toHaveLength(1))
    // Sent together, so that the page has not read the close when it sends the rest.
    page.send('{')
    for (let id = 2; id < 400; id += 1) send({ open: id, path: '/apis/hanging' })
    page.pause()
    await waitFor(() => expect(socket.readyState).toBe(socket.CLOSING))
    expect(signals[0]?.aborted).toBe(true)
    page.resume()
    expect(await closed).toBe(1008)
    expect(signals).toHaveLength(1)
  })

  it('ends its streams when it is closed with its session', async () => {
    const signals: AbortSignal[] = []
    const { page, shared, send } = await sharing((_path, _headers, signal) => {
      signals.push(signal)
      return unanswered('', {}, never, delivery)
    })
    send({ open: 1, path: '/apis/hanging' })
    await waitFor(() => expect(signals).toHaveLength(1))
    page.pause()
    shared.close(1008, 'the session is over')
    expect(signals[0]?.aborted).toBe(true)
    send({ open: 2, path: '/apis/hanging' })
    page.resume()
    await once(page, 'close')
    expect(signals).toHaveLength(1)
  })

  it('carries only streams: other answers would be held for a page that does not read', async () => {
    let isCancelled = false
    const large = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(new Uint8Array(1_000_000)),
      cancel: () => {
        isCancelled = true
      },
    })
    const json = { headers: { 'content-type': 'application/json' } }
    const { frames, send, closed } = await sharing(async () => new Response(large, json))
    send({ open: 1, path: '/apis/list' })
    expect(await closed).toBe(1008)
    expect([frames, isCancelled]).toEqual([[], true])
  })
})
