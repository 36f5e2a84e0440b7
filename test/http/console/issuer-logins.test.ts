import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { IssuerLogins } from '../../../http/console/issuer-logins.js'
import { SESSION_MS, sessionKeyOf } from '../../../http/console/sessions.js'
import type { IssuerConfiguration } from '../../../http/identity/oidc/configuration-schema.js'
import type { IssuedTokens } from '../../../ports/issuer-sign-in.js'

const NOON = Date.UTC(2026, 0, 1, 12)
const ISSUER = 'https://issuer.example'
const signal = new AbortController().signal

/** A browser's request with the cookie that was set. */
const HOST = 'kairship:8443'
const bringing = (set: string) =>
  ({ headers: { host: HOST, cookie: set.split(';')[0] } }) as unknown as IncomingMessage

/** Logins at issuers that a test sets, each of which has the console's client; it keeps what an issuer was asked for. */
function logins() {
  const world = { now: NOON, issuers: [ISSUER] }
  const asked: string[] = []
  const issued: IssuedTokens = { idToken: 'an ID token' }
  const ask = (what: string, { issuer }: { readonly issuer: string }) => void asked.push(`${what} ${issuer}`)
  const one = new IssuerLogins(
    {
      clientId: 'console',
      scopes: 'openid',
      issuer: {
        begin: async () => ({ url: ISSUER, attempt: { verifier: 'v', state: 's', nonce: 'n' } }),
        finish: async place => {
          ask('finish', place)
          return issued
        },
        renew: async place => {
          ask('renew', place)
          return issued
        },
        revoke: async place => ask('revoke', place),
        close: async () => undefined,
      },
    },
    () => world.issuers.map(url => ({ issuer: { url, audiences: ['console'] } }) as IssuerConfiguration),
    () => 'https://kairship:8443',
    sessionKeyOf('a private key'),
    () => world.now,
  )
  return { logins: one, world, asked }
}

describe('a begun sign-in', () => {
  it('is sent with the navigation from its issuer, for ten minutes', async () => {
    const { logins: one, world } = logins()
    const { cookie } = await one.begin('/instances', HOST, signal)
    expect(cookie).toMatch(/SameSite=Lax; Max-Age=600$/)
    world.now += 599_000
    expect(await one.begun(bringing(cookie))).toMatchObject({ state: 's', returnTo: '/instances' })
    world.now += 1_000
    expect(await one.begun(bringing(cookie))).toBeUndefined()
  })

  it('ends when another issuer was configured since, which does not see the browser’s data', async () => {
    const { logins: one, world, asked } = logins()
    const begun = await one.begun(bringing((await one.begin('/', HOST, signal)).cookie))
    world.issuers = ['https://other.example']
    await expect(async () => one.finish(begun!, '?code=c&state=s', signal)).rejects.toThrow(
      `people no longer sign in at ${ISSUER}: begin anew`,
    )
    expect(asked).toEqual([])
  })
})

describe('a renewal', () => {
  const kept = async (one: IssuerLogins) => {
    const { cookie } = await one.keep(
      'a refresh token',
      { issuer: ISSUER, user: 'ada', session: 's1' },
      NOON + SESSION_MS,
      HOST,
    )
    return { cookie, renewal: (await one.renewal(bringing(cookie)))! }
  }

  it('is sent only with requests of the console’s own pages, until the session ends', async () => {
    const { logins: one, world } = logins()
    const { cookie, renewal } = await kept(one)
    expect(cookie).toMatch(/SameSite=Strict; Max-Age=43200$/)
    expect(renewal).toMatchObject({ refreshToken: 'a refresh token', user: 'ada', session: 's1' })
    world.now += SESSION_MS
    expect(await one.renewal(bringing(cookie))).toBeUndefined()
  })

  it('is sent to the issuer that issued it, and to no other', async () => {
    const { logins: one, world, asked } = logins()
    const { renewal } = await kept(one)
    await one.renew(renewal, signal)
    await one.revoke(renewal, signal)
    world.issuers = ['https://other.example']
    await expect(async () => one.renew(renewal, signal)).rejects.toThrow('people no longer sign in')
    await one.revoke(renewal, signal)
    world.issuers = []
    await one.revoke(renewal, signal)
    expect(asked).toEqual([`renew ${ISSUER}`, `revoke ${ISSUER}`])
  })
})
