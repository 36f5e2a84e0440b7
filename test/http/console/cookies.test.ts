import { hkdfSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { EncryptJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { cookieName, SealedCookie } from '../../../http/console/cookies.js'
import { sessionKeyOf } from '../../../http/console/sessions.js'

const NOON = Date.UTC(2026, 0, 1, 12)
const KEY = sessionKeyOf('a private key')
const until = NOON + 90_000

const cookie = (purpose: string, key = KEY) => new SealedCookie(purpose, key, 'Strict', () => NOON)
const HOST = 'kairship:8443'
const sealedBy = async (one: SealedCookie, payload = { token: 'hidden' }) =>
  (await one.set(payload, until, HOST))?.split(';')[0]?.split('=')[1] ?? ''
const bringing = (header: string) =>
  ({ headers: { cookie: header, host: HOST } }) as unknown as IncomingMessage

describe('a sealed cookie', () => {
  it('opens with what was sealed in it', async () => {
    const one = cookie('renewal')
    expect(await one.opened(await sealedBy(one))).toMatchObject({ token: 'hidden', exp: until / 1_000 })
  })

  it('of one purpose does not open as one of another, although they share a key', async () => {
    const purposes = ['session', 'renewal', 'sign-in']
    for (const sealed of purposes)
      for (const opened of purposes)
        expect(
          (await cookie(opened).opened(await sealedBy(cookie(sealed)))) !== undefined,
          `${sealed} as ${opened}`,
        ).toBe(sealed === opened)
  })

  it('does not open with another key, or after its end', async () => {
    const sealed = await sealedBy(cookie('session'))
    expect(await cookie('session', sessionKeyOf('another')).opened(sealed)).toBeUndefined()
    const later = new SealedCookie('session', KEY, 'Strict', () => until)
    expect(await later.opened(sealed)).toBeUndefined()
  })

  it('opens only in the encryption that this server uses, also where another has a key of the same length', async () => {
    const own = new Uint8Array(hkdfSync('sha256', KEY, '', 'cookie session', 32))
    const sealed = (alg: string, enc: string) =>
      new EncryptJWT({ token: 'made' })
        .setProtectedHeader({ alg, enc })
        .setExpirationTime(until / 1_000)
        .encrypt(own)
    expect(await cookie('session').opened(await sealed('dir', 'A256GCM'))).toMatchObject({ token: 'made' })
    for (const [alg, enc] of [
      ['dir', 'A128CBC-HS256'],
      ['A256KW', 'A256GCM'],
      ['A256GCMKW', 'A256GCM'],
    ] as const)
      expect(await cookie('session').opened(await sealed(alg, enc)), `${alg} ${enc}`).toBeUndefined()
  })

  it('is read from a request by its whole name', async () => {
    const one = cookie('session')
    expect(one.of(bringing('__Host-kairship-session-8443=a'))).toBe('a')
    expect(one.of(bringing('other=1;  __Host-kairship-session-8443=a=b; more=2'))).toBe('a=b')
    for (const header of [
      '',
      'x__Host-kairship-session-8443=a',
      '__Host-kairship-session=a',
      '__Host-kairship-session-84430=a',
      'session-8443=a',
    ])
      expect(one.of(bringing(header)), header).toBeUndefined()
    expect(one.of({ headers: {} } as IncomingMessage)).toBeUndefined()
  })

  it('is deleted with the attributes with which it was set', async () => {
    const one = new SealedCookie('sign-in', KEY, 'Lax', () => NOON)
    const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax'
    expect(await one.set({}, until, HOST)).toMatch(new RegExp(`; ${attributes}; Max-Age=90$`))
    expect(one.clear(HOST)).toBe(`__Host-kairship-sign-in-8443=; ${attributes}; Max-Age=0`)
  })

  it('is not set after its end, or where it is larger than browsers keep', async () => {
    const one = cookie('renewal')
    expect(await one.set({}, NOON - 5_000, HOST)).toMatch(/Max-Age=0$/)
    expect(await one.set({ token: 'x'.repeat(2_800) }, until, HOST)).toBeDefined()
    expect(await one.set({ token: 'x'.repeat(2_900) }, until, HOST)).toBeUndefined()
  })
})

describe('the name of a cookie', () => {
  it.each<[string | undefined, string]>([
    ['127.0.0.1:8080', '__Host-kairship-session-8080'],
    ['127.0.0.1:9090', '__Host-kairship-session-9090'],
    ['[::1]:8443', '__Host-kairship-session-8443'],
    ['[::1]', '__Host-kairship-session'],
    ['kairship.example', '__Host-kairship-session'],
    ['kairship.example:443', '__Host-kairship-session'],
    ['kairship:1; x=2', '__Host-kairship-session'],
    ['kairship:1234567', '__Host-kairship-session'],
    [undefined, '__Host-kairship-session'],
  ])('at %s is %s', (host, name) => {
    expect(cookieName('session', host)).toBe(name)
  })
})
