import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../../playground/apiserver/access/certificates.js'
import { json } from '../kube/scripted-server.js'
import { issuerUnderTest, METADATA, REDIRECT, signal } from './issuer-under-test.js'

const world = issuerUnderTest()
const { metadata, place, begun, asked } = world

describe('the metadata of an issuer', () => {
  it.each<[string, () => object]>([
    ['of another issuer', () => metadata({ issuer: 'https://other.example' })],
    ['whose authorization endpoint is not https', () => metadata({ authorization_endpoint: 'http://x/a' })],
    ['whose token endpoint is not https', () => metadata({ token_endpoint: 'http://127.0.0.1/token' })],
    ['whose authorization endpoint is a script', () => metadata({ authorization_endpoint: 'javascript:x' })],
    ['whose token endpoint is no URL', () => metadata({ token_endpoint: '/token' })],
    ['without a token endpoint', () => metadata({ token_endpoint: undefined })],
    ['without an authorization endpoint', () => metadata({ authorization_endpoint: undefined })],
  ])('%s is refused, and nothing else is asked', async (_what, document) => {
    world.documents = { [METADATA]: document() }
    await expect(begun()).rejects.toMatchObject({ kind: 'gateway', reason: 'NoIssuer' })
    expect(world.received.map(({ url }) => url)).toEqual([METADATA])
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['HTML', response => response.writeHead(200).end('<html>')],
    ['an array', response => json(response, 200, [])],
    ['null', response => json(response, 200, null)],
    ['an error that has a document', response => json(response, 500, metadata())],
    ['a redirect', response => response.writeHead(302, { location: `${world.issuer.url}/elsewhere` }).end()],
  ])('is not %s', async (_what, answered) => {
    world.documents = { '/elsewhere': metadata() }
    world.script = ({ url }, response) => {
      if (url === METADATA) answered(response)
      return url === METADATA
    }
    await expect(begun()).rejects.toMatchObject({ reason: 'NoIssuer' })
    expect(asked('/elsewhere')).toEqual([])
  })

  it('is read at its discovery URL, and at the issuer’s own place where that has no more than keys', async () => {
    world.documents = { '/mirror': metadata({ authorization_endpoint: `${world.issuer.url}/mirrored` }) }
    const at = place({ discoveryUrl: `${world.issuer.url}/mirror` })
    expect((await begun(at)).url.pathname).toBe('/mirrored')
    expect(asked(METADATA)).toEqual([])
    world.documents = { '/keys-alone': { issuer: world.issuer.url, jwks_uri: 'x' }, [METADATA]: metadata() }
    expect((await begun(place({ discoveryUrl: `${world.issuer.url}/keys-alone` }))).url.pathname).toBe(
      '/authorize',
    )
  })

  it('is kept for five minutes', async () => {
    await begun()
    world.clock.ms += 299_999
    await begun()
    expect(asked(METADATA)).toHaveLength(1)
    world.clock.ms += 1
    await begun()
    expect(asked(METADATA)).toHaveLength(2)
  })

  it('is read once for those who begin at the same time', async () => {
    await Promise.all([
      world.signIn.begin(place(), REDIRECT, signal),
      world.signIn.begin(place(), REDIRECT, signal),
    ])
    expect(asked(METADATA)).toHaveLength(1)
  })

  it('that could not be read is asked for again at once', async () => {
    world.documents = {}
    await expect(begun()).rejects.toMatchObject({ reason: 'NoIssuer' })
    world.documents = { [METADATA]: metadata() }
    await begun()
    expect(asked(METADATA)).toHaveLength(2)
  })

  it('is of one client and one set of authorities: another is shown nothing of it', async () => {
    await begun()
    expect((await begun(place({ clientId: 'another' }))).url.searchParams.get('client_id')).toBe('another')
    const other = await createAuthority('another')
    await expect(begun(place({ certificateAuthority: other.certificate }))).rejects.toMatchObject({
      reason: 'ServiceUnreachable',
    })
  })

  it('is read anew beside what is under way, which goes on and gets its answer', async () => {
    await begun()
    world.nonce = undefined
    const { asking, answered } = world.answerSlowly()
    const slow = world.signIn.renew(place(), 'slow', signal)
    await asking.promise
    world.clock.ms += 300_001
    await world.signIn.renew(place(), 'quick', signal)
    expect(asked(METADATA)).toHaveLength(2)
    answered.resolve()
    expect(await slow).toMatchObject({ idToken: expect.stringMatching(/^ey/) })
  })

  it('is read anew once for those who find it too old at the same time, and all of them get their answer', async () => {
    await begun()
    world.nonce = undefined
    world.clock.ms += 300_001
    const renewed = await Promise.all(['a', 'b', 'c'].map(old => world.signIn.renew(place(), old, signal)))
    expect(renewed).toHaveLength(3)
    expect(asked(METADATA)).toHaveLength(2)
  })

  it('of more than eight places is forgotten for the oldest, with its socket', async () => {
    for (let n = 0; n < 9; n++) await begun(place({ clientId: `client-${n}` }))
    await begun(place({ clientId: 'client-8' }))
    expect(asked(METADATA)).toHaveLength(9)
    await begun(place({ clientId: 'client-0' }))
    expect(asked(METADATA)).toHaveLength(10)
  })
})
