import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { waitFor } from '../../patience.js'
import { ConnectionUnderTest } from './connection-under-test.js'
import { json } from './scripted-server.js'
import { LONG, turnsUnderTest } from './turns-under-test.js'

const kube = new ConnectionUnderTest()

describe('request', () => {
  it('sends path, query, body and content type, and returns the parsed answer', async () => {
    await kube.connect((_, response) => json(response, 200, { ok: true }), { path: '/base' })
    const answer = await kube.api.request({
      method: 'PATCH',
      path: '/api/v1/namespaces/a%2Fb',
      query: { fieldManager: 'kairship & co', force: true, limit: undefined },
      body: [{ op: 'test' }],
      contentType: 'application/json-patch+json',
    })
    expect(answer).toEqual({ ok: true })
    expect(kube.server.received[0]).toMatchObject({
      method: 'PATCH',
      url: '/base/api/v1/namespaces/a%2Fb?fieldManager=kairship+%26+co&force=true',
      body: '[{"op":"test"}]',
      headers: {
        'content-type': 'application/json-patch+json',
        accept: 'application/json',
        'user-agent': 'kairship',
      },
    })
  })

  it('is worked on in a turn of the event loop that has time for it, and at once where it is a caller’s', async () => {
    const { turns, pass, nextTurn } = turnsUnderTest()
    await kube.connect((_, response) => json(response, 200, {}), { turns })
    turns.isOver()
    pass(LONG)
    const asked = vi.spyOn(turns, 'mine')
    const get = { method: 'GET', path: '/' } as const
    let isDone = false
    const waiting = kube.api.request(get).then(() => {
      isDone = true
    })
    await waitFor(() => expect(asked).toHaveBeenCalledOnce())
    await kube.api.request({ ...get, impersonate: { user: 'ann' } })
    expect(isDone).toBe(false)
    await nextTurn()
    await waiting
  })

  it('that is given up does not wait for its turn, however many are before it', async () => {
    const { turns, pass } = turnsUnderTest()
    await kube.connect((_, response) => json(response, 200, {}), { turns })
    turns.isOver()
    pass(LONG)
    void turns.mine()
    const asked = vi.spyOn(turns, 'mine')
    const given = new AbortController()
    const ended = kube.api.request({ method: 'GET', path: '/', signal: given.signal }).catch(error => error)
    await waitFor(() => expect(asked).toHaveBeenCalledOnce())
    given.abort('given up')
    expect(await ended).toBe('given up')
    expect(kube.api.inFlight()).toEqual({ requests: 0, watches: 0 })
  })

  it('is not too late where its answer came in time and waits for its turn', async () => {
    const { turns, pass, nextTurn } = turnsUnderTest()
    await kube.connect((_, response) => json(response, 200, { whole: true }), { turns })
    turns.isOver()
    pass(LONG)
    const asked = vi.spyOn(turns, 'mine')
    const [begun, ended] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')]
    onTestFinished(() => void vi.restoreAllMocks())
    const answer = kube.api.request({ method: 'GET', path: '/', timeoutMs: 54_321 })
    const timer = begun.mock.results[begun.mock.calls.findIndex(([, ms]) => ms === 54_321)]?.value
    await waitFor(() => expect(asked).toHaveBeenCalledOnce())
    expect(ended).toHaveBeenCalledWith(timer)
    expect(timer).toBeDefined()
    await nextTurn()
    expect(await answer).toEqual({ whole: true })
  })

  it('returns text where the answer is not JSON', async () => {
    await kube.connect((_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('ok'))
    expect(await kube.api.request({ method: 'GET', path: '/readyz' })).toBe('ok')
  })

  it('reuses its sockets for sequential requests and bounds how many it opens at once', async () => {
    await kube.connect((_, response) => json(response, 200, {}), { maxRequestSockets: 3 })
    for (let i = 0; i < 5; i++) await kube.api.request({ method: 'GET', path: '/' })
    expect(kube.server.connections()).toBeLessThanOrEqual(2) // undici frees a socket a tick after the answer
    await Promise.all(Array.from({ length: 50 }, () => kube.api.request({ method: 'GET', path: '/' })))
    expect(kube.server.connections()).toBeLessThanOrEqual(3)
  })

  it('sends the impersonated user, also in characters that a header cannot carry', async () => {
    await kube.connect((_, response) => json(response, 200, {}))
    await kube.api.request({
      method: 'GET',
      path: '/',
      impersonate: { user: 'jürgen', groups: ['a', 'b'], extra: { 'scopes/(x)': ['1', '2'] } },
    })
    const { headers } = kube.server.received[0]!
    expect(Buffer.from(String(headers['impersonate-user']), 'latin1').toString('utf8')).toBe('jürgen')
    expect(headers['impersonate-group']).toBe('a, b')
    expect(headers['impersonate-extra-scopes%2f%28x%29']).toBe('1, 2')
  })

  it('sends the user that its kubeconfig impersonates, where the request names none', async () => {
    const credential = { impersonate: { user: 'ann', groups: [], extra: {} } }
    await kube.connect((_, response) => json(response, 200, {}), { credential })
    await kube.api.request({ method: 'GET', path: '/' })
    await kube.api.request({
      ...{ method: 'GET', path: '/' },
      impersonate: { user: 'ben', groups: [], extra: {} },
    })
    expect(kube.server.received.map(({ headers }) => headers['impersonate-user'])).toEqual(['ann', 'ben'])
  })

  it.each([
    ['a token', { token: 't0' }, 'Bearer t0'],
    [
      'a user and password',
      { basic: { username: 'u', password: 'p:ä' } },
      `Basic ${Buffer.from('u:p:ä').toString('base64')}`,
    ],
    ['a token rather than a password', { token: 't0', basic: { username: 'u', password: 'p' } }, 'Bearer t0'],
  ])('authenticates with %s', async (_, credential, header) => {
    await kube.connect((_, response) => json(response, 200, {}), { credential })
    await kube.api.request({ method: 'GET', path: '/' })
    expect(kube.server.received[0]!.headers.authorization).toBe(header)
  })
})
