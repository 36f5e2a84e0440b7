import { describe, expect, it } from 'vitest'
import { callerKey } from '../../../http/identity/authorize.js'
import { reviewToken } from '../../../http/identity/token-review.js'
import type { KubeApi } from '../../../ports/kube-api.js'

const hostThatSays = (user: object) =>
  ({ request: async () => ({ status: { authenticated: true, user } }) }) as unknown as KubeApi

describe('a reviewed token', () => {
  it('has the id that the host names', async () => {
    const extra = { 'authentication.kubernetes.io/credential-id': ['JTI=7c2'] }
    const caller = await reviewToken(hostThatSays({ username: 'ada', extra }), 'x')
    expect(caller).toMatchObject({ user: 'ada', extra, credential: { id: 'JTI=7c2' } })
  })

  it.each([[{}], [{ 'authentication.kubernetes.io/credential-id': [] }]])(
    'has no id where the host names none: %j',
    async extra => {
      expect(await reviewToken(hostThatSays({ username: 'ada', extra }), 'x')).not.toHaveProperty(
        'credential',
      )
    },
  )

  it('is no part of what rights depend on', () => {
    const ada = { user: 'ada', groups: ['ops'], extra: {} }
    expect(callerKey({ ...ada, credential: { id: 'one' } })).toBe(
      callerKey({ ...ada, credential: { id: 'two' } }),
    )
  })
})
