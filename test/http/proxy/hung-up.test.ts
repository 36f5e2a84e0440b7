import { describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { deferred } from '../fakes/deferred.js'
import { ProxyUnderTest } from './proxy-under-test.js'

const proxy = new ProxyUnderTest({ proxyLimits: { requestsPerInstance: 1 } })

describe('a caller that disconnects during authentication', () => {
  it.each([
    ['a request', {}],
    ['an upgrade', { connection: 'Upgrade', upgrade: 'websocket' }],
  ])('sends no %s to the instance, and holds no slot', async (_, headers) => {
    const answered = deferred<void>()
    let asked = 0
    proxy.api.host.script = async ({ path }) => {
      if (!path.endsWith('/tokenreviews')) return undefined
      asked += 1
      await answered.promise
      return undefined
    }
    const request = proxy.begin('/north/proxy/api/v1/namespaces/a/pods/x/exec', { headers })
    request.on('error', () => undefined)
    request.end()
    await waitFor(() => expect(asked).toBe(1))
    await new Promise(resolve => request.once('close', resolve).destroy())
    // By the time these are answered the server has read the end of that connection.
    for (let time = 0; time < 3; time++)
      expect((await proxy.ask('/north/proxy/api', { token: '' })).status).toBe(401)
    proxy.api.host.script = () => undefined
    answered.resolve(undefined)
    await waitFor(async () => expect((await proxy.ask('/north/proxy/api')).status).toBe(200))
    expect(proxy.upstream.requests.map(({ url }) => url)).not.toContain('/api/v1/namespaces/a/pods/x/exec')
  })
})
