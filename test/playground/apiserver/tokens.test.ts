import { describe, expect, it } from 'vitest'
import { Tokens } from '../../../playground/apiserver/access/tokens.js'
import { startApiServer } from '../../../playground/apiserver/server.js'

const ann = { name: 'ann', groups: ['readers'] }

describe('the cache of verified tokens', () => {
  it('refuses a token from the second in which it expires, and before it is valid', async () => {
    let now = 1_000_000
    const tokens = new Tokens(() => now)
    const token = await tokens.issueUser(ann, 60)
    expect((await tokens.verify(token))?.user.name).toBe('ann')
    now += 59_000
    expect((await tokens.verify(token))?.user.groups).toContain('readers')
    now += 1_000
    expect(await tokens.verify(token)).toBeUndefined()
    now = 1_000_000 - 1_000
    expect(await tokens.verify(token)).toBeUndefined()
  })

  it('distinguishes a token from a similar one', async () => {
    const tokens = new Tokens(Date.now)
    const token = await tokens.issueUser(ann, 60)
    await tokens.verify(token)
    const [header, , signature] = token.split('.')
    const payload = Buffer.from(JSON.stringify({ sub: 'root', groups: ['system:masters'] }))
    expect(await tokens.verify(`${header}.${payload.toString('base64url')}.${signature}`)).toBeUndefined()
    expect(await new Tokens(Date.now).verify(token)).toBeUndefined()
  })

  it('drops the tokens of a deleted account', async () => {
    const server = await startApiServer({ name: 'tokens' })
    const accounts = '/api/v1/namespaces/default/serviceaccounts'
    const request = (method: 'POST' | 'DELETE', path: string, body?: object) =>
      server.local.request<{ status: { token: string; authenticated?: boolean } }>({ method, path, body })
    try {
      await request('POST', accounts, { metadata: { name: 'robot' } })
      const { status } = await request('POST', `${accounts}/robot/token`, { spec: {} })
      const review = async () => {
        const spec = { token: status.token }
        const answer = await request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec })
        return answer.status.authenticated === true
      }
      expect(await review()).toBe(true)
      await request('DELETE', `${accounts}/robot`)
      expect(await review()).toBe(false)
      await request('POST', accounts, { metadata: { name: 'robot' } })
      expect(await review()).toBe(false)
    } finally {
      await server.close()
    }
  })
})
