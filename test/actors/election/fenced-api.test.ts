import { getEventListeners } from 'node:events'
import { beforeEach, describe, expect, it } from 'vitest'
import { fenced } from '../../../actors/election/fenced-api.js'
import { NotLeadingError } from '../../../actors/election/leadership.js'
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
  it('passes a request of the leader on, and leaves no listener on the term', async () => {
    expect(await leader().request(write)).toEqual({ done: true })
    expect(api.requests).toEqual([{ ...write, signal: expect.any(AbortSignal) }])
    expect(getEventListeners(term.signal, 'abort')).toEqual([])
  })

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'sends no %s when the term is over by the clock, even before the term’s signal aborts',
    async method => {
      leading = false
      await expect(leader().request({ method, path: '/a' })).rejects.toThrow(NotLeadingError)
      expect(api.requests).toEqual([])
    },
  )

  it('checks the clock for each request', async () => {
    const one = leader()
    await one.request(write)
    leading = false
    await expect(one.request(write)).rejects.toThrow(NotLeadingError)
    expect(api.requests).toHaveLength(1)
  })

  it('aborts a request when the term ends', async () => {
    hanging()
    const request = leader().request(write)
    term.abort(new NotLeadingError('this replica no longer leads'))
    await expect(request).rejects.toThrow('this replica no longer leads')
  })

  it('aborts a request with its own signal, and sends none whose signal is already aborted', async () => {
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

  it('reports the same endpoint, and does not close the shared connection', async () => {
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
    term.abort(new NotLeadingError('this replica no longer leads'))
    expect(isEnded()).toBe(true)
    await expect(next).rejects.toThrow('this replica no longer leads')
  })

  it('ends when its own signal aborts, and leaves no listener on the term', async () => {
    const own = new AbortController()
    const { next, isEnded } = await begun(own)
    own.abort(new Error('left'))
    expect(isEnded()).toBe(true)
    await expect(next).rejects.toThrow('left')
    expect(getEventListeners(term.signal, 'abort')).toEqual([])
  })
})
