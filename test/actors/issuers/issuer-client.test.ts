import { describe, expect, it } from 'vitest'
import { issuerUnderTest, METADATA } from './issuer-under-test.js'

const world = issuerUnderTest()
const { metadata, finished, asked } = world

describe('the client', () => {
  /** How it proved itself. */
  const proof = async (methods?: readonly string[]) => {
    world.documents = { [METADATA]: metadata(methods && { token_endpoint_auth_methods_supported: methods }) }
    await finished()
    const [{ headers, body } = { headers: {}, body: '' }] = asked('/token').slice(-1)
    const form = new URLSearchParams(body)
    return {
      basic: headers.authorization,
      ...{ id: form.get('client_id'), secret: form.get('client_secret') },
    }
  }
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

  it.each<[string, readonly string[] | undefined]>([
    ['names no way', undefined],
    ['takes both', ['client_secret_post', 'client_secret_basic']],
  ])('shows its secret in the header where the issuer %s', async (_what, methods) => {
    world.secret = 'hidden'
    expect(await proof(methods)).toEqual({ basic: basic('console:hidden'), id: null, secret: null })
  })

  it('shows its secret in the form where the issuer takes that alone', async () => {
    world.secret = 'hidden'
    expect(await proof(['client_secret_post'])).toEqual({ basic: undefined, id: 'console', secret: 'hidden' })
  })

  it('without a secret names itself', async () => {
    expect(await proof(['client_secret_basic'])).toEqual({ basic: undefined, id: 'console', secret: null })
  })

  it('shows the secret of now, also where it was another one when the metadata was read', async () => {
    world.secret = 'first'
    await proof()
    world.secret = 'second'
    expect((await proof()).basic).toBe(basic('console:second'))
    expect(asked(METADATA)).toHaveLength(1)
  })
})
