import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FEDERATED_HPAS } from '../../../karmada/autoscaling/cron-scaling.js'
import type { FederatedHpa } from '../../../karmada/autoscaling/federated-hpa.js'
import type { Autoscaler } from '../../../karmada/autoscaling/scale-target-mark.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import type { KubeList, KubeObject } from '../../../manifests/kube.js'
import { ensure, read, remove, update } from '../../../playground/client/write.js'
import type { Autoscaler as MemberAutoscaler } from '../../../playground/member/controllers/autoscaler.js'
import { LOAD_ANNOTATION } from '../../../playground/member/metrics/load.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import { DEPLOYMENTS, HORIZONTAL_POD_AUTOSCALERS } from '../../../playground/objects/core-types.js'
import { eventually } from '../eventually.js'
import {
  deployment,
  divided,
  duplicated,
  POLICIES,
  PropagationWorld,
  policyFor,
} from './propagation-world.js'

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1', 'm2'])
})
afterAll(() => world.close())

const place = (name: string) => ({ namespace: 'default', name })
const RETAIN = 'resourcetemplate.karmada.io/retain-replicas'

/** Containers that request 100Mi: memory counts at once, CPU ten seconds after a pod's start. */
const containers = [{ name: 'web', image: 'nginx', resources: { requests: { memory: '100Mi' } } }]
const web = (name: string, replicas: number, load: string): KubeObject => {
  const one = deployment(name, replicas, 'default', { containers })
  return { ...one, metadata: { ...one.metadata, annotations: { [LOAD_ANNOTATION]: load } } }
}
const scaling = (name: string, rest: object = {}) => ({
  scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
  minReplicas: 1,
  maxReplicas: 6,
  metrics: [
    {
      type: 'Resource',
      resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 50 } },
    },
  ],
  ...rest,
})
const federated = (name: string, rest: object = {}): FederatedHpa =>
  ({
    apiVersion: 'autoscaling.karmada.io/v1alpha1',
    kind: 'FederatedHPA',
    metadata: place(name),
    spec: scaling(name, rest),
  }) as FederatedHpa
const autoscaler = (name: string, rest: object = {}): Autoscaler =>
  ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: place(name),
    spec: scaling(name, rest),
  }) as Autoscaler
const replicasOf = async (name: string) => (await world.template(name))?.spec?.replicas
const replicasIn = async (member: string, name: string) =>
  (await world.inMember(member, name))?.spec?.replicas
const hpaOf = (name: string) => read<FederatedHpa>(world.control, FEDERATED_HPAS, place(name))

describe('a FederatedHPA', () => {
  it('scales a template by what its pods in all members use, and says so', async () => {
    await ensure(world.control, POLICIES, policyFor('Deployment', 'busy', duplicated('m1', 'm2')))
    await ensure(world.control, DEPLOYMENTS, web('busy', 1, 'memory=100Mi'))
    await ensure(world.control, FEDERATED_HPAS, federated('busy'))
    // 124Mi of 100Mi are two and a half times the target.
    await eventually('three replicas', async () => (await replicasOf('busy')) === 3)
    const status = await eventually('its status', async () => {
      const found = (await hpaOf('busy'))?.status
      return found?.desiredReplicas === 3 ? found : undefined
    })
    expect(status.currentMetrics?.[0]).toMatchObject({
      resource: { name: 'memory', current: { averageUtilization: 124 } },
    })
    expect(conditionOf(status.conditions, 'AbleToScale')?.reason).toBe('SucceededRescale')
    const path = '/api/v1/namespaces/default/events'
    const event = await eventually('an Event', async () => {
      const { items } = await world.control.request<
        KubeList<KubeObject & { reason: string; message: string; involvedObject: { kind: string } }>
      >({ method: 'GET', path })
      return items.find(
        one => one.involvedObject.kind === 'FederatedHPA' && one.reason === 'SuccessfulRescale',
      )
    })
    expect(event.message).toBe(
      'New size: 3; reason: memory resource utilization (percentage of request) above target',
    )
  })

  it('keeps a template within its limits, with what Karmada’s webhook fills in', async () => {
    await ensure(world.control, POLICIES, policyFor('Deployment', 'bounded', duplicated('m1')))
    await ensure(world.control, DEPLOYMENTS, web('bounded', 5, ''))
    const { spec, ...head } = federated('bounded', { maxReplicas: 2, behavior: { scaleDown: {} } })
    const { minReplicas: _m, metrics: _s, ...rest } = spec
    await ensure(world.control, FEDERATED_HPAS, { ...head, spec: rest } as FederatedHpa)
    await eventually('two replicas', async () => (await replicasOf('bounded')) === 2)
    expect((await hpaOf('bounded'))?.spec).toMatchObject({
      minReplicas: 1,
      metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 80 } } }],
      behavior: { scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: 'Max' } },
    })
  })

  it('of a workload that no policy has claimed says so', async () => {
    await ensure(world.control, DEPLOYMENTS, web('alone', 1, ''))
    await ensure(world.control, FEDERATED_HPAS, federated('alone'))
    const found = await eventually('its condition', async () =>
      conditionOf((await hpaOf('alone'))?.status?.conditions, 'AbleToScale'),
    )
    expect(found).toMatchObject({
      ...{ status: 'False', reason: 'FailedGetBinding' },
      message:
        'the HPA controller was unable to get the binding by scaleTargetRef: no label of policy permanent-id found',
    })
  })
})

describe('a HorizontalPodAutoscaler in a member', () => {
  it('scales a workload there by what its pods use, and within its limits', async () => {
    const api = world.member('m1')
    await ensure(api, DEPLOYMENTS, web('own', 1, 'memory=100Mi'))
    await eventually('a ready pod', async () => {
      const found = await read<Resource>(api, DEPLOYMENTS, place('own'))
      return found?.status?.readyReplicas === 1
    })
    await ensure(api, HORIZONTAL_POD_AUTOSCALERS, autoscaler('own'))
    // 124Mi of 100Mi are two and a half times the target.
    await eventually('three replicas', async () => {
      const found = await read<Resource>(api, DEPLOYMENTS, place('own'))
      return found?.spec?.replicas === 3
    })
    const status = await eventually('its status', async () => {
      const found = await read<MemberAutoscaler>(api, HORIZONTAL_POD_AUTOSCALERS, place('own'))
      return found?.status?.desiredReplicas === 3 ? found.status : undefined
    })
    expect(status).toMatchObject({ currentReplicas: 1, lastScaleTime: expect.any(String) })
    await update<MemberAutoscaler>(api, HORIZONTAL_POD_AUTOSCALERS, place('own'), one => ({
      ...one,
      spec: { ...one.spec, maxReplicas: 2 },
    }))
    await eventually('two replicas', async () => {
      const found = await read<Resource>(api, DEPLOYMENTS, place('own'))
      return found?.spec?.replicas === 2
    })
  })

  it('whose workload is missing says so', async () => {
    const api = world.member('m1')
    await ensure(api, HORIZONTAL_POD_AUTOSCALERS, autoscaler('nobody'))
    const found = await eventually('its condition', async () => {
      const one = await read<MemberAutoscaler>(api, HORIZONTAL_POD_AUTOSCALERS, place('nobody'))
      return conditionOf(one?.status?.conditions ?? [], 'AbleToScale')
    })
    expect(found).toMatchObject({ status: 'False', reason: 'FailedGetScale' })
    expect(found.message).toContain('deployments.apps "nobody" not found')
  })
})

describe('an autoscaler that is propagated', () => {
  it('takes the replicas over from Karmada, and the template follows what members have', async () => {
    const policy = policyFor('Deployment', 'shared', divided(['m1', 1], ['m2', 1])) as Resource
    const selectors = ['Deployment', 'HorizontalPodAutoscaler'].map((kind, index) => ({
      apiVersion: ['apps/v1', 'autoscaling/v2'][index],
      kind,
      name: 'shared',
    }))
    await ensure(world.control, POLICIES, {
      ...policy,
      spec: { ...policy.spec, resourceSelectors: selectors },
    } as KubeObject)
    await ensure(world.control, DEPLOYMENTS, web('shared', 4, ''))
    await ensure(world.control, HORIZONTAL_POD_AUTOSCALERS, autoscaler('shared', { minReplicas: 3 }))
    await eventually('three replicas in each member', async () => {
      return (await replicasIn('m1', 'shared')) === 3 && (await replicasIn('m2', 'shared')) === 3
    })
    await eventually('six in the template', async () => (await replicasOf('shared')) === 6)
    expect((await world.template('shared'))?.metadata.labels?.[RETAIN]).toBe('true')
    await remove(world.control, HORIZONTAL_POD_AUTOSCALERS, place('shared'))
    await eventually('Karmada to have them again', async () => {
      return (await world.template('shared'))?.metadata.labels?.[RETAIN] === undefined
    })
  })
})
