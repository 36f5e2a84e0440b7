import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { viewOf } from '../fakes/fleet.js'
import { curl } from '../fakes/listening.js'
import { type FakeUpstream, fakeUpstream } from './fake-upstream.js'
import { ProxyUnderTest } from './proxy-under-test.js'

const proxy = new ProxyUnderTest()
/** The control plane of an instance that is made now. */
let fresh: FakeUpstream
beforeEach(async () => {
  fresh = await fakeUpstream()
  for (const [upstream, name] of [
    [proxy.upstream, 'old'],
    [fresh, 'fresh'],
  ] as const)
    upstream.answer = (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(name)
})
afterEach(() => fresh.close())

const write = async (method: string, name: string) => {
  const data = { metadata: { name }, spec: { kubeconfigSecretRef: { namespace: 'a', name: 'b' } } }
  const path = `/apis/kairship.io/v1alpha1/instances${method === 'POST' ? '' : `/${name}`}`
  const body = method === 'POST' ? { data } : undefined
  expect((await curl(proxy.api.running, path, { token: 'admin' }, {}, method, body)).status).toBe(200)
}
/** The fleet comes to know an Instance as the host has it, once the proxy has found out whether its caller may enter. */
async function followed(name: string) {
  const isReview = ({ path, body }: { path: string; body?: unknown }) =>
    path.endsWith('subjectaccessreviews') && JSON.stringify(body).includes('"proxy"')
  await waitFor(() => expect(proxy.api.host.requests.some(isReview)).toBe(true))
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  proxy.fleet.connections.set(name, fresh.api)
  proxy.fleet.set({ ...viewOf(name), instance: proxy.api.host.instances.get(name)! })
}

describe('a caller that has just created an instance through the API', () => {
  it('may use the proxy as soon as this replica observes the instance', async () => {
    await write('POST', 'west')
    const [answer] = await Promise.all([proxy.ask('/west/proxy/api/v1/pods'), followed('west')])
    expect([answer.status, answer.text]).toEqual([200, 'fresh'])
  })

  it('under the name of one it deleted is not connected to the old control plane', async () => {
    // As where nothing holds it back: it is gone at once.
    proxy.api.host.script = ({ method, path }) => {
      if (method !== 'DELETE' || !path.endsWith('/north')) return undefined
      proxy.api.host.instances.delete('north')
      return { kind: 'Status', status: 'Success', details: { uid: 'uid-north' } }
    }
    await write('DELETE', 'north')
    await write('POST', 'north')
    const made = proxy.api.host.instances.get('north')!
    proxy.api.host.instances.set('north', { ...made, metadata: { ...made.metadata, uid: 'successor' } })
    const [answer] = await Promise.all([proxy.ask('/north/proxy/api/v1/pods'), followed('north')])
    expect([answer.status, answer.text]).toEqual([200, 'fresh'])
    expect(proxy.upstream.requests).toEqual([])
  })

  it('gets 503 and not 404 while this replica has not observed it', async () => {
    await write('POST', 'west')
    const early = await proxy.ask('/west/proxy/api/v1/pods')
    expect([early.status, early.headers['retry-after']]).toEqual([503, '1'])
  })

  it('and changed it since may use the proxy before this replica observes the change', async () => {
    const { uid } = proxy.fleet.get('north')!.instance.metadata
    const body = { data: JSON.stringify({ spec: { kubeconfigSecretRef: { namespace: 'a', name: 'b' } } }) }
    const path = '/apis/kairship.io/v1alpha1/instances/north'
    expect((await curl(proxy.api.running, path, { token: 'admin' }, {}, 'PUT', body)).status).toBe(200)
    expect(proxy.api.host.instances.get('north')?.metadata.uid).toBe(uid)
    expect((await proxy.ask('/north/proxy/api/v1/pods')).text).toBe('old')
  })
})
