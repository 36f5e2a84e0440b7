import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CUSTOMIZATIONS } from '../../../karmada/interpreter/customized/customization.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import { ensure, update } from '../../../playground/client/write.js'
import { DEPLOYMENTS } from '../../../playground/objects/core-types.js'
import { customizationOf } from '../../karmada/customized.js'
import { eventually } from '../eventually.js'
import { deployment, duplicated, POLICIES, PropagationWorld, policyFor } from './propagation-world.js'

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1', 'm2'])
})
afterAll(() => world.close())

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' }
const create = (name: string, scripts: Parameters<typeof customizationOf>[1]) =>
  world.control.request({
    method: 'POST',
    path: '/apis/config.karmada.io/v1alpha1/resourceinterpretercustomizations',
    body: customizationOf(DEPLOYMENT, scripts, name),
  })
const rewrite = (name: string, scripts: Parameters<typeof customizationOf>[1]) =>
  update(world.control, CUSTOMIZATIONS, { name }, one => ({
    ...one,
    spec: customizationOf(DEPLOYMENT, scripts).spec,
  }))
const change = (name: string, spec: object) =>
  update<Resource>(world.control, DEPLOYMENTS, { namespace: 'default', name }, one => ({
    ...one,
    spec: { ...one.spec, ...spec },
  }))

describe('a ResourceInterpreterCustomization', () => {
  it('decides replicas, health and status of templates that come after it', async () => {
    await create('counts', {
      replicaResource:
        'function GetReplicas(obj) return obj.spec.replicas + 1, { resourceRequest = { cpu = "10m" } } end',
      replicaRevision:
        'function ReviseReplica(obj, n) obj.spec.replicas = n obj.spec.minReadySeconds = 1 return obj end',
      healthInterpretation: 'function InterpretHealth(obj) return false end',
      statusReflection: 'function ReflectStatus(obj) return { replicas = obj.spec.replicas, none = {} } end',
      statusAggregation: `function AggregateStatus(obj, items)
  local sum = 0
  for i = 1, #items do if items[i].status ~= nil then sum = sum + items[i].status.replicas end end
  obj.status = { replicas = sum, updatedReplicas = sum }
  return obj
end`,
    })
    await ensure(world.control, DEPLOYMENTS, deployment('web', 2))
    await ensure(world.control, POLICIES, policyFor('Deployment', 'web', duplicated('m1', 'm2')))
    const status = await eventually('the template to have a status', async () => {
      const { status } = (await world.template('web')) ?? {}
      return status?.replicas === 6 ? status : undefined
    })
    expect(status).toMatchObject({ replicas: 6, updatedReplicas: 6 })
    const binding = await eventually('both members to report', async () => {
      const found = await world.binding('web')
      return found?.status?.aggregatedStatus?.every(one => one.status) ? found : undefined
    })
    expect(binding.spec).toMatchObject({
      replicas: 3,
      replicaRequirements: { resourceRequest: { cpu: '10m' }, namespace: 'default' },
    })
    expect(binding.status?.aggregatedStatus).toEqual(
      ['m1', 'm2'].map(clusterName => ({
        clusterName,
        applied: true,
        health: 'Unhealthy',
        status: { replicas: 3 },
      })),
    )
    expect((await world.inMember('m1', 'web'))?.spec).toMatchObject({ replicas: 3, minReadySeconds: 1 })
  })

  it('that changes counts from the next change of a template on, and a script that fails changes nothing', async () => {
    await rewrite('counts', {
      replicaResource: 'function GetReplicas(obj) return obj.spec.nothing.there end',
    })
    await change('web', { replicas: 5 })
    const event = await eventually('the failure to be reported', async () => {
      const path = '/api/v1/namespaces/default/events'
      const { items } = await world.control.request<{ items: { reason: string; message: string }[] }>({
        method: 'GET',
        path,
      })
      return items.find(({ reason }) => reason === 'GetReplicasFailed')
    })
    expect(event.message).toBe("<string>:1: attempt to index a non-table object(nil) with key 'there'")
    expect((await world.binding('web'))?.spec.replicas).toBe(3)
    await rewrite('counts', { replicaResource: 'function GetReplicas(obj) return obj.spec.replicas * 2 end' })
    await change('web', { replicas: 4 })
    await eventually('the new rule to count', async () => (await world.binding('web'))?.spec.replicas === 8)
  })

  it('keeps what a member has', async () => {
    await rewrite('counts', {
      retention:
        'function Retain(desired, observed) desired.spec.replicas = observed.spec.replicas return desired end',
    })
    const replicas = (await world.inMember('m1', 'web'))?.spec?.replicas
    await change('web', { replicas: 7, minReadySeconds: 9 })
    await eventually('the change to reach the member', async () => {
      const spec = (await world.inMember('m1', 'web'))?.spec
      return spec?.minReadySeconds === 9 && spec.replicas === replicas
    })
  })

  it.each([
    [
      'has a script for an operation that another one has',
      { retention: 'x = 1' },
      'admission webhook "resourceinterpretercustomization.karmada.io" denied the request: conflicting with InterpreterOperation(Retain) of existing ResourceInterpreterCustomization(counts)',
    ],
    [
      'is not Lua',
      { statusReflection: 'function ReflectStatus(o)\n  return o.\nend' },
      "InterpreterOperation(InterpretStatus) Lua script error: <string> line:3(column:3) near 'end':   syntax error",
    ],
  ])('that %s is refused', async (_, scripts, message) => {
    await expect(create('other', scripts)).rejects.toThrow(message)
  })

  it('with an endless script holds nothing up', async () => {
    await rewrite('counts', { healthInterpretation: 'function InterpretHealth(o) while true do end end' })
    await change('web', { replicas: 1 })
    await eventually('its health to be unknown', async () =>
      (await world.binding('web'))?.status?.aggregatedStatus?.some(({ health }) => health === 'Unknown'),
    )
    await ensure(world.control, DEPLOYMENTS, deployment('other', 1))
    await ensure(world.control, POLICIES, policyFor('Deployment', 'other', duplicated('m1', 'm2')))
    await eventually('another workload to be everywhere', () => world.isEverywhere('other'))
  })
})
