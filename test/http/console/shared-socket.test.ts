import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type ClientOptions, WebSocket, WebSocketServer } from 'ws'
import { type AnswerGet, shareSocket } from '../../../http/console/shared-socket.js'
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
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

/** A page's socket over a real connection, and its timers. */
async function sharing(answer: AnswerGet, options: ClientOptions = {}) {
  const timers: Timer[] = []
  const later = (then: () => void, ms: number) => {
    const timer = { ms, then, isStopped: false }
    timers.push(timer)
    return () => {
      timer.isStopped = true
    }
  }
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const page = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, options)
  endings.push(
    () => page.terminate(),
    () => server.close(),
  )
  const frames: unknown[] = []
  page.on('message', data => frames.push(JSON.parse(String(data))))
  const [socket] = (await accepted) as [WebSocket]
  shareSocket(socket, answer, later)
  const pending = (ms: number) => timers.filter(timer => timer.ms === ms && !timer.isStopped)
  const closed = once(page, 'close').then(([code]) => code as number)
  if (page.readyState !== page.OPEN) await once(page, 'open')
  return {
    ...{ page, socket, frames, closed, pending },
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
const nothing: AnswerGet = async () => new Response(null, { status: 204 })

describe('a page’s socket', () => {
  it('is kept open by signs of life, each half minute', async () => {
    const { socket, page, pending, fire } = await sharing(nothing)
    for (let count = 0; count < 3; count += 1) {
      const alive = once(socket, 'pong')
      fire(PING_MS)
      await alive
    }
    expect([page.readyState, pending(PING_MS).length]).toEqual([page.OPEN, 1])
  })

  it('is cut off when it gives none for half a minute', async () => {
    const { page, closed, fire } = await sharing(nothing, { autoPong: false })
    const asked = once(page, 'ping')
    fire(PING_MS)
    await asked
    expect(page.readyState).toBe(page.OPEN)
    fire(PING_MS)
    expect(await closed).toBe(1006)
  })

  it('leaves nothing to be done when it is closed', async () => {
    const { page, socket, pending } = await sharing(nothing)
    const gone = once(socket, 'close')
    page.close()
    await gone
    expect([pending(PING_MS), pending(PATIENCE_MS)]).toEqual([[], []])
  })

  it('is cut off when its page has taken nothing for a minute, and what it read ends', async () => {
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
      return new Response(body)
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

  it('carries letters that were cut in two', async () => {
    const text = 'Zoë 💚 ℵ'
    const bytes = Buffer.from(text)
    const pieces = Array.from(bytes, byte => Uint8Array.of(byte))
    const { frames, send } = await sharing(async () => new Response(bodyOf(...pieces)))
    send({ open: 1, path: '/apis/pods' })
    await waitFor(() => expect(frames).toContainEqual({ id: 1, end: true }))
    expect(frames.map(frame => (frame as { text?: string }).text ?? '').join('')).toBe(text)
  })

  it('ends a stream that was given up before its answer began', async () => {
    let isCancelled = false
    let begin: () => void = () => undefined
    const begun = new Promise<void>(resolve => {
      begin = resolve
    })
    const signals: AbortSignal[] = []
    const { frames, send } = await sharing(async (_path, _headers, signal) => {
      signals.push(signal)
      await begun
      return new Response(
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
  })

  it('ends what it has open when its page goes, also what has not begun to answer and what sends nothing', async () => {
    const signals: AbortSignal[] = []
    let isCancelled = false
    const silentBody = () =>
      new Response(
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

  it('is closed, to come back, when an answer fails', async () => {
    const { send, closed } = await sharing(() => Promise.reject(new TypeError('a fault of ours')))
    send({ open: 1, path: '/apis/pods' })
    expect(await closed).toBe(1011)
  })

  it('takes no binary frames', async () => {
    const { page, closed } = await sharing(nothing)
    page.send(Buffer.from('{"open":1,"path":"/apis/pods"}'))
    expect(await closed).toBe(1008)
  })
})
