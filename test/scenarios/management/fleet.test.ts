import type { JsonObject } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INSTANCES, type Instance } from '../../../manifests/instance.js'
import { resourcePath } from '../../../manifests/kube.js'
import { FleetService } from '../../../proto/gen/kairship/fleet_pb.js'
import { letIn, type PlaygroundProxy, startPlaygroundProxy } from '../../http/proxy/playground-proxy.js'
import { definitionOf } from '../support/boats.js'
import { eventually } from '../support/eventually.js'
import { TYPES } from '../support/managed-world.js'
import { Wires } from '../support/wires.js'
import { deployment } from './apps/deployments-in.js'
import { object } from './requests.js'

type Type = Parameters<typeof resourcePath>[0]
interface Answer {
  readonly items: readonly {
    readonly instance: string
    readonly cluster: string
    readonly kind: string
    readonly apiVersion: string
    readonly metadata: { readonly name: string }
    readonly source: { readonly source: string }
    readonly data: string
  }[]
  readonly pagination: JsonObject
  readonly places: readonly {
    readonly instance: string
    readonly cluster: string
    readonly total: number
    readonly error?: { readonly code: number; readonly reason: string; readonly message: string }
  }[]
}

let world: PlaygroundProxy
let calls: Wires<typeof FleetService>
let viewer: Wires<typeof FleetService>
/** Two instances with a member each, by name. */
let instances: readonly string[]
let members: readonly string[]
const control = (instance: string) => world.playground.karmadas.get(instance)!.server
const write = (api: ReturnType<typeof control>['local'], type: Type, one: object) => {
  const isClusterWide = type.resource === 'customresourcedefinitions'
  const path = resourcePath(type, isClusterWide ? {} : { namespace: 'default' })
  return api.request({ method: 'POST', path, body: one })
}

beforeAll(async () => {
  world = await startPlaygroundProxy({ instances: 2 })
  await letIn(world)
  const { api, playground } = world
  calls = new Wires(api, FleetService, playground.tokens.admin)
  viewer = calls.as(playground.tokens.viewer)
  instances = [...playground.karmadas.keys()].sort()
  members = [...playground.members.keys()].sort()
  for (const [index, instance] of instances.entries())
    for (const name of ['b', 'a', 'c'].slice(index)) {
      await write(control(instance).local, TYPES.deployments, deployment(`fleet-${name}`))
      await write(control(instance).local, TYPES.configMaps, object('ConfigMap', `fleet-${name}`))
    }
  await eventually('the fleet shows them', async () => {
    const { pagination } = await list({ ...ofDeployments(), withData: false })
    return pagination.total === 5
  })
})
afterAll(async () => {
  calls?.close()
  viewer?.close()
  await world?.close()
})

const COPY = { apiVersion: 'kairship.io/v1alpha1', kind: 'Instance', metadata: { name: 'copy' } }
const ofDeployments = (): JsonObject => ({
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  name: 'fleet-',
})
const ofConfigMaps = (): JsonObject => ({ version: 'v1', resource: 'configmaps', name: 'fleet-' })

/** The answer over both wires, which must be alike but for how old the index is. */
async function list(request: JsonObject, as = calls): Promise<Answer> {
  const [rest, grpc] = [
    await as.overRest('listFleetObjects', request),
    await as.overGrpc('listFleetObjects', request),
  ]
  for (const { ok, text } of [rest, grpc]) expect(ok, text).toBe(true)
  const ageless = (json: unknown) =>
    JSON.parse(JSON.stringify(json, (key, value) => (key === 'lagMs' ? undefined : value)))
  expect(ageless(grpc.json)).toEqual(ageless(rest.json))
  return rest.json as unknown as Answer
}
const found = ({ items }: Answer) =>
  items.map(({ instance, cluster, metadata }) => [instance, cluster, metadata.name].filter(Boolean).join(' '))
const totals = ({ places }: Answer) =>
  places.map(({ instance, cluster, total, error }) => [instance, cluster, error ? error.code : total])

describe('a list over the fleet', () => {
  it('is paged, sorted and counted over all instances, from their indexes', async () => {
    const [one = '', two = ''] = instances
    const first = await list({ ...ofDeployments(), pageSize: 3 })
    expect(found(first)).toEqual([`${one} fleet-a`, `${two} fleet-a`, `${one} fleet-b`])
    expect(first.pagination).toMatchObject({ total: 5, page: 1, pageSize: 3, pages: 2 })
    expect(first.items[0]).toMatchObject({
      ...{ kind: 'Deployment', apiVersion: 'apps/v1', data: '', source: { source: 'index' } },
    })
    expect(totals(first)).toEqual([
      [one, '', 3],
      [two, '', 2],
    ])
    const second = await list({ ...ofDeployments(), pageSize: 3, page: 2 })
    expect(found(second)).toEqual([`${one} fleet-c`, `${two} fleet-c`])
    const pageToken = first.pagination.nextPageToken ?? ''
    const next = await list({ ...ofDeployments(), pageSize: 3, pageToken })
    expect(found(next)).toEqual(found(second))
    expect(next.pagination).toEqual({ total: 5, page: 2, pageSize: 3, pages: 2 })
    const turned = await list({ ...ofDeployments(), sortBy: 'cluster', sortDir: 'desc', pageSize: 2 })
    expect(found(turned)).toEqual([`${two} fleet-a`, `${two} fleet-c`])
  })

  it('reads members too, and has the whole objects where they are asked for', async () => {
    const [member = ''] = members
    const { local } = world.playground.members.get(member)!.server
    await write(local, TYPES.configMaps, object('ConfigMap', 'fleet-there'))
    const all = await list({ ...ofConfigMaps(), scope: 'EVERYWHERE', withData: true })
    expect(all.pagination.total).toBe(6)
    expect(all.places).toHaveLength(4)
    const there = all.items.find(({ metadata }) => metadata.name === 'fleet-there')
    expect(there).toMatchObject({ cluster: member, kind: 'ConfigMap', source: { source: 'karmada' } })
    expect(JSON.parse(there?.data ?? '')).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'fleet-there' },
    })
    const only = await list({ ...ofConfigMaps(), scope: 'MEMBERS', clusters: [member] })
    expect(found(only)).toEqual([`${there?.instance} ${member} fleet-there`])
  })

  it('names an instance that hangs, within seconds, and has the others', async () => {
    const [one = '', two = ''] = instances
    const restore = control(two).interrupt({ kind: 'delay', milliseconds: 60_000 })
    try {
      const begun = performance.now()
      // The index cannot select by this field as Karmada does.
      const answer = await calls.overRest('listFleetObjects', {
        ...ofDeployments(),
        fieldSelector: 'metadata.name!=fleet-b',
      })
      expect(answer.ok, answer.text).toBe(true)
      // It has 5 s; a list has 20.
      expect(performance.now() - begun).toBeLessThan(15_000)
      const json = answer.json as unknown as Answer
      expect(found(json)).toEqual([`${one} fleet-a`, `${one} fleet-c`])
      expect(json.places[0]).toMatchObject({ instance: one, total: 2 })
      expect(json.places[1]).toMatchObject({ instance: two, total: 0, error: { code: expect.any(Number) } })
      expect([4, 14]).toContain(json.places[1]?.error?.code)
    } finally {
      restore()
    }
    // Its circuit closes a moment after it answers again.
    await eventually('the instance is asked again', async () => {
      const { json } = await calls.overRest('listFleetObjects', {
        ...ofDeployments(),
        fieldSelector: 'metadata.name!=fleet-b',
      })
      return (json as unknown as Answer).places.every(({ error }) => !error)
    })
  })

  it('names an instance that does not serve the type, and is refused where none does', async () => {
    const [one = ''] = instances
    await write(control(one).local, TYPES.definitions, definitionOf('boats', 'Boat', 'Namespaced'))
    const boats = { group: 'example.io', version: 'v1', resource: 'boats' }
    await eventually('boats are served', async () => (await calls.overRest('listFleetObjects', boats)).ok)
    const answer = await list(boats)
    expect(answer.places.map(({ error }) => error?.code ?? 0)).toEqual([0, 3])
    const refused = await calls.overRest('listFleetObjects', { ...boats, resource: 'ships' })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
  })

  it('counts the objects of an instance once that another Instance leads to as well, and names that one', async () => {
    const [one = ''] = instances
    const { local } = world.playground.host
    const { spec } = await local.request<Instance>({
      method: 'GET',
      path: resourcePath(INSTANCES, { name: one }),
    })
    await local.request({ method: 'POST', path: resourcePath(INSTANCES), body: { ...COPY, spec } })
    try {
      const answer = await eventually('it is refused', async () => {
        const found = await list(ofDeployments())
        return found.places.some(({ error }) => error?.reason.startsWith('Duplicate')) ? found : undefined
      })
      expect(answer.pagination.total).toBe(5)
      expect(answer.places.at(-1)).toMatchObject({
        ...{ instance: 'copy', total: 0 },
        error: { code: 9, message: expect.stringContaining(`instance ${one}, which is older`) },
      })
    } finally {
      const path = resourcePath(INSTANCES, { name: 'copy' })
      await local.request({ method: 'DELETE', path })
      await eventually('it is gone', async () => (await list(ofDeployments())).places.length === 2)
    }
  })

  it('has no Secrets', async () => {
    for (const outcome of [
      await calls.overRest('listFleetObjects', { version: 'v1', resource: 'secrets' }),
      await calls.overGrpc('listFleetObjects', { version: 'v1', resource: 'secrets', withData: true }),
    ])
      expect(outcome).toMatchObject({ ok: false, json: { code: 3 } })
  })

  it('asks each instance as the caller', async () => {
    const seen = await list(
      { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' },
      viewer,
    )
    expect(totals(seen).map(([, , outcome]) => outcome)).toEqual([7, 7])
    expect(found(await list(ofDeployments(), viewer))).toHaveLength(5)
  })
})
