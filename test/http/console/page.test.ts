import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { pageWith } from '../../../http/console/page.js'
import { curl } from '../fakes/listening.js'
import { consoles, script } from './console-under-test.js'

const { start, startWithout } = consoles()

describe('the page', () => {
  it('is served at / and at each view, and never to programs', async () => {
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

  it('has a fresh nonce in each answer, without which its policy allows no style and no script', async () => {
    const { running } = await start()
    const answers = await Promise.all([curl(running, '/'), curl(running, '/')])
    const nonces = answers.map(({ text, headers }) => {
      const [, nonce] = /nonce="([A-Za-z0-9+/]{24})"/.exec(text) ?? []
      expect(text).not.toContain('{{')
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'nonce-${nonce}' https://127.0.0.1:${new URL(running.url).port}/assets/; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
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

  it.each([['[::1]:8443'], ["evil.example/; script-src 'unsafe-inline'"], ['a b'], [undefined]])(
    'names no place of scripts that a policy cannot name: %s',
    host => {
      const { policy } = pageWith('', host)
      expect(policy).toMatch(/; script-src 'nonce-[A-Za-z0-9+/]{24}'; style-src /)
    },
  )

  it('is not served where the console is left out', async () => {
    const { running } = await startWithout()
    expect((await curl(running, '/', {}, { accept: 'text/html' })).status).toBe(401)
    expect((await curl(running, '/console/session', {}, {}, 'POST', { token: 'admin' })).status).toBe(401)
  })
})

describe('a file of the page', () => {
  it('is cached forever, with the content type of its name', async () => {
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
  ])('is sent to a client that accepts %j as %s', async (accepted, encoding) => {
    const { running } = await start()
    const { headers } = await curl(running, '/assets/a-1.js', {}, { 'accept-encoding': accepted })
    expect(headers['content-encoding']).toBe(encoding)
  })

  it('has the same content in all encodings', () => {
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
