import type { JsonObject } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INSTANCES } from '../../../manifests/instance.js'
import { resourcePath } from '../../../manifests/kube.js'
import { FleetService } from '../../../proto/gen/kairship/fleet_pb.js'
import { letIn, type PlaygroundProxy, startPlaygroundProxy } from '../../http/proxy/playground-proxy.js'
import { eventually } from '../support/eventually.js'
import type { Following } from '../support/following.js'
import { TYPES } from '../support/managed-world.js'
import { Wires } from '../support/wires.js'
import { object } from './requests.js'

let world: PlaygroundProxy
let calls: Wires<typeof FleetService>
/** Two instances with a member each, by name. */
let one: string
let two: string
let member: string
const control = (instance: string) => world.playground.karmadas.get(instance)!.server
type Api = ReturnType<typeof control>['local']
const configMaps = (name?: string) =>
  resourcePath(TYPES.configMaps, { namespace: 'default', ...(name !== undefined && { name }) })
const create = (api: Api, name: string, label: string) =>
  api.request({
    method: 'POST',
    path: configMaps(),
    body: object('ConfigMap', name, {}, { labels: { follow: label } }),
  })
const patch = (api: Api, name: string, label: string | null) =>
  api.request({
    method: 'PATCH',
    path: configMaps(name),
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels: { follow: label } } },
  })

beforeAll(async () => {
  world = await startPlaygroundProxy({ instances: 2 })
  await letIn(world)
  const { api, playground } = world
  calls = new Wires(api, FleetService, playground.tokens.admin)
  ;[one = '', two = ''] = [...playground.karmadas.keys()].sort()
  member = world.member
  // Each instance lets people in by an effect of its own. The index cannot select by this field as Karmada does.
  await eventually('all places answer', async () => {
    const { json } = await calls.overRest('listFleetObjects', {
      ...{ version: 'v1', resource: 'configmaps', scope: 'EVERYWHERE' },
      fieldSelector: 'metadata.name!=none',
    })
    const { places = [] } = json as { places?: { error?: object }[] }
    return places.length === 4 && places.every(({ error }) => !error)
  })
})
afterAll(async () => {
  calls?.close()
  await world?.close()
})

const labelled = (label: string): JsonObject => ({
  version: 'v1',
  resource: 'configmaps',
  labelSelector: `follow=${label}`,
})

/** What a step says, without totals: `ADDED instance cluster name`. */
const saidBy = ({ type, object: found, place }: JsonObject): string => {
  const { instance = '', cluster = '', metadata } = (found ?? place ?? {}) as Record<string, JsonObject>
  return [type, instance, cluster, metadata?.name].filter(Boolean).join(' ')
}
const said = ({ steps }: Following) => steps.map(saidBy)
const totalOf = ({ steps }: Following) => steps.at(-1)?.total

/** Follows it over both wires while `work` runs. */
async function following(
  request: JsonObject,
  work: (each: (check: (wire: Following) => void | Promise<void>) => Promise<void>) => Promise<void>,
  as = calls,
): Promise<void> {
  const { rest, grpc } = as.follow('watchFleetObjects', request)
  try {
    await work(async check => {
      for (const wire of [rest, grpc]) await check(wire)
    })
  } finally {
    rest.close()
    grpc.close()
  }
}
const until = (wire: Following, step: string) =>
  eventually(step, () => said(wire).includes(step), { story: wire.text })

describe('a watch over the fleet', () => {
  it('has what is there, and then the changes of control planes and members', async () => {
    await create(control(one).local, 'seen-a', 'seen')
    await create(control(two).local, 'seen-b', 'seen')
    await following({ ...labelled('seen'), scope: 'EVERYWHERE', withData: true }, async each => {
      await each(async wire => {
        await until(wire, 'BOOKMARK')
        const first = said(wire)
        expect(first[0]).toBe('RESET')
        expect(first.at(-1)).toBe('BOOKMARK')
        expect(first.filter(step => step.startsWith('PLACE_FAILED'))).toEqual([])
        expect(totalOf(wire)).toBe(2)
        expect(first).toEqual(
          expect.arrayContaining([`ADDED ${one} seen-a`, `ADDED ${two} seen-b`, `PLACE_READ ${one}`]),
        )
        expect(first.filter(step => step.startsWith('PLACE_READ'))).toHaveLength(4)
      })
      const there = world.playground.members.get(member)!.server.local
      const [owner = ''] = world.playground.karmadas.keys()
      await create(there, 'seen-c', 'seen')
      await each(wire => until(wire, `ADDED ${owner} ${member} seen-c`).then(() => undefined))
      await patch(control(one).local, 'seen-a', null)
      await each(wire => until(wire, `LEFT ${one} seen-a`).then(() => undefined))
      await control(two).local.request({ method: 'DELETE', path: configMaps('seen-b') })
      await each(async wire => {
        await until(wire, `DELETED ${two} seen-b`)
        expect(totalOf(wire)).toBe(1)
        const found = wire.steps.find(step => saidBy(step).endsWith('seen-c'))
        expect(found?.object).toMatchObject({
          ...{ instance: owner, cluster: member, kind: 'ConfigMap', apiVersion: 'v1' },
          source: { source: 'karmada', reason: 'Watch' },
        })
        expect(JSON.parse(String((found?.object as JsonObject | undefined)?.data))).toMatchObject({
          metadata: { name: 'seen-c' },
        })
      })
    })
  })

  it('has changes alone where only they are asked for', async () => {
    await create(control(one).local, 'alone-a', 'alone')
    await create(control(one).local, 'alone-b', 'alone')
    await following({ ...labelled('alone'), instances: [one], changesOnly: true }, async each => {
      await each(async wire => {
        await until(wire, 'BOOKMARK')
        expect(said(wire)).toEqual(['RESET', `RESET ${one}`, `PLACE_READ ${one}`, 'BOOKMARK'])
      })
      await create(control(one).local, 'alone-c', 'alone')
      await create(control(one).local, 'no-match', 'other')
      await control(one).local.request({ method: 'DELETE', path: configMaps('alone-a') })
      await each(async wire => {
        await until(wire, `DELETED ${one} alone-a`)
        expect(said(wire).slice(4)).toEqual([`ADDED ${one} alone-c`, `DELETED ${one} alone-a`])
        expect(totalOf(wire) ?? 0).toBe(0)
      })
    })
  })

  it('names an instance that cannot be read, has the others meanwhile, and goes on with it', async () => {
    await create(control(two).local, 'kept', 'cut')
    const restore = control(two).interrupt({ kind: 'refuseConnections' })
    try {
      await following(labelled('cut'), async each => {
        await each(async wire => {
          await until(wire, 'BOOKMARK')
          expect(said(wire)).toContain(`PLACE_FAILED ${two}`)
        })
        await create(control(one).local, 'meanwhile', 'cut')
        await each(wire => until(wire, `ADDED ${one} meanwhile`).then(() => undefined))
        restore()
        await each(async wire => {
          await until(wire, `PLACE_READ ${two}`)
          expect(said(wire)).toContain(`ADDED ${two} kept`)
          expect(totalOf(wire)).toBe(2)
        })
      })
    } finally {
      restore()
    }
  })

  it('is refused with labels that are none, with Secrets, and to nobody’s token', async () => {
    for (const request of [
      { ...labelled('x'), labelSelector: 'a in (' },
      { version: 'v1', resource: 'secrets' },
      { version: 'v1', resource: 'ships', group: 'example.io' },
    ]) {
      expect(await calls.overRest('watchFleetObjects', request)).toMatchObject({
        ok: false,
        json: { code: 3 },
      })
    }
    expect(await calls.as('nobody').overRest('watchFleetObjects', labelled('x'))).toMatchObject({
      ok: false,
      json: { code: 16 },
    })
  })

  it('follows each instance as the caller', async () => {
    const viewer = calls.as(world.playground.tokens.viewer)
    const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' }
    await following(
      roles,
      each =>
        each(async wire => {
          await until(wire, 'BOOKMARK')
          const refused = wire.steps
            .filter(({ type }) => type === 'PLACE_FAILED')
            .map(({ place }) => place as JsonObject)
          // Whichever answers first.
          expect(refused.map(({ instance }) => instance).sort()).toEqual([one, two])
          for (const { error } of refused) expect(error).toMatchObject({ code: 7 })
        }),
      viewer,
    )
    viewer.close()
  })

  it('leaves an instance that is deleted', async () => {
    await following(labelled('left'), async each => {
      await each(wire => until(wire, 'BOOKMARK').then(() => undefined))
      const { host } = world.playground
      await host.local.request({ method: 'DELETE', path: resourcePath(INSTANCES, { name: two }) })
      await each(wire => until(wire, `PLACE_GONE ${two}`).then(() => undefined))
    })
  })
})
