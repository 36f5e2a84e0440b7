import { describe, expect, it } from 'vitest'
import { ACCESS_LOCKS } from '../../manifests/access-lock.js'
import { resourcePath } from '../../manifests/kube.js'
import { AccessLockService } from '../../proto/gen/kairship/accesslock_pb.js'
import { curl } from '../http/fakes/listening.js'
import { eventually } from './support/eventually.js'
import { ManagedWorld, TYPES } from './support/managed-world.js'
import { whileOpen } from './support/whole-stream.js'

const world = new ManagedWorld(AccessLockService)

/** A request through the proxy, and its status. A watch is answered when it has ended. */
const proxied = (token: string, path: string, options = {}) =>
  curl(
    world.world.api,
    `/apis/kairship.io/v1alpha1/instances/${world.instance}/proxy${path}`,
    { token },
    options,
  )
const pods = resourcePath(TYPES.pods)

describe('a lock that the service sets', () => {
  it('refuses its user and ends what is open, until it is lifted', async () => {
    const { viewer } = world.world.playground.tokens
    expect((await proxied(viewer, pods)).status).toBe(200)
    const watch = proxied(viewer, `${pods}?watch=true`)
    const lock = await world.calls.overRest('createAccessLock', {
      ...{ name: 'incident-7', user: 'viewer@playground', message: 'call security' },
    })
    expect([lock.json.name, lock.json.createdBy]).toEqual(['incident-7', 'admin@playground'])
    const { text } = await watch
    expect(JSON.parse(text.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'ERROR',
      object: { code: 403, message: 'access is locked: call security (AccessLock "incident-7")' },
    })
    expect((await proxied(viewer, pods)).status).toBe(403)
    const { items } = await world.calls.read('listAccessLocks', { user: 'viewer@playground' })
    expect(items).toMatchObject([{ name: 'incident-7', user: 'viewer@playground', message: 'call security' }])
    expect((await world.calls.overRest('deleteAccessLock', { name: 'incident-7' })).ok).toBe(true)
    await eventually('the lock is lifted', async () => expect((await proxied(viewer, pods)).status).toBe(200))
  })

  it('needs the right to locks on the host, and names somebody', async () => {
    const refused = await world.viewer.overRest('createAccessLock', { user: 'admin' })
    expect(refused.json).toMatchObject({
      code: 7,
      message: expect.stringContaining('cannot create resource'),
    })
    const nobody = await world.calls.overRest('createAccessLock', { message: 'x' })
    expect(nobody.json).toMatchObject({ code: 3, message: expect.stringContaining('at least one of') })
    const past = await world.calls.overRest('createAccessLock', { user: 'a', expiresAt: '1' })
    expect(past.json).toMatchObject({ code: 3, message: expect.stringContaining('must be later than now') })
    const twice = { name: 'twice', user: 'nobody-here' }
    expect((await world.calls.overRest('createAccessLock', twice)).ok).toBe(true)
    expect((await world.calls.overRest('createAccessLock', twice)).json).toMatchObject({ code: 6 })
    await world.calls.overRest('deleteAccessLock', { name: 'twice' })
    expect((await world.calls.overRest('deleteAccessLock', { name: 'twice' })).json).toMatchObject({
      code: 5,
    })
  })

  it('is followed, with one that is set on the host, past the service', async () => {
    const host = world.world.playground.host.local
    await whileOpen(
      ...([world.calls, 'watchAccessLocks', { instance: 'elsewhere' }] as const),
      ({ lock }) => (lock ? [(lock as { name: string }).name] : []),
      async stream => {
        await stream.said(2)
        await host.request({
          ...{ method: 'POST', path: resourcePath(ACCESS_LOCKS) },
          body: {
            apiVersion: 'kairship.io/v1alpha1',
            kind: 'AccessLock',
            metadata: { name: 'on-the-host' },
            spec: { instance: 'elsewhere' },
          },
        })
        await stream.said(3)
        await world.remove(host, ACCESS_LOCKS, { name: 'on-the-host' })
        expect(await stream.said(4)).toEqual([
          ['RESET', 0],
          ['BOOKMARK', 0],
          ['ADDED', 1, 'on-the-host'],
          ['DELETED', 0, 'on-the-host'],
        ])
      },
    )
  })
})
