import { getEventListeners } from 'node:events'
import { beforeEach, describe, expect, it } from 'vitest'
import { fenced, NotLeadingError } from '../../../actors/election/fenced-api.js'
import { type ScriptedApi, scriptedApi } from '../scripted-api.js'

const write = { method: 'PATCH', path: '/a', body: {} } as const

let api: ScriptedApi
let leading: boolean
let term: AbortController
const leader = () => fenced(api, () => ({ leading, signal: term.signal }))
/** The API never answers, and ends a request when its signal aborts, as a connection does. */
const hanging = () => {
  api.script = ({ signal }) =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}

beforeEach(() => {
  api = scriptedApi({ 'PATCH /a': { done: true } })
  leading = true
  term = new AbortController()
})

describe('a fenced API', () => {
  it('sends a request of the leader as it is, and leaves nothing behind on the term', async () => {
    expect(await leader().request(write)).toEqual({ done: true })
    expect(api.requests).toEqual([{ ...write, signal: expect.any(AbortSignal) }])
    expect(getEventListeners(term.signal, 'abort')).toEqual([])
  })

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'sends no %s when this replica does not lead by the clock, though the term was not aborted yet',
    async method => {
      leading = false
      await expect(leader().request({ method, path: '/a' })).rejects.toThrow(NotLeadingError)
      expect(api.requests).toEqual([])
    },
  )

  it('looks at the clock again for each request', async () => {
    const one = leader()
    await one.request(write)
    leading = false
    await expect(one.request(write)).rejects.toThrow(NotLeadingError)
    expect(api.requests).toHaveLength(1)
  })

  it('ends a request when the term ends', async () => {
    hanging()
    const request = leader().request(write)
    term.abort(new Error('this replica no longer leads'))
    await expect(request).rejects.toThrow('this replica no longer leads')
  })

  it('ends a request when its own signal aborts, and sends none whose signal has aborted', async () => {
    hanging()
    const own = new AbortController()
    const request = leader().request({ ...write, signal: own.signal })
    own.abort(new Error('left'))
    await expect(request).rejects.toThrow('left')
    await expect(leader().request({ ...write, signal: own.signal })).rejects.toThrow('left')
    expect(api.requests).toHaveLength(1)
  })

  it('opens no watch when this replica does not lead', async () => {
    leading = false
    await expect(leader().watch({ path: '/a' })[Symbol.asyncIterator]().next()).rejects.toThrow(
      NotLeadingError,
    )
  })

  it('describes the same endpoint, and does not close the connection of others', async () => {
    const endpoint = { insecure: true, certificateAuthority: 'PEM', tlsServerName: 'karmada' }
    Object.assign(api, endpoint)
    expect(leader()).toMatchObject({ server: api.server, ...endpoint })
    let closed = false
    api.close = async () => {
      closed = true
    }
    await leader().close()
    expect(closed).toBe(false)
  })
})

describe('a watch of a fenced API', () => {
  /** Begins a watch with a signal of its own, which sends one event and then waits until its signal aborts, as a connection does. */
  const begun = async (own = new AbortController()) => {
    let ended = new AbortController().signal
    api.watch = async function* ({ signal }) {
      if (signal) ended = signal
      yield { type: 'ADDED', object: {} }
      await new Promise((_, reject) => ended.addEventListener('abort', () => reject(ended.reason)))
    }
    const watch = leader().watch({ path: '/a', signal: own.signal })[Symbol.asyncIterator]()
    expect((await watch.next()).value).toEqual({ type: 'ADDED', object: {} })
    return { watch, next: watch.next(), isEnded: () => ended.aborted }
  }

  it('ends when the term ends', async () => {
    const { next, isEnded } = await begun()
    term.abort(new Error('this replica no longer leads'))
    expect(isEnded()).toBe(true)
    await expect(next).rejects.toThrow('this replica no longer leads')
  })

  it('ends when its own signal aborts, and leaves nothing behind on the term', async () => {
    const own = new AbortController()
    const { next, isEnded } = await begun(own)
    own.abort(new Error('left'))
    expect(isEnded()).toBe(true)
    await expect(next).rejects.toThrow('left')
    expect(getEventListeners(term.signal, 'abort')).toEqual([])
  })
})
