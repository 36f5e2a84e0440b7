import { describe, expect, it } from 'vitest'
import { AutoscalingService } from '../../../proto/gen/kairship/autoscaling_pb.js'
import { eventually } from '../support/eventually.js'
import { kindSuite } from '../support/kind-suite.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'
import { EMPTY, whileFollowing } from '../support/while-following.js'

const world = new ManagedWorld(AutoscalingService)
const named = (name: string) => ({ instance: world.instance, namespace: 'default', name })
const spec = (kind = 'Deployment', name = 'web') => ({
  scaleTargetRef: { apiVersion: 'apps/v1', kind, name },
  minReplicas: 2,
  maxReplicas: 9,
  metrics: [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
  ],
  behavior: { scaleDown: { policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }], selectPolicy: 'Min' } },
})
const create = (name: string, scales = spec(), metadata: object = {}) =>
  world.calls.rest('createFederatedHPA', {
    instance: world.instance,
    namespace: 'default',
    data: JSON.stringify({
      apiVersion: 'autoscaling.karmada.io/v1alpha1',
      kind: 'FederatedHPA',
      metadata: { name, ...metadata },
      spec: scales,
    }),
  })

kindSuite({
  world,
  type: TYPES.federatedHpas,
  kind: 'FederatedHPA',
  namespaced: true,
  rpcs: {
    list: 'listFederatedHPAs',
    listAll: 'listInstanceFederatedHPAs',
    get: 'getFederatedHPA',
    json: 'getFederatedHPAJSON',
    create: 'createFederatedHPA',
    update: 'updateFederatedHPA',
    remove: 'deleteFederatedHPA',
    watch: 'watchFederatedHPAs',
  },
  field: 'fhpa',
  spec: spec(),
  changed: { maxReplicas: 12 },
  refused: [{ ...spec(), maxReplicas: 'many' as never }, /spec\.maxReplicas/],
})

describe('FederatedHPAs of an instance', () => {
  const list = async (
    more: object,
    rpc: 'listFederatedHPAs' | 'listInstanceFederatedHPAs' = 'listFederatedHPAs',
  ) => {
    const request = {
      instance: world.instance,
      ...(rpc === 'listFederatedHPAs' && { namespace: 'default' }),
      ...more,
    }
    const { items } = await world.calls.read(rpc, request)
    return items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)
  }

  it('are found by their scale target', async () => {
    await create('of-web', spec('Deployment', 'front'))
    await create('of-db', spec('StatefulSet', 'store'))
    await create('of-old', spec('ReplicaSet', 'front'))
    for (const rpc of ['listFederatedHPAs', 'listInstanceFederatedHPAs'] as const) {
      expect(await list({ name: 'of-', kind: 'StatefulSet' }, rpc)).toEqual(['of-db'])
      expect(await list({ name: 'of-', targetName: 'front' }, rpc)).toEqual(['of-old', 'of-web'])
      expect(await list({ kind: 'Deployment', targetName: 'front' }, rpc)).toEqual(['of-web'])
    }
    const refused = await world.calls.both('listFederatedHPAs', { ...named('of-'), kind: 9 })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
  })

  it('are followed by their scale target', async () => {
    const at = { instance: world.instance, namespace: 'default' }
    const request = { ...at, kind: 'Deployment', targetName: 'followed' }
    await whileFollowing(world.calls, 'watchFederatedHPAs', request, 'fhpa', async told => {
      expect(await told(2)).toEqual(EMPTY)
      await create('follow-db', spec('StatefulSet', 'followed'))
      await create('follow-other', spec('Deployment', 'front'))
      await create('follow-it', spec('Deployment', 'followed'))
      expect((await told(3))[2]).toEqual(['ADDED', 1, 'follow-it'])
      const target = { spec: { scaleTargetRef: { name: 'other' } } }
      await world.patch(
        world.control,
        TYPES.federatedHpas,
        { namespace: 'default', name: 'follow-it' },
        target,
      )
      // Karmada reports on it meanwhile.
      let next = 3
      while ((await told(next + 1))[next]?.[0] === 'MODIFIED') next += 1
      expect((await told(next + 1))[next]).toEqual(['LEFT', 0, 'follow-it'])
    })
    const refused = await world.calls.overRest('watchFederatedHPAs', { ...at, kind: 9 })
    expect(refused).toMatchObject({ ok: false, json: { code: 3 } })
  })

  it('have the values that Karmada reports, and are sorted by their phase', async () => {
    for (const name of ['phase-a', 'phase-b', 'phase-c']) await create(name)
    const report = (name: string, status: object) =>
      world.patch(world.control, TYPES.federatedHpas, { namespace: 'default', name }, { status }, 'status')
    const condition = (type: string, status: string) => ({
      ...{ type, status, reason: 'Tested', message: 'as told', lastTransitionTime: '2026-11-20T10:00:00Z' },
    })
    // Karmada's own controller reports now and then that the target does not exist.
    await eventually('the reported values and the order by phase', async () => {
      await report('phase-a', {
        currentReplicas: 4,
        desiredReplicas: 5,
        lastScaleTime: '2026-11-20T10:05:00Z',
        currentMetrics: [
          { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 60 } } },
        ],
        conditions: [condition('AbleToScale', 'True'), condition('ScalingActive', 'True')],
      })
      await report('phase-b', { desiredReplicas: 0, conditions: [condition('AbleToScale', 'False')] })
      await report('phase-c', { conditions: [] })
      const { fhpa } = await world.calls.read('getFederatedHPA', named('phase-a'))
      expect(fhpa).toMatchObject({
        spec: { minReplicas: 2, metrics: [{ resource: { resourceName: 'cpu' } }] },
        status: {
          phase: 'Ready',
          currentReplicas: 4,
          desiredReplicas: 5,
          lastScaleTime: String(Date.parse('2026-11-20T10:05:00Z')),
          currentMetrics: [
            { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 60 } } },
          ],
          conditions: [{ type: 'AbleToScale' }, { type: 'ScalingActive', message: 'as told' }],
        },
      })
      const sorted = { name: 'phase-', sortBy: 'state', sortDir: 'asc' }
      expect(await list(sorted)).toEqual(['phase-b', 'phase-c', 'phase-a'])
      expect(await list({ ...sorted, sortDir: 'desc' })).toEqual(['phase-a', 'phase-c', 'phase-b'])
      return true
    })
  })
})
