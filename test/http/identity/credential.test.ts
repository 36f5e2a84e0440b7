import { describe, expect, it } from 'vitest'
import { authenticatorOf } from '../../../http/identity/authenticate.js'
import { subjectOf } from '../../../http/identity/certificate.js'
import { checkOf } from '../../../http/identity/credential.js'
import { fakeHost } from '../fakes/host.js'

const NOW = Date.parse('2026-11-24T12:00:00Z')
const inOneHour = NOW / 1_000 + 3_600
const jwt = (claims: object) =>
  ['{"alg":"RS256"}', JSON.stringify(claims), 'signature']
    .map(part => Buffer.from(part).toString('base64url'))
    .join('.')
const tokens = {
  opaque: jwt({}),
  plain: 'no-jwt',
  own: jwt({ jti: 'seven', exp: inOneHour }),
  old: jwt({ exp: NOW / 1_000 - 1 }),
  named: 'named-by-the-host',
}

/** An authenticator, and a host whose knowledge of tokens can be changed. */
function authenticating() {
  const known: Record<string, { user: string; extra?: object }> = Object.fromEntries(
    Object.values(tokens).map(token => [token, { user: 'ada' }]),
  )
  known[tokens.named] = {
    user: 'ada',
    extra: { 'authentication.kubernetes.io/credential-id': ['JTI=of-host'] },
  }
  const host = fakeHost({ tokens: known, allows: () => true })
  const { authenticate } = authenticatorOf({ host, now: () => 0, wallClock: () => NOW })
  return { known, host, send: async (token: string) => authenticate({ authorization: `Bearer ${token}` }) }
}

describe('the credential behind a caller', () => {
  it.each<[string, keyof typeof tokens, object | undefined]>([
    ['has the id and the expiry of a JWT', 'own', { id: 'seven', expiresAt: inOneHour * 1_000 }],
    ['has the id that the host says', 'named', { id: 'JTI=of-host' }],
    ['has no expiry in the past, since the host has just accepted it', 'old', undefined],
    ['has neither where the token says nothing', 'opaque', undefined],
    ['has neither where the token is no JWT', 'plain', undefined],
  ])('%s', async (_, name, expected) => {
    const { send } = authenticating()
    const caller = await send(tokens[name])
    expect(caller.credential).toEqual(expected)
    expect(checkOf(caller)?.key).not.toContain(tokens[name])
  })

  it('of a certificate is its fingerprint, and ends with the certificate', async () => {
    const { authenticate } = authenticatorOf({
      host: fakeHost({ tokens: {}, allows: () => true }),
      now: () => 0,
    })
    const certificate = subjectOf({
      subject: { CN: 'ada' },
      valid_to: 'Nov 24 13:00:00 2026 GMT',
      fingerprint256: 'AB:CD',
    })
    expect((await authenticate({ certificate })).credential).toEqual({
      id: 'X509SHA256=abcd',
      expiresAt: NOW + 3_600_000,
    })
  })

  it('is asked about anew whatever is cached, once for all that ask together', async () => {
    const { send, host } = authenticating()
    const credential = checkOf(await send(tokens.own))!
    expect(host.requests).toHaveLength(1)
    const [one, other] = await Promise.all([credential.ask!(), credential.ask!()])
    expect(host.requests).toHaveLength(2)
    expect([one.user, other]).toEqual(['ada', one])
  })

  it('that does not count any more is refused when it is asked about, and for the next request', async () => {
    const { send, known } = authenticating()
    const credential = checkOf(await send(tokens.own))!
    delete known[tokens.own]
    await expect(credential.ask!()).rejects.toThrow('it is unknown or has expired')
    await expect(send(tokens.own)).rejects.toThrow('it is unknown or has expired')
  })
})
