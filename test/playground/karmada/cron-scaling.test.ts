import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CRON_FEDERATED_HPAS,
  type CronFederatedHpa,
  FEDERATED_HPAS,
} from '../../../karmada/autoscaling/cron-scaling.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { ensure, read, update } from '../../../playground/client/write.js'
import { DEPLOYMENTS } from '../../../playground/objects/core-types.js'
import { eventually } from '../eventually.js'
import { deployment, PropagationWorld } from './propagation-world.js'

const at = (time: string) => Date.parse(`2026-01-01T${time}Z`)
/** A clock that the test sets. */
let clock = at('12:00:59.990')
let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start([], { clock: () => clock })
})
afterAll(() => world.close())

const place = (name: string) => ({ namespace: 'default', name })
const cron = (name: string, target: object, rule: object): CronFederatedHpa =>
  ({
    apiVersion: 'autoscaling.karmada.io/v1alpha1',
    kind: 'CronFederatedHPA',
    metadata: place(name),
    spec: { scaleTargetRef: target, rules: [{ name: 'up', schedule: '* * * * *', ...rule }] },
  }) as CronFederatedHpa
const historyOf = async (name: string) =>
  (await read<CronFederatedHpa>(world.control, CRON_FEDERATED_HPAS, place(name)))?.status
    ?.executionHistories?.[0]
const replicasOf = async (name: string) =>
  (await read<Resource>(world.control, DEPLOYMENTS, place(name)))?.spec?.replicas
const web = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }

describe('a CronFederatedHPA', () => {
  it('scales a workload and the limits of a FederatedHPA when the time has come, and records it', async () => {
    await ensure(world.control, DEPLOYMENTS, deployment('web', 1))
    const hpa = { apiVersion: 'autoscaling.karmada.io/v1alpha1', kind: 'FederatedHPA' }
    const spec = { minReplicas: 1, maxReplicas: 10, scaleTargetRef: web }
    await ensure(world.control, FEDERATED_HPAS, { ...hpa, metadata: place('web'), spec } as KubeObject)
    await ensure(world.control, CRON_FEDERATED_HPAS, cron('workload', web, { targetReplicas: 4 }))
    await ensure(world.control, CRON_FEDERATED_HPAS, cron('calm', web, { targetReplicas: 9, suspend: true }))
    const target = { ...hpa, name: 'web' }
    const limits = { targetMinReplicas: 3, targetMaxReplicas: 20 }
    await ensure(world.control, CRON_FEDERATED_HPAS, cron('limits', target, limits))
    const missing = { ...web, name: 'nobody' }
    await ensure(world.control, CRON_FEDERATED_HPAS, cron('failing', missing, { targetReplicas: 1 }))
    for (const name of ['workload', 'limits', 'failing'])
      await eventually(`${name} to wait`, async () => {
        return (await historyOf(name))?.nextExecutionTime === '2026-01-01T12:01:00Z'
      })
    expect(await replicasOf('web')).toBe(1)
    clock = at('12:01:00')
    await eventually('four replicas', async () => (await replicasOf('web')) === 4)
    const history = await eventually('it to be recorded', async () => {
      const found = await historyOf('workload')
      return found?.successfulExecutions ? found : undefined
    })
    const due = '2026-01-01T12:01:00Z'
    expect(history).toMatchObject({
      ruleName: 'up',
      nextExecutionTime: '2026-01-01T12:02:00Z',
      successfulExecutions: [{ scheduleTime: due, appliedReplicas: 4 }],
    })
    await eventually('the limits', async () => {
      const found = await read<Resource>(world.control, FEDERATED_HPAS, place('web'))
      return found?.spec?.minReplicas === 3 && found.spec.maxReplicas === 20
    })
    const failed = await eventually('the failure', async () => (await historyOf('failing'))?.failedExecutions)
    expect(failed).toMatchObject([{ scheduleTime: due, message: 'Deployment.apps "nobody" not found' }])
    await eventually('the suspended rule', async () => (await historyOf('calm'))?.ruleName === 'up')
    expect(await historyOf('calm')).toEqual({ ruleName: 'up' })
  })

  it('follows a change of its rules', async () => {
    const suspend = (name: string, suspended: boolean) =>
      update<CronFederatedHpa>(world.control, CRON_FEDERATED_HPAS, place(name), one => ({
        ...one,
        spec: { ...one.spec, rules: one.spec.rules.map(rule => ({ ...rule, suspend: suspended })) },
      }))
    await suspend('workload', true)
    await eventually('no next time', async () => !(await historyOf('workload'))?.nextExecutionTime)
    clock = at('12:01:59.990')
    await suspend('calm', false)
    await eventually('its next time', async () => {
      return (await historyOf('calm'))?.nextExecutionTime === '2026-01-01T12:02:00Z'
    })
    clock = at('12:02:00')
    await eventually('nine replicas', async () => (await replicasOf('web')) === 9)
  })
})
