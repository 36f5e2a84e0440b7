import { beforeAll, describe, expect, it } from 'vitest'
import { createAuthority } from '../../../playground/apiserver/access/certificates.js'
import { kubeconfigOf, toBase64 } from '../../../playground/client/kubeconfig.js'
import { Finder } from './finder.js'
import { newCanary, type SecretValue, secretsIn } from './secret-values.js'

const finderOf = (values: readonly SecretValue[]) => {
  const finder = new Finder()
  for (const value of values) finder.add(value)
  return finder
}

describe('a secret value is found in a text', () => {
  const canary = newCanary()
  const finder = finderOf([{ value: canary, of: 'a password' }])

  it.each([
    ['as it is', canary],
    ['in the middle of words', `Basic user:${canary}@host`],
    ['when its end is cut off', canary.slice(0, 24)],
    ['when its beginning is cut off', canary.slice(-24)],
    ['in JSON', JSON.stringify({ password: canary })],
    ['in JSON in JSON', JSON.stringify({ data: JSON.stringify({ password: `"${canary}"` }) })],
    ['in base64', toBase64(canary)],
    ['in base64 that begins before it', toBase64(`user:${canary}`)],
    ['in base64 that follows a word', `Basic/${toBase64(`u:${canary}`)}`],
    ['in base64 with line breaks', toBase64(`some text before ${canary}`).replaceAll(/.{64}/g, '$&\n')],
    ['in base64 in JSON with line breaks', toBase64(canary).replaceAll(/.{16}/g, '$&\\n')],
    ['in base64url', Buffer.from(`???>>>${canary}`).toString('base64url')],
    ['in base64 of base64', toBase64(toBase64(canary))],
    ['in JSON in base64 in JSON', JSON.stringify({ a: toBase64(JSON.stringify({ b: toBase64(canary) })) })],
    ['in hexadecimal', Buffer.from(canary).toString('hex')],
    ['percent-encoded', `?data=${encodeURIComponent(`"${toBase64(`?${canary}`)}"`)}`],
    [
      'percent-encoded letter by letter',
      [...canary].map(one => `%${one.charCodeAt(0).toString(16)}`).join(''),
    ],
  ])('%s', (_, text) => {
    expect(finder.search(text)).toEqual(['a password'])
  })

  it.each([
    ['nothing', ''],
    ['another value', newCanary()],
    ['base64 of another', toBase64(newCanary())],
    ['a few letters of it', canary.slice(0, 9)],
    ['its name', 'a password'],
  ])('but not in %s', (_, text) => {
    expect(finder.search(text)).toEqual([])
  })
})

describe('of a kubeconfig', () => {
  let certificate = ''
  let key = ''
  beforeAll(async () => {
    const issued = (await createAuthority('test')).issueClient({ name: 'me', groups: ['mine'] })
    certificate = issued.certificate
    key = issued.key
  })
  const text = (more: object = {}) =>
    kubeconfigOf('one', {
      server: 'https://127.0.0.1:1',
      certificateAuthorityData: toBase64(certificate),
      clientCertificateData: toBase64(certificate),
      ...more,
    })

  it('the client key is secret, in whatever the kubeconfig is', () => {
    const values = secretsIn(text({ clientKeyData: toBase64(key) }), 'it')
    expect(new Set(values.map(({ value }) => value)).size).toBe(1)
    const finder = finderOf(values)
    for (const leak of [key, toBase64(key), text({ clientKeyData: toBase64(key) }), JSON.stringify({ key })])
      expect(finder.search(leak)).toEqual(['it'])
    expect(
      finder.search(JSON.stringify({ kubeconfig: toBase64(text({ clientKeyData: toBase64(key) })) })),
    ).toEqual(['it'])
  })

  it('the certificate and the address are not, nor is another key', async () => {
    const finder = finderOf(secretsIn(text({ clientKeyData: toBase64(key) }), 'it'))
    expect(finder.search(text())).toEqual([])
    const { key: other } = (await createAuthority('test')).issueClient({ name: 'me', groups: ['mine'] })
    expect(finder.search(other)).toEqual([])
  })

  it('of a token the signature is secret, and its claims are not', () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const [head, claims] = [part({ alg: 'ES256', kid: 'k' }), part({ iss: 'https://issuer', sub: 'me' })]
    const token = `${head}.${claims}.${Buffer.from(newCanary()).toString('base64url')}`
    const finder = finderOf(secretsIn(text({ token }), 'it'))
    expect(finder.search(`Bearer ${token}`)).toEqual(['it'])
    expect(finder.search(`${head}.${claims}.`)).toEqual([])
  })
})
