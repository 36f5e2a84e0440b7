import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { INSTANCES } from '../../../manifests/instance.js'
import { resourcePath } from '../../../manifests/kube.js'
import { open } from '../fakes/events.js'
import { LaggingWorld } from './lagging-world.js'

let world: LaggingWorld
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  world = new LaggingWorld()
})
afterEach(() => {
  world.close()
  vi.useRealTimers()
})

const get = (path: string, user = 'admin') => world.api.call(user, 'GET', path)
/** An answer for which somebody may wait, and what happens meanwhile. */
const patiently = <T>(answer: Promise<T>, meanwhile: () => void = () => undefined): Promise<T> => {
  world.meanwhile = meanwhile
  return world.patiently(answer)
}
const advanced = () => world.advance()
const named = (json: { items: { metadata: { name: string } }[] }) =>
  json.items.map(({ metadata }) => metadata.name)
/** An Instance that the leader took on and the fleet shows. */
async function established(name: string) {
  await world.write('admin', 'create', name)
  world.lead(name)
  world.advance()
  world.advance()
}

describe('a caller who has just written an Instance', () => {
  it('finds what it created in a list, as soon as the fleet has observed it', async () => {
    await world.write('admin', 'create', 'x')
    const { json } = await patiently(get('/instances'), advanced)
    expect(json.items).toMatchObject([
      { metadata: { name: 'x' }, status: { state: 'INSTANCE_STATE_RUNNING' } },
    ])
    expect(world.askedHost).toBe(0)
  })

  it('finds it before the fleet has observed it, among all others, page by page', async () => {
    await established('a')
    await established('z')
    await world.write('admin', 'create', 'x')
    const pages = await Promise.all([1, 2].map(page => patiently(get(`/instances?pageSize=2&page=${page}`))))
    expect(pages.map(({ json }) => named(json))).toEqual([['a', 'x'], ['z']])
    expect(pages[0]?.json.items).toMatchObject([
      { status: { state: 'INSTANCE_STATE_RUNNING', phase: 'Ready' } },
      { status: { state: 'INSTANCE_STATE_UNKNOWN' } },
    ])
    expect(pages[0]?.json.pagination).toMatchObject({ total: 3, pages: 2 })
  })

  it('gets its change, together with the status that the actor observed', async () => {
    await established('x')
    await world.write('admin', 'update', 'x')
    const slow = await patiently(get('/instances/x'))
    expect(slow.json).toMatchObject({ spec: { alias: '102' }, status: { state: 'INSTANCE_STATE_RUNNING' } })
    expect(world.askedHost).toBeGreaterThan(0)
  })

  it('waits for a write once: while the fleet is silent, later reads go to the host', async () => {
    await established('x')
    await world.write('admin', 'update', 'x')
    await patiently(get('/instances/x'))
    // No time passes here.
    expect((await get('/instances/x')).json.spec.alias).toBe('102')
    expect((await get('/instances')).json.items).toMatchObject([{ spec: { alias: '102' } }])
    world.advance()
    world.askedHost = 0
    expect((await get('/instances/x')).json.spec.alias).toBe('102')
    expect(world.askedHost).toBe(0)
  })

  it('does not see a deleted Instance as running', async () => {
    await established('x')
    await world.write('admin', 'delete', 'x')
    const { json } = await patiently(get('/instances/x'))
    expect(json).toMatchObject({
      metadata: { deletionTimestamp: '0' },
      status: { state: 'INSTANCE_STATE_TERMINAL' },
    })
  })

  it('does not find an Instance that is gone, whether or not the fleet observed it', async () => {
    await world.write('admin', 'create', 'known')
    world.advance()
    await world.write('admin', 'delete', 'known')
    await world.write('admin', 'create', 'brief')
    await world.write('admin', 'delete', 'brief')
    expect((await patiently(get('/instances/known'))).status).toBe(404)
    expect((await patiently(get('/instances/brief'))).status).toBe(404)
    expect(named((await patiently(get('/instances'))).json)).toEqual([])
    world.askedHost = 0
    // Its creation comes first, and is not to be taken for the end of it.
    expect(named((await patiently(get('/instances'), advanced)).json)).toEqual([])
    expect(world.askedHost).toBeLessThanOrEqual(2)
  })

  it('accepts a deletion that the fleet reports for an Instance it has listed', async () => {
    await world.write('admin', 'create', 'x')
    world.advance()
    await world.write('admin', 'delete', 'x')
    world.advance()
    expect(named((await get('/instances')).json)).toEqual([])
    expect(world.askedHost).toBe(0)
  })

  it('finds the recreated Instance, and not the earlier one of the name', async () => {
    await world.write('admin', 'create', 'x')
    world.advance()
    await world.write('admin', 'delete', 'x')
    await world.write('admin', 'create', 'x')
    expect((await patiently(get('/instances/x'))).json.metadata.uid).toBe('uid-2')
    const { json } = await patiently(get('/instances/x'), advanced)
    expect(json).toMatchObject({ metadata: { uid: 'uid-2' }, status: { state: 'INSTANCE_STATE_RUNNING' } })
  })

  it('watches from a state that includes the write, or receives UNAVAILABLE', async () => {
    await world.write('admin', 'create', 'x')
    const { response } = await patiently(open(world.api, 'admin', '/instances:watch'))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    await world.write('admin', 'update', 'x')
    const stream = await patiently(open(world.api, 'admin', '/instances:watch'), advanced)
    const start = (await stream.take(3)).map(event => event?.data.instance?.metadata.name ?? event?.data.type)
    expect(start).toEqual(['RESET', 'x', 'BOOKMARK'])
    await stream.cancel()
  })

  it('gets a kubeconfig for it at once, and never a NOT_FOUND', async () => {
    await world.write('admin', 'create', 'x')
    expect((await patiently(get('/instances/x/kubeconfig'))).status).toBe(200)
    const asked = () => world.api.call('admin', 'POST', '/instances/x/kubeconfig', {})
    expect((await patiently(asked())).status).toBe(503)
    expect((await patiently(get('/instances/x:explain'))).status).toBe(503)
    expect((await patiently(get('/instances/x/transitions'))).status).toBe(503)
    world.advance()
    expect((await get('/instances/x:explain')).status).toBe(200)
    // The fake fleet has no connection, which is another matter.
    expect((await asked()).json.message).toMatch(/cannot be reached now/)
  })

  it('sees its changed settings', async () => {
    const spec = { install: {} }
    await world.api.call('admin', 'POST', '/instances', { data: { metadata: { name: 'x' }, spec } })
    world.advance()
    expect(
      (await world.api.call('admin', 'PUT', '/instances/x/metricsadapter', { enabled: false })).status,
    ).toBe(200)
    const { json } = await patiently(get('/instances/x'))
    expect(json.spec.install.karmadaSpec).toEqual({ components: { karmadaMetricsAdapter: { replicas: 0 } } })
  })

  it('reads from the host after a lost answer, instead of waiting', async () => {
    await established('x')
    expect(await world.write('admin', 'delete', 'x', 'executed, not answered')).toBe(503)
    world.askedHost = 0
    // No time passes here.
    expect((await get('/instances/x')).json.status.state).toBe('INSTANCE_STATE_TERMINAL')
    expect(world.askedHost).toBe(1)
    world.pass(66_000)
    world.advance()
    world.askedHost = 0
    expect((await patiently(get('/instances/x'))).json.status.state).toBe('INSTANCE_STATE_TERMINAL')
    expect(world.askedHost).toBe(1)
    expect((await patiently(get('/instances/x'))).json.status.state).toBe('INSTANCE_STATE_TERMINAL')
    expect(world.askedHost).toBe(1)
  })

  it('stops waiting when it disconnects', async () => {
    await world.write('admin', 'create', 'x')
    const { json } = await patiently(
      world.api.call('admin', 'GET', '/instances', undefined, { 'grpc-timeout': '100m' }),
    )
    expect(json.code).toBe(4)
    expect(world.askedHost).toBe(0)
  })
})

describe('another caller', () => {
  it('does not wait, and causes no read of the host', async () => {
    await world.write('admin', 'create', 'x')
    expect(named((await get('/instances', 'second')).json)).toEqual([])
    expect((await get('/instances', 'viewer')).status).toBe(200)
    expect(world.askedHost).toBe(0)
  })

  it('does not wait when it wrote past the API', async () => {
    await world.api.host.request({
      method: 'POST',
      path: resourcePath(INSTANCES),
      body: { metadata: { name: 'x' }, spec: {} },
    })
    expect(named((await get('/instances')).json)).toEqual([])
    expect(world.askedHost).toBe(0)
  })

  it('does not wait when its write is observed', async () => {
    await world.write('admin', 'create', 'x')
    await patiently(get('/instances/x'), advanced)
    world.lead('x')
    world.askedHost = 0
    expect(named((await get('/instances')).json)).toEqual(['x'])
    expect(world.askedHost).toBe(0)
  })
})
