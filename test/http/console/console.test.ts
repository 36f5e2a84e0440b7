import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { waitFor } from '../../patience.js'
import { type Answer, closedAfterEach, curl, type Listening } from '../fakes/listening.js'

const listening = closedAfterEach()
let folder: string

const page =
  '<!doctype html><meta property="csp-nonce" nonce="{{nonce}}"><script src="/assets/a-1.js" nonce="{{nonce}}">'
const script = `export const text = ${JSON.stringify('kairship '.repeat(200))}`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kairship-console-'))
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), page)
  await writeFile(join(folder, 'assets/a-1.js'), script)
  await writeFile(join(folder, 'assets/a-1.js.br'), brotliCompressSync(script))
  await writeFile(join(folder, 'assets/a-1.js.gz'), gzipSync(script))
})
afterAll(() => rm(folder, { recursive: true }))

const start = () => listening(undefined, { console: folder })

/** What a browser adds to requests of the page that it got from this server. */
const ofPage = ({ running }: Listening) => ({ 'sec-fetch-site': 'same-origin', origin: running.url })

const signIn = (api: Listening, by: object, headers: Record<string, string> = ofPage(api)) =>
  curl(api.running, '/console/session', {}, headers, 'POST', by)

/** The `Cookie` header after a sign-in. */
async function session(api: Listening, token: string): Promise<string> {
  const { status, headers, text } = await signIn(api, { token })
  expect(status, text).toBe(200)
  return String(headers['set-cookie']).split(';')[0]!
}

const message = ({ text }: Answer): string => JSON.parse(text).message

describe('the page', () => {
  it('is answered at / and at each view, and never where a program asks', async () => {
    const { running } = await start()
    const html = { accept: 'text/html,application/xhtml+xml' }
    for (const path of ['/', '/instances', '/instances/eu-west?tab=events'])
      expect((await curl(running, path, {}, html)).text, path).toContain('<!doctype html>')
    for (const path of [
      'apis/none',
      'console/none',
      'assets/none.js',
      'docs/none',
      'healthz/none',
      'livez/none',
    ])
      expect((await curl(running, `/${path}`, {}, html)).status, path).toBe(401)
    for (const path of ['/.well-known/kairship-login', '/webhooks/v1/role-bindings'])
      expect((await curl(running, path, {}, html)).text, path).not.toContain('<!doctype html>')
    expect((await curl(running, '/instances', {}, { accept: 'application/json' })).status).toBe(401)
    expect((await curl(running, '/readyz', {}, html)).text).toContain('ready')
  })

  it('has a nonce of its own in each answer, which its policy names and without which it allows no style and no script', async () => {
    const { running } = await start()
    const answers = await Promise.all([curl(running, '/'), curl(running, '/')])
    const nonces = answers.map(({ text, headers }) => {
      const [, nonce] = /nonce="([A-Za-z0-9+/]{24})"/.exec(text) ?? []
      expect(text).not.toContain('{{')
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
      )
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      return nonce
    })
    expect(new Set(nonces).size).toBe(2)
  })

  it('is not served where the console is left out', async () => {
    const { running } = await listening()
    expect((await curl(running, '/', {}, { accept: 'text/html' })).status).toBe(401)
    expect((await curl(running, '/console/session', {}, {}, 'POST', { token: 'admin' })).status).toBe(401)
  })
})

describe('a file of the page', () => {
  it('is kept by browsers for ever, and is of the type that its name has', async () => {
    const { running } = await start()
    const { headers, text } = await curl(running, '/assets/a-1.js')
    expect(text).toBe(script)
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    })
    expect(headers['content-encoding']).toBeUndefined()
  })

  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br;q=0.9', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.0', undefined],
    ['identity', undefined],
  ])('is sent to who accepts %j as %s', async (accepted, encoding) => {
    const { running } = await start()
    const { headers } = await curl(running, '/assets/a-1.js', {}, { 'accept-encoding': accepted })
    expect(headers['content-encoding']).toBe(encoding)
  })

  it('is the same in its encodings', () => {
    expect(String(brotliDecompressSync(brotliCompressSync(script)))).toBe(script)
  })

  it.each(['/assets/../index.html', '/assets/%2e%2e/index.html', '/assets/a-1.js.br', '/assets/'])(
    'is none at %s',
    async path => {
      const { running } = await start()
      expect((await curl(running, path)).status).toBe(401)
    },
  )
})

describe('signing in', () => {
  it('answers who it is, and never the token', async () => {
    const api = await start()
    const answer = await signIn(api, { token: 'admin' })
    expect(JSON.parse(answer.text)).toEqual({
      user: 'admin',
      groups: ['admins', 'system:authenticated'],
      expiresAt: expect.any(Number),
      isRenewable: false,
    })
    expect(JSON.stringify(answer.headers)).not.toContain('Bearer')
  })

  it('makes the page’s calls those of its caller', async () => {
    const api = await start()
    const headers = { ...ofPage(api), cookie: await session(api, 'admin') }
    const list = await curl(api.running, '/apis/kairship.io/v1alpha1/instances', {}, headers)
    expect(JSON.parse(list.text).items).toHaveLength(2)
    expect(JSON.parse((await curl(api.running, '/console/session', {}, headers)).text).user).toBe('admin')
  })

  it('makes no call of another page one of its caller', async () => {
    const api = await start()
    const cookie = await session(api, 'admin')
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, {}])
      expect(
        (await curl(api.running, '/apis/kairship.io/v1alpha1/instances', {}, { ...headers, cookie })).status,
      ).toBe(401)
  })

  it('leaves an audit record that names the caller', async () => {
    const api = await start()
    await session(api, 'viewer')
    expect(api.log.audits()).toMatchObject([{ operation: 'console.SignIn', user: 'viewer', code: 'OK' }])
  })

  it('is refused with a token that nobody issued, and leaves no session', async () => {
    const api = await start()
    const answer = await signIn(api, { token: 'made-up' })
    expect(answer.status).toBe(401)
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  it('is refused for a while after a hundred such tokens of one address, and so is opening a socket', async () => {
    const api = await start()
    const { url, certificateAuthority: ca } = api.running
    const headers = { ...ofPage(api), authorization: 'Bearer another' }
    const refusalOfSocket = async () => {
      const socket = new WebSocket(`${url.replace('https', 'wss')}/console/socket`, { headers, ca })
      const [error] = await once(socket, 'error')
      return String(error.message)
    }
    // They are counted for ten seconds: on a busy machine a hundred may take longer, and are sent again.
    await waitFor(async () => {
      for (let first = 0; first < 100; first += 20)
        await Promise.all(
          Array.from({ length: 20 }, (_, n) => signIn(api, { token: `made-up-${first + n}-${Date.now()}` })),
        )
      const refused = await Promise.all([signIn(api, { token: 'made-up' }), refusalOfSocket()])
      expect(refused).toEqual([expect.objectContaining({ status: 429 }), expect.stringContaining('429')])
    })
  })

  it('is refused to a page of another site, which could sign its reader in as somebody else', async () => {
    const api = await start()
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, {}])
      expect((await signIn(api, { token: 'admin' }, headers)).status).toBe(403)
  })

  it.each<[string, object]>([
    ['nothing', {}],
    ['both', { code: 'x', token: 'y' }],
    ['a number', { token: 7 }],
    ['an empty token', { token: '' }],
    ['more', { token: 'admin', user: 'other' }],
  ])('is refused with %s', async (_what, by) => {
    const answer = await signIn(await start(), by)
    expect([answer.status, message(answer)]).toEqual([400, 'send {"code": …} or {"token": …}'])
  })

  it('is refused with more than a token can be', async () => {
    const answer = await signIn(await start(), { token: 'x'.repeat(30_000) })
    expect([answer.status, message(answer)]).toEqual([400, 'the body is larger than a token can be'])
  })

  it('ends with signing out', async () => {
    const api = await start()
    const answer = await curl(api.running, '/console/session', {}, ofPage(api), 'DELETE')
    expect(answer.status).toBe(204)
    expect(String(answer.headers['set-cookie'])).toMatch(/^__Host-kairship-session=; .*Max-Age=0/)
    expect(
      (await curl(api.running, '/console/session', {}, { origin: 'https://evil' }, 'DELETE')).status,
    ).toBe(403)
  })
})

describe('a one-time code', () => {
  const codeFor = async (api: Listening, token: string): Promise<string> =>
    JSON.parse((await curl(api.running, '/console/codes', { token }, {}, 'POST', {})).text).code

  it('signs its caller in, once', async () => {
    const api = await start()
    const code = await codeFor(api, 'viewer')
    expect(JSON.parse((await signIn(api, { code })).text).user).toBe('viewer')
    const again = await signIn(api, { code })
    expect([again.status, message(again)]).toEqual([401, expect.stringMatching(/run `kairship console`/)])
  })

  it('of another user does not replace a session before its reader says so', async () => {
    const api = await start()
    const code = await codeFor(api, 'viewer')
    const headers = { ...ofPage(api), cookie: await session(api, 'admin') }
    const asked = await signIn(api, { code }, headers)
    expect([asked.status, message(asked)]).toEqual([
      400,
      'this browser is signed in as admin, and the link is viewer’s',
    ])
    expect(JSON.parse(asked.text).details).toContainEqual(
      expect.objectContaining({
        reason: 'OtherSession',
        metadata: { user: 'viewer', current: 'admin' },
      }),
    )
    expect(asked.headers['set-cookie']).toBeUndefined()
    const replaced = await signIn(api, { code, replace: true }, headers)
    expect(JSON.parse(replaced.text).user).toBe('viewer')
  })

  it('of the same user is no question, and neither is one over a session that is over', async () => {
    const api = await start()
    const cookie = await session(api, 'admin')
    const again = await signIn(api, { code: await codeFor(api, 'admin') }, { ...ofPage(api), cookie })
    expect(again.status).toBe(200)
    const over = { ...ofPage(api), cookie: '__Host-kairship-session=a.b.c.d.e' }
    expect((await signIn(api, { code: await codeFor(api, 'viewer') }, over)).status).toBe(200)
  })

  it('is not issued beyond sixteen of one caller, and others are not affected', async () => {
    const api = await start()
    for (let n = 0; n < 16; n += 1) await codeFor(api, 'viewer')
    const issue = (token: string) => curl(api.running, '/console/codes', { token }, {}, 'POST', {})
    expect((await issue('viewer')).status).toBe(429)
    expect((await issue('admin')).status).toBe(200)
  })

  it('is not issued without a token, also not to who has a session', async () => {
    const api = await start()
    expect((await curl(api.running, '/console/codes', {}, {}, 'POST', {})).status).toBe(401)
    const headers = { ...ofPage(api), cookie: await session(api, 'admin') }
    expect((await curl(api.running, '/console/codes', {}, headers, 'POST', {})).status).toBe(403)
  })
})

describe('the socket that a page’s streams share', () => {
  interface Frame {
    readonly id: number
    readonly status?: number
    readonly text?: string
    readonly end?: true
  }

  /** A page's socket and what it has received. */
  async function open(api: Listening, headers: Record<string, string>) {
    const { url, certificateAuthority } = api.running
    const frames: Frame[] = []
    const socket = new WebSocket(`${url.replace('https', 'wss')}/console/socket`, {
      headers,
      ca: certificateAuthority,
    })
    const closed = new Promise<number>(resolve => socket.once('close', resolve))
    socket.on('message', data => frames.push(JSON.parse(String(data))))
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    return { socket, frames, closed, send: (frame: object) => socket.send(JSON.stringify(frame)) }
  }
  const asPage = async (api: Listening, token = 'admin') =>
    open(api, { ...ofPage(api), cookie: await session(api, token) })
  const watch = '/apis/kairship.io/v1alpha1/instances:watch'
  const textOf = (frames: readonly Frame[], id: number) =>
    frames.flatMap(frame => (frame.id === id && frame.text ? [frame.text] : [])).join('')

  it('carries several streams, each with its status and its events', async () => {
    const api = await start()
    const { frames, send, socket } = await asPage(api)
    send({ open: 1, path: watch, headers: { accept: 'text/event-stream' } })
    send({ open: 2, path: `${watch}?name=north`, headers: { accept: 'text/event-stream' } })
    await waitFor(() => {
      expect(textOf(frames, 1)).toMatch(/north[\s\S]*south[\s\S]*BOOKMARK/)
      expect(textOf(frames, 2)).toMatch(/north[\s\S]*BOOKMARK/)
    })
    expect(textOf(frames, 2)).not.toContain('south')
    expect(frames.filter(({ status }) => status !== undefined)).toEqual([
      { id: 1, status: 200 },
      { id: 2, status: 200 },
    ])
    socket.close()
  })

  it('ends a stream that its page gives up, and frees its place', async () => {
    const api = await listening(undefined, { console: folder, streamsPerCaller: 1 })
    const { frames, send, socket } = await asPage(api)
    for (let id = 1; id <= 3; id += 1) {
      send({ open: id, path: watch })
      await waitFor(() => expect(textOf(frames, id)).toContain('BOOKMARK'))
      send({ close: id })
      await waitFor(() => expect(frames).toContainEqual({ id, end: true }))
    }
    socket.close()
  })

  it('frees the places of all streams when its page goes', async () => {
    const api = await listening(undefined, { console: folder, streamsPerCaller: 1 })
    const first = await asPage(api)
    first.send({ open: 1, path: watch })
    await waitFor(() => expect(textOf(first.frames, 1)).toContain('BOOKMARK'))
    first.socket.terminate()
    const second = await asPage(api)
    let id = 0
    await waitFor(() => {
      id += 1
      second.send({ open: id, path: watch })
      expect(second.frames.some(({ text }) => text?.includes('BOOKMARK'))).toBe(true)
    })
    second.socket.close()
  })

  it('answers a refused call with its status and message, as the call alone would have been', async () => {
    const api = await start()
    const { frames, send, socket } = await asPage(api, 'nobody')
    send({ open: 5, path: '/apis/kairship.io/v1alpha1/instances/north' })
    await waitFor(() => expect(frames).toContainEqual({ id: 5, end: true }))
    expect(frames[0]).toEqual({ id: 5, status: 403 })
    expect(textOf(frames, 5)).toContain('nobody')
    socket.close()
  })

  it.each<[string, Record<string, string>]>([
    ['without a session', {}],
    ['with a cookie that nobody made', { cookie: '__Host-kairship-session=a.b.c.d.e' }],
  ])('is refused with 401 %s', async (_what, headers) => {
    const api = await start()
    await expect(open(api, { ...ofPage(api), ...headers })).rejects.toThrow('401')
  })

  it('is refused with 403 to a page of another site, which has its reader’s cookie', async () => {
    const api = await start()
    const cookie = await session(api, 'admin')
    await expect(open(api, { cookie, origin: 'https://evil.example' })).rejects.toThrow('403')
    await expect(open(api, { cookie })).rejects.toThrow('403')
  })

  it.each<[string, string]>([
    ['no JSON', '{'],
    ['no path', '{"open":1}'],
    ['a path of another server', '{"open":1,"path":"//evil.example/apis/"}'],
    ['a path that is none of the API', '{"open":1,"path":"/console/session"}'],
    ['a header of its own', `{"open":1,"path":"${watch}","headers":{"authorization":"Bearer x"}}`],
    ['a method', `{"open":1,"path":"${watch}","method":"DELETE"}`],
    ['an id that is no number', `{"open":"1","path":"${watch}"}`],
  ])('closes on a frame with %s', async (_what, text) => {
    const { socket, closed } = await asPage(await start())
    socket.send(text)
    expect(await closed).toBe(1008)
  })

  it('closes on a frame that is larger than any page sends', async () => {
    const { socket, closed } = await asPage(await start())
    socket.send(JSON.stringify({ open: 1, path: `/apis/${'x'.repeat(20_000)}` }))
    expect(await closed).toBe(1009)
  })

  it('closes when a page uses an id twice, or opens more than 64 streams', async () => {
    const api = await start()
    const twice = await asPage(api)
    twice.send({ open: 1, path: watch })
    twice.send({ open: 1, path: watch })
    expect(await twice.closed).toBe(1008)
    const many = await asPage(api)
    for (let id = 0; id <= 64; id += 1) many.send({ open: id, path: watch })
    expect(await many.closed).toBe(1008)
  })

  it('is not opened beyond 32 of one caller', async () => {
    const api = await start()
    const cookie = await session(api, 'admin')
    const pages = await Promise.all(Array.from({ length: 32 }, () => open(api, { ...ofPage(api), cookie })))
    await expect(open(api, { ...ofPage(api), cookie })).rejects.toThrow('429')
    pages[0]!.socket.terminate()
    await waitFor(async () => (await open(api, { ...ofPage(api), cookie })).socket.terminate())
    for (const { socket } of pages) socket.terminate()
  })

  it('says that it may come back when the server stops', async () => {
    const api = await start()
    const { closed, send, frames } = await asPage(api)
    send({ open: 1, path: watch })
    await waitFor(() => expect(textOf(frames, 1)).toContain('BOOKMARK'))
    const stopped = api.running.close()
    expect(await closed).toBe(1001)
    await stopped
  })
})
