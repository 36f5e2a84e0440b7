import { setMaxListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { UnreachableError, type WatchEvent } from '../../../ports/kube-api.js'
import { waitFor } from '../../patience.js'
import { ConnectionUnderTest, caught, events } from './connection-under-test.js'
import { json } from './scripted-server.js'
import { LONG, turnsUnderTest } from './turns-under-test.js'

const kube = new ConnectionUnderTest()

describe('watch', () => {
  const line = (type: string, name: string) => `${JSON.stringify({ type, object: { metadata: { name } } })}\n`
  const names = (seen: WatchEvent[]) =>
    seen.map(({ type, object }) => `${type} ${(object as { metadata: { name: string } }).metadata.name}`)

  it('yields events at any chunk boundaries, also inside a character', async () => {
    const bytes = Buffer.from(line('ADDED', 'ä') + line('MODIFIED', '€') + line('DELETED', 'z'))
    await kube.connect((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const step = (at: number): void => {
        if (at >= bytes.length) return void response.end()
        response.write(bytes.subarray(at, at + 1), () => setImmediate(step, at + 1))
      }
      step(0)
    })
    expect(names(await events(kube.api.watch({ path: '/things', query: { resourceVersion: '5' } })))).toEqual(
      ['ADDED ä', 'MODIFIED €', 'DELETED z'],
    )
    expect(kube.server.received[0]!.url).toBe('/things?resourceVersion=5&watch=true')
  })

  it('yields an event in a turn of the event loop that has time for it', async () => {
    const { turns, pass, nextTurn } = turnsUnderTest()
    await kube.connect((_, response) => response.writeHead(200).end(line('ADDED', 'a')), { turns })
    turns.isOver()
    pass(LONG)
    const asked = vi.spyOn(turns, 'mine')
    let isDone = false
    const waiting = events(kube.api.watch({ path: '/' })).then(seen => {
      isDone = true
      return seen
    })
    await waitFor(() => expect(asked).toHaveBeenCalledOnce())
    expect(isDone).toBe(false)
    await nextTurn()
    expect(names(await waiting)).toEqual(['ADDED a'])
  })

  it('yields an event that takes rights away before what waits for its turn', async () => {
    const { turns, pass, nextTurn } = turnsUnderTest()
    await kube.connect((_, response) => response.writeHead(200).end(line('ADDED', 'a')), { turns })
    turns.isOver()
    pass(LONG)
    const waiting = turns.mine()
    expect(names(await events(kube.api.watch({ path: '/', urgent: true })))).toEqual(['ADDED a'])
    await nextTurn()
    await waiting
  })

  it('that is given up does not wait for its turn', async () => {
    const { turns, pass } = turnsUnderTest()
    await kube.connect((_, response) => response.writeHead(200).write(line('ADDED', 'a')), { turns })
    turns.isOver()
    pass(LONG)
    void turns.mine()
    const asked = vi.spyOn(turns, 'mine')
    const given = new AbortController()
    const seen = events(kube.api.watch({ path: '/', signal: given.signal }))
    await waitFor(() => expect(asked).toHaveBeenCalledOnce())
    given.abort()
    expect(await seen).toEqual([])
    expect(kube.api.inFlight()).toEqual({ requests: 0, watches: 0 })
  })

  it('throws a refusal, and does not report itself as open', async () => {
    await kube.connect((_, response) => response.writeHead(404).end('404 page not found'))
    const opened = vi.fn()
    expect(await caught(events(kube.api.watch({ path: '/', opened })))).toMatchObject({
      code: 404,
      message: '404 page not found',
    })
    expect(opened).not.toHaveBeenCalled()
  })

  it('reports itself as open when the server has accepted it, before the first event', async () => {
    await kube.connect((_, response) => {
      response.writeHead(200)
      response.flushHeaders()
    })
    const caller = new AbortController()
    const opened = new Promise<void>(resolve => {
      void events(kube.api.watch({ path: '/', signal: caller.signal, opened: resolve }))
    })
    await opened
    caller.abort()
  })

  it.each([
    ['is cut inside an event', '{"type":"ADDED","obj', 'in the middle of an event'],
    ['sends no JSON', 'hello\n', 'not JSON'],
    ['sends JSON that is no event', '{"type":"HELLO","object":{}}\n', 'not a watch event'],
  ])('throws when the server %s', async (_, text, message) => {
    await kube.connect((_, response) => response.writeHead(200).end(line('ADDED', 'a') + text))
    const seen: WatchEvent[] = []
    const reading = (async () => {
      for await (const event of kube.api.watch({ path: '/' })) seen.push(event)
    })()
    expect((await caught(reading)).message).toContain(message)
    expect(names(seen)).toEqual(['ADDED a'])
  })

  it('throws when the connection is reset', async () => {
    await kube.connect((_, response) => {
      response.writeHead(200).write(line('ADDED', 'a'), () => response.destroy())
    })
    expect(await caught(events(kube.api.watch({ path: '/things' })))).toBeInstanceOf(UnreachableError)
  })

  it('refuses an event over its size limit', async () => {
    await kube.connect((_, response) => response.writeHead(200).end('x'.repeat(1 << 18)), {
      maxAnswerBytes: 1 << 16,
    })
    expect((await caught(events(kube.api.watch({ path: '/' })))).message).toContain('larger than 65536 bytes')
  })

  it('refuses an event of more values than its limit', async () => {
    const event = { type: 'ADDED', object: { metadata: { name: 'a' }, items: Array(1_000).fill({}) } }
    await kube.connect((_, response) => response.writeHead(200).end(`${JSON.stringify(event)}\n`), {
      maxAnswerValues: 1_000,
    })
    expect((await caught(events(kube.api.watch({ path: '/' })))).message).toContain('more than 1000 values')
  })

  it('limits the time for the response head, and not for events', async () => {
    let late: (() => void) | undefined
    let asked: () => void = () => undefined
    const muteAsked = new Promise<void>(resolve => {
      asked = resolve
    })
    await kube.connect(
      ({ url }, response) => {
        if (url.startsWith('/mute')) return asked()
        response.writeHead(200).write(line('ADDED', 'a'))
        late = () => response.end(line('ADDED', 'b'))
      },
      { timeoutMs: 100 },
    )
    // Sockets are real, and time passes when we say so.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const quiet = kube.api.watch({ path: '/quiet' })[Symbol.asyncIterator]()
    expect(names([(await quiet.next()).value])).toEqual(['ADDED a'])
    const mute = caught(events(kube.api.watch({ path: '/mute' })))
    await muteAsked
    vi.advanceTimersByTime(100)
    expect(await mute).toMatchObject({ code: 'DEADLINE' })
    late?.()
    expect(names([(await quiet.next()).value])).toEqual(['ADDED b'])
  })

  it('completes without error when the caller aborts, and closes the socket', async () => {
    await kube.connect((_, response) => void response.writeHead(200).write(line('ADDED', 'a')))
    const caller = new AbortController()
    for await (const _ of kube.api.watch({ path: '/', signal: caller.signal })) caller.abort()
    await waitFor(() => expect(kube.server.sockets.size).toBe(0))
    expect(kube.api.inFlight()).toEqual({ requests: 0, watches: 0 })
  })

  it('closes the socket when the reader stops iterating', async () => {
    await kube.connect((_, response) => void response.writeHead(200).write(line('ADDED', 'a')))
    for await (const _ of kube.api.watch({ path: '/' })) break
    await waitFor(() => expect(kube.server.sockets.size).toBe(0))
  })

  it('closes the socket when the server ends the watch, which could serve other requests', async () => {
    await kube.connect((_, response) => response.writeHead(200).end(line('ADDED', 'a')))
    await events(kube.api.watch({ path: '/' }))
    await waitFor(() => expect(kube.server.sockets.size).toBe(0))
  })

  it('never starves requests, however many watches are open', async () => {
    await kube.connect(
      ({ url }, response) => {
        if (url.includes('watch=true')) response.writeHead(200).write(line('ADDED', 'a'))
        else json(response, 200, {})
      },
      { maxRequestSockets: 1 },
    )
    const caller = new AbortController()
    setMaxListeners(40, caller.signal)
    const watches = Array.from({ length: 40 }, async () => {
      for await (const _ of kube.api.watch({ path: '/', signal: caller.signal }))
        await kube.api.request({ method: 'GET', path: '/' })
    })
    await waitFor(() => expect(kube.server.received).toHaveLength(80))
    await waitFor(() => expect(kube.api.inFlight()).toEqual({ requests: 0, watches: 40 }))
    caller.abort()
    await Promise.all(watches)
  })
})
