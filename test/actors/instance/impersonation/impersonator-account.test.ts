import { describe, expect, it } from 'vitest'
import { impersonatorToken } from '../../../../actors/instance/impersonation/impersonator-account.js'
import { IMPERSONATOR_USER } from '../../../../manifests/impersonator.js'
import { type KubeRequest, UnreachableError } from '../../../../ports/kube-api.js'
import { refusal, scriptedApi } from '../../scripted-api.js'

const ACCOUNT = '/api/v1/namespaces/kairship-system/serviceaccounts/kairship-impersonator'
const TOKEN = `POST ${ACCOUNT}/token`
const MADE = [
  'PATCH /api/v1/namespaces/kairship-system',
  `PATCH ${ACCOUNT}`,
  'PATCH /apis/rbac.authorization.k8s.io/v1/clusterroles/kairship%3Aimpersonator',
  'PATCH /apis/rbac.authorization.k8s.io/v1/clusterrolebindings/kairship%3Aimpersonator',
]

/** A control plane: which accounts there are decides what is answered. */
function controlPlane({ account = true, bound = true, forbids = '' } = {}) {
  const state = { account, bound }
  const own = scriptedApi()
  own.script = ({ method, path, body }) => {
    if (forbids && `${method} ${path}`.startsWith(forbids))
      return refusal(403, 'Forbidden', `User "robot" cannot ${method} ${path}`)
    if (method === 'PATCH') {
      if (path === ACCOUNT) state.account = true
      if (path.includes('clusterrolebindings')) state.bound = true
      return body
    }
    if (path !== `${ACCOUNT}/token` || !state.account) return undefined
    return { spec: { expirationSeconds: 3_600 }, status: { token: 'minted' } }
  }
  const probes: KubeRequest[] = []
  const as = (token: string) => {
    const api = scriptedApi()
    api.script = request => {
      probes.push(request)
      expect(token).toBe('minted')
      return state.bound
        ? {}
        : refusal(403, 'Forbidden', `users "x" is forbidden: User "${IMPERSONATOR_USER}" cannot impersonate`)
    }
    return api
  }
  return { own, as, probes }
}

const options = { instance: 'north', mayMake: true }

describe('a token of the impersonator', () => {
  it('costs two requests where the account is there', async () => {
    const { own, as, probes } = controlPlane()
    expect(await impersonatorToken(own, as, options)).toEqual({ token: 'minted', lifetimeMs: 3_600_000 })
    expect(own.lines).toEqual([TOKEN])
    expect(probes.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /api'])
  })

  it('is tried with every attribute that callers have', async () => {
    const { own, as, probes } = controlPlane()
    await impersonatorToken(own, as, options)
    expect(Object.keys(probes[0]?.impersonate ?? {})).toEqual(['user', 'uid', 'groups', 'extra'])
  })

  it('makes the account where there is none, and its rights', async () => {
    const { own, as } = controlPlane({ account: false, bound: false })
    await impersonatorToken(own, as, options)
    expect(own.lines).toEqual([TOKEN, 'GET /api/v1/namespaces/kairship-system', ...MADE, TOKEN])
  })

  it('gives an account its rights back that lost them', async () => {
    const { own, as, probes } = controlPlane({ bound: false })
    await impersonatorToken(own, as, options)
    expect(own.lines).toEqual([TOKEN, 'GET /api/v1/namespaces/kairship-system', ...MADE])
    expect(probes).toHaveLength(2)
  })

  it('makes nothing while the instance is being deleted', async () => {
    const { own, as } = controlPlane({ account: false })
    await expect(impersonatorToken(own, as, { ...options, mayMake: false })).rejects.toThrow('404')
    expect(own.lines).toEqual([TOKEN])
    const unbound = controlPlane({ bound: false })
    await expect(impersonatorToken(unbound.own, unbound.as, { ...options, mayMake: false })).rejects.toThrow(
      'may not impersonate',
    )
    expect(unbound.own.lines).toEqual([TOKEN])
  })

  it('makes nothing where the token is refused, or does not come, for another reason than that there is no account', async () => {
    for (const error of [refusal(403, 'Forbidden'), refusal(503, 'ServiceUnavailable')]) {
      const { own, as } = controlPlane()
      own.script = () => error
      await expect(impersonatorToken(own, as, options)).rejects.toThrow(error.message)
      expect(own.lines).toEqual([TOKEN])
    }
  })

  it.each([
    ['POST', 'get a token of'],
    ['PATCH /api/v1/namespaces/kairship-system/serviceaccounts', 'make the account'],
    ['PATCH /apis/rbac.authorization.k8s.io', 'make the account'],
  ])('says which right the credential of the instance lacks: %s', async (forbids, what) => {
    const { own, as } = controlPlane({ account: false, forbids })
    await expect(impersonatorToken(own, as, options)).rejects.toMatchObject({
      name: 'ImpersonationRefusedError',
      message: expect.stringMatching(
        new RegExp(`^Kairship's credential of the instance may not ${what}.*User "robot" cannot ${forbids}`),
      ),
    })
  })

  it('of an account that may not impersonate is of no use, and what to bind is said', async () => {
    const { own } = controlPlane()
    const as = () => {
      const api = scriptedApi()
      api.script = () => refusal(403, 'Forbidden', `User "${IMPERSONATOR_USER}" cannot impersonate`)
      return api
    }
    await expect(impersonatorToken(own, as, options)).rejects.toThrow(
      /bind it to a ClusterRole with the verb/,
    )
  })

  it('is of use where nobody may read the discovery', async () => {
    const { own } = controlPlane()
    const as = () => {
      const api = scriptedApi()
      api.script = () => refusal(403, 'Forbidden', 'User "kairship.io:nobody" cannot get path "/api"')
      return api
    }
    expect((await impersonatorToken(own, as, options)).token).toBe('minted')
  })

  it.each([
    ['does not answer', new UnreachableError('GET /api: connect ECONNREFUSED', 'ECONNREFUSED')],
    ['answers 503', refusal(503, 'ServiceUnavailable')],
    ['answers 401', refusal(401, 'Unauthorized')],
  ])('is not given where the control plane %s: nothing is known then', async (_, error) => {
    const { own } = controlPlane()
    const as = () => {
      const api = scriptedApi()
      api.script = () => error
      return api
    }
    await expect(impersonatorToken(own, as, options)).rejects.toBe(error)
  })

  it.each([{}, { status: {} }, { status: { token: '' } }, null])(
    'is missed in the answer %j',
    async answer => {
      const own = scriptedApi()
      own.script = () => answer
      await expect(impersonatorToken(own, () => own, options)).rejects.toThrow('without a token')
    },
  )

  it('never counts longer than it was asked for, whatever the server says', async () => {
    const { own, as } = controlPlane()
    own.script = () => ({ spec: { expirationSeconds: 1e9 }, status: { token: 'minted' } })
    expect((await impersonatorToken(own, as, options)).lifetimeMs).toBe(3_600_000)
  })
})
