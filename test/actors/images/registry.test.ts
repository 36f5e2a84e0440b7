import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RegistryEntry } from '../../../actors/images/registries-file.js'
import { Registry, type VisitBounds } from '../../../actors/images/registry.js'
import type { ServiceError } from '../../../ports/service-error.js'
import { digestOf, OCI_MANIFEST, repositories, web } from '../../conformance/images/content.js'
import { type RegistryDouble, startRegistryDouble } from '../../conformance/images/registry-double.js'
import { waitFor } from '../../patience.js'

const SECRET = 'correct horse'
const never = new AbortController().signal
let folder: string
let double: RegistryDouble
const opened: Registry[] = []
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const connect = (entry: Partial<RegistryEntry> = {}, bounds: VisitBounds = {}) => {
  const { username, password } = double
  const registry = new Registry(
    {
      ...{ name: 'team', alias: 'team', host: 'registry.example', tokenServers: [], url: double.url },
      caFile: file('ca.crt', double.certificateAuthority),
      credentialsFile: file('credential', JSON.stringify({ username, password })),
      ...entry,
    },
    bounds,
  )
  opened.push(registry)
  return registry
}
const visit = (entry: Partial<RegistryEntry> = {}, bounds: VisitBounds = {}, signal = never) =>
  connect(entry, bounds).visit(signal)
const refusal = (asked: Promise<unknown>): Promise<ServiceError> =>
  asked.then(
    answer => Promise.reject(new Error(`was not refused: ${JSON.stringify(answer)}`)),
    (error: ServiceError) => error,
  )
const json = (response: ServerResponse, body: unknown, headers = {}, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
type Answer = (request: IncomingMessage, response: ServerResponse) => unknown
/** Answers what carries the credential. */
const whenKnown = (answer: Answer) =>
  double.answerWith((request, response) =>
    request.headers.authorization ? answer(request, response) : false,
  )

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kairship-registry-'))
  double = await startRegistryDouble()
})
afterEach(async () => {
  for (const registry of opened.splice(0)) await registry.close()
  await double.close()
  rmSync(folder, { recursive: true })
})

describe('a registry', () => {
  it('sends one challenge for all requests of a visit', async () => {
    const one = visit()
    expect(await one.repositories()).toEqual(repositories)
    expect(await one.tags('shop/web')).toEqual(['stable', 'v1', 'v2'])
    const size = web.blobs.reduce((sum, { length }) => sum + length, 0)
    expect(await one.image('shop/web', 'v1')).toEqual({ digest: digestOf(web.body), size })
    expect((await one.image('shop/multi', 'latest'))?.size).toBe(0)
    expect(await one.image('shop/web', 'none')).toBeUndefined()
    expect(double.received.filter(({ authorization }) => authorization === undefined)).toHaveLength(1)
  })

  it('whose password was replaced is read with the new password at once', async () => {
    const registry = connect()
    await registry.visit(never).repositories()
    double.changePassword('another')
    file('credential', JSON.stringify({ username: double.username, password: 'another' }))
    expect(await registry.visit(never).repositories()).toEqual(repositories)
  })

  it('is read page by page, and a link to another host is followed at the registry’s own host', async () => {
    whenKnown((request, response) => {
      const isFirst = !request.url?.includes('last=')
      const link = '<https://elsewhere.example/v2/_catalog?last=b&n=2>; rel="next"'
      json(response, { repositories: isFirst ? ['a', 'b'] : ['b', 'c'] }, isFirst ? { link } : {})
    })
    expect(await visit().repositories()).toEqual(['a', 'b', 'c'])
    expect(double.received.at(-1)?.path).toBe('/v2/_catalog?last=b&n=2')
  })

  it('shows no repository or tag whose name cannot be pulled', async () => {
    const names = ['a', '../b', 'a/../../v2/x', 'A', 'ü', 'a//b', '', 'a%2Fb', 'x'.repeat(256)]
    const tags = ['v1', '../x', 'a/b', 'ü', '', '.x', 'y'.repeat(129)]
    whenKnown((_, response) => json(response, { repositories: names, tags }))
    expect(await visit().repositories()).toEqual(['a'])
    expect(await visit().tags('a')).toEqual(['v1'])
  })

  it('may have no tags and no repositories', async () => {
    whenKnown((_, response) => json(response, { tags: null, repositories: null }))
    expect(await visit().tags('a')).toEqual([])
    expect(await visit().repositories()).toEqual([])
  })
})

describe('a registry that misbehaves', () => {
  const page =
    (link: string): Answer =>
    (request, response) => {
      // Whoever follows the link finds an ordinary last page.
      const isFirst = request.url === '/v2/_catalog?n=1000'
      json(response, { repositories: ['a'] }, isFirst ? { link } : {})
    }
  const bare =
    (status: number, headers = {}): Answer =>
    (_, response) =>
      response.writeHead(status, headers).end('<html>')
  let count = 0
  const endless: Answer = (_, response) => {
    count += 1
    json(response, { repositories: ['a'] }, { link: `</v2/_catalog?last=a${count}>; rel="next"` })
  }
  const sends =
    (body: unknown): Answer =>
    (_, response) =>
      json(response, body)
  it.each<[string, Answer, string, string]>([
    ['links to a page that was read', page('</v2/_catalog?n=1000>; rel="next"'), 'gateway', 'NoRegistry'],
    ['has endless pages', endless, 'unmet', 'RegistryTooLarge'],
    ['continues at another path', page('</v2/secret?x=1>; rel="next"'), 'gateway', 'NoRegistry'],
    ['continues at a path with ..', page('</v2/_catalog/../x?y=1>; rel="next"'), 'gateway', 'NoRegistry'],
    ['continues at an invalid URL', page('<https://[>; rel="next"'), 'gateway', 'NoRegistry'],
    ['redirects in a circle', bare(302, { location: '/v2/_catalog' }), 'gateway', 'RegistryRedirects'],
    ['redirects elsewhere', bare(307, { location: 'http://169.254.1.1/' }), 'gateway', 'RegistryRedirects'],
    ['has no catalog', bare(404), 'unmet', 'NoCatalog'],
    ['answers 429', bare(429), 'busy', 'RegistryBusy'],
    ['answers 500', bare(500), 'unavailable', 'RegistryUnavailable'],
    ['answers 403', bare(403), 'gateway', 'RegistryCredentialRefused'],
    ['answers with HTML', bare(200), 'gateway', 'NoRegistry'],
    ['sends names that are numbers', sends({ repositories: [1] }), 'gateway', 'NoRegistry'],
    ['sends null', sends(null), 'gateway', 'NoRegistry'],
  ])('that %s is refused', async (_what, answer, kind, reason) => {
    whenKnown(answer)
    const error = await refusal(visit().repositories())
    expect(error).toMatchObject({ name: 'ServiceError', kind, reason })
    expect(error.message).toContain('registry team')
    expect(double.received.length).toBeLessThan(110)
  })

  it.each<[string, string, object]>([
    [
      'a digest that is not its own',
      web.body.toString(),
      { 'docker-content-digest': `sha256:${'0'.repeat(64)}` },
    ],
    ['no sizes', '{}', {}],
    ['sizes below 0', '{"config":{"size":-1},"layers":[]}', {}],
  ])('that sends a manifest with %s is refused', async (_what, text, headers) => {
    whenKnown((_, response) =>
      response.writeHead(200, { 'content-type': OCI_MANIFEST, ...headers }).end(text),
    )
    const error = await refusal(visit().image('shop/web', 'v1'))
    expect(error).toMatchObject({ kind: 'gateway', reason: 'NoRegistry' })
  })

  it('that sends 100 MB is disconnected', async () => {
    let sent = 0
    whenKnown((_, response) => {
      const more = () => {
        while (sent < 100 << 20) {
          sent += 1 << 16
          if (!response.write(Buffer.alloc(1 << 16, 32))) return
        }
        response.end()
      }
      response.on('drain', more)
      more()
    })
    expect(await refusal(visit().repositories())).toMatchObject({ kind: 'unmet', reason: 'AnswerTooLarge' })
    expect(sent).toBeLessThan(50 << 20)
  })

  it('that does not answer fails the request at its timeout', async () => {
    whenKnown(() => undefined)
    const registry = connect({}, { timeoutMs: 500 })
    expect(await refusal(registry.visit(never).repositories())).toMatchObject({ kind: 'late' })
  })

  it('whose caller hangs up sees the request end', async () => {
    const caller = new AbortController()
    let gone = false
    whenKnown((_, response) => {
      response.once('close', () => {
        gone = true
      })
    })
    const asked = refusal(visit({}, {}, caller.signal).repositories())
    await waitFor(() => expect(double.received).toHaveLength(2))
    const reason = new Error('hung up')
    caller.abort(reason)
    expect(await asked).toBe(reason)
    await waitFor(() => expect(gone).toBe(true))
  })

  it('that needs more requests than a call may make is refused', async () => {
    const one = visit({}, { requests: 2 })
    await one.repositories()
    await one.tags('shop/web')
    expect(await refusal(one.tags('shop/web'))).toMatchObject({ kind: 'unmet', reason: 'RegistryTooLarge' })
  })
})

describe('a token', () => {
  const challenge = (realm: string) => `Bearer realm="${realm}",service="registry",scope="registry:catalog:*"`
  /** A registry that wants tokens, from wherever the test says. */
  const wantsTokens = (realm: string, token: unknown = { token: 'the.token', expires_in: 300 }) =>
    double.answerWith((request, response) => {
      if (request.url?.startsWith('/token')) return json(response, token)
      if (request.headers.authorization === 'Bearer the.token') return json(response, { repositories: ['a'] })
      return json(response, {}, { 'www-authenticate': challenge(realm) }, 401)
    })
  const tokenRequests = () => double.received.filter(({ path }) => path.startsWith('/token'))

  it('comes from the registry itself for the scope of the challenge, and is reused', async () => {
    wantsTokens(`${double.url}/token`)
    const registry = connect()
    expect(await registry.visit(never).repositories()).toEqual(['a'])
    expect(await registry.visit(never).repositories()).toEqual(['a'])
    expect(tokenRequests()).toEqual([
      {
        path: '/token?service=registry&scope=registry%3Acatalog%3A*',
        authorization: expect.stringMatching(/^Basic /),
      },
    ])
  })

  it('that expires within ten seconds is not reused', async () => {
    wantsTokens(`${double.url}/token`, { access_token: 'the.token', expires_in: 5 })
    const registry = connect()
    await registry.visit(never).repositories()
    await registry.visit(never).repositories()
    expect(tokenRequests()).toHaveLength(2)
  })

  it('is requested without a credential when none is configured', async () => {
    wantsTokens(`${double.url}/token`)
    const registry = connect({ credentialsFile: undefined })
    expect(registry.isPublic).toBe(true)
    expect(await registry.visit(never).repositories()).toEqual(['a'])
    expect(tokenRequests()[0]?.authorization).toBeUndefined()
  })

  it('is not requested from a server that the entry does not name, and no credential is sent', async () => {
    const other = await startRegistryDouble()
    try {
      for (const realm of [
        `${other.url}/token`,
        double.url.replace('https:', 'http:'),
        double.url.replace('https://', 'https://a:b@'),
        `${double.url.replace('127.0.0.1', '127.0.0.1.elsewhere.example')}/token`,
        'file:///etc/passwd',
        '/token',
      ]) {
        wantsTokens(realm)
        const error = await refusal(visit().repositories())
        expect(error, realm).toMatchObject({ kind: 'gateway', reason: 'TokenServerNotAllowed' })
      }
      expect(other.received).toEqual([])
      expect(tokenRequests()).toEqual([])
    } finally {
      await other.close()
    }
  })

  it.each([[{}], [{ token: 'a\r\nx: y' }], [{ token: '' }], [{ token: 5 }], [[]]])(
    'is not accepted from the answer %j',
    async token => {
      wantsTokens(`${double.url}/token`, token)
      const error = await refusal(visit().repositories())
      expect(error).toMatchObject({ kind: 'gateway', reason: 'NoRegistryToken' })
    },
  )

  it('that is configured and refused is not sent to a token server', async () => {
    wantsTokens(`${double.url}/token`)
    const credentialsFile = file('own-token', JSON.stringify({ token: 'static.token' }))
    const error = await refusal(visit({ credentialsFile }).repositories())
    expect(error).toMatchObject({ kind: 'gateway', reason: 'RegistryCredentialRefused' })
    expect(double.received.map(({ path, authorization }) => [path, authorization])).toEqual([
      ['/v2/_catalog?n=1000', 'Bearer static.token'],
    ])
  })

  it('that the registry refuses fails the call after one try', async () => {
    wantsTokens(`${double.url}/token`, { token: 'another' })
    const error = await refusal(visit().repositories())
    expect(error).toMatchObject({ kind: 'gateway', reason: 'RegistryCredentialRefused' })
    expect(error.message).not.toContain(SECRET)
    expect(double.received).toHaveLength(3)
  })
})
