import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import {
  type FederatedHpa,
  federatedHpaMessage,
  federatedHpaPhase,
  federatedHpas,
} from '../../../../http/rpc/autoscaling/federated-hpa.js'
import {
  FederatedHPASchema,
  MetricSourceType,
  MetricTarget_Type,
  FederatedHPAStatus_Phase as Phase,
  ResourceName,
} from '../../../../proto/gen/kairship/autoscaling_pb.js'
import { SortBy } from '../../../../proto/gen/kairship/types_pb.js'
import { missingFields } from '../missing-fields.js'
import { unsetFields } from '../unset-fields.js'

const here = { instance: 'eu-west' }
const metric = {
  name: 'requests',
  selector: {
    matchLabels: { verb: 'GET' },
    matchExpressions: [{ key: 'path', operator: 'In', values: ['/'] }],
  },
}
const describedObject = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'web' }
const conditions = [
  {
    type: 'AbleToScale',
    status: 'True',
    reason: 'ReadyForNewScale',
    message: 'recommended size matches current size',
    lastTransitionTime: '2026-11-20T10:00:00Z',
  },
  { type: 'ScalingActive', status: 'True' },
]
const hpa = (status: object = {}): FederatedHpa => ({
  apiVersion: 'autoscaling.karmada.io/v1alpha1',
  kind: 'FederatedHPA',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 2,
    maxReplicas: 9,
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
      },
      { type: 'Pods', pods: { metric, target: { type: 'AverageValue', averageValue: '500m' } } },
      { type: 'Object', object: { describedObject, metric, target: { type: 'Value', value: 2000 } } },
      { type: 'External', external: { metric, target: { type: 'Value', value: '1k' } } },
      {
        type: 'ContainerResource',
        containerResource: {
          name: 'ephemeral-storage',
          container: 'main',
          target: { type: 'AverageValue', averageValue: '1Gi' },
        },
      },
    ],
    behavior: {
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Max',
        policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
        tolerance: '0.1',
      },
      scaleDown: { stabilizationWindowSeconds: 300 },
    },
  } as never,
  status: {
    observedGeneration: 3,
    lastScaleTime: '2026-11-20T10:05:00Z',
    currentReplicas: 4,
    desiredReplicas: 5,
    currentMetrics: [
      {
        type: 'Resource',
        resource: { name: 'memory', current: { averageUtilization: 60, averageValue: '9Mi' } },
      },
      { type: 'Pods', pods: { metric, current: { averageValue: '400m' } } },
      { type: 'Object', object: { describedObject, metric, current: { value: '1500' } } },
      { type: 'External', external: { metric, current: { value: '900' } } },
      {
        type: 'ContainerResource',
        containerResource: { name: 'cpu', container: 'main', current: { averageValue: '1' } },
      },
    ],
    conditions,
    ...status,
  } as never,
})
const message = (one = hpa()) => create(FederatedHPASchema, federatedHpaMessage(one, here))

describe('a FederatedHPA message', () => {
  it('has a field for every field of Karmada’s type', () => {
    expect(missingFields('federatedhpas.autoscaling.karmada.io', FederatedHPASchema)).toEqual([])
  })

  it('has every reported value, and no zero value', () => {
    expect(unsetFields(FederatedHPASchema, message())).toEqual([
      // Storage is none of the two that the contract names.
      'ContainerResourceMetricSource.name',
      // Karmada's conditions name no generation.
      'Condition.observed_generation',
    ])
  })

  it('has targets, metrics and behaviour', () => {
    const { spec } = message()
    expect(spec).toMatchObject({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 2,
      maxReplicas: 9,
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 0 },
        scaleDown: { stabilizationWindowSeconds: 300 },
      },
    })
    expect(spec?.metrics).toMatchObject([
      {
        type: MetricSourceType.Resource,
        resource: {
          name: ResourceName.cpu,
          resourceName: 'cpu',
          target: { type: MetricTarget_Type.Utilization, averageUtilization: 70 },
        },
      },
      { pods: { metric: { name: 'requests' }, target: { averageValue: '500m' } } },
      { object: { describedObject: { kind: 'Ingress' }, target: { value: '2000' } } },
      { external: { target: { value: '1k' } } },
      {
        type: MetricSourceType.ContainerResource,
        containerResource: {
          name: ResourceName.RESOURCE_NAME_UNSPECIFIED,
          resourceName: 'ephemeral-storage',
          container: 'main',
        },
      },
    ])
  })

  it('has measured values, and the time of the last scaling', () => {
    expect(message().status).toMatchObject({
      lastScaleTime: BigInt(Date.parse('2026-11-20T10:05:00Z')),
      currentReplicas: 4,
      desiredReplicas: 5,
      phase: Phase.Ready,
      currentMetrics: [
        {
          resource: {
            name: ResourceName.memory,
            resourceName: 'memory',
            current: { averageUtilization: 60 },
          },
        },
        { pods: { current: { averageValue: '400m' } } },
        { object: { current: { value: '1500' } } },
        { external: { current: { value: '900' } } },
        { containerResource: { resourceName: 'cpu', container: 'main' } },
      ],
      conditions: [{ type: 'AbleToScale', reason: 'ReadyForNewScale' }, { type: 'ScalingActive' }],
    })
  })

  it('distinguishes a window of 0 seconds from none', () => {
    const { behavior } = message({ ...hpa(), spec: { behavior: { scaleDown: {} } } as never }).spec ?? {}
    expect(behavior?.scaleDown?.stabilizationWindowSeconds).toBeUndefined()
  })

  it('is complete without spec and status', () => {
    const bare = {
      apiVersion: 'autoscaling.karmada.io/v1alpha1',
      kind: 'FederatedHPA',
      metadata: { name: 'x' },
    }
    expect(message(bare)).toMatchObject({
      spec: { metrics: [] },
      status: { lastScaleTime: 0n, phase: Phase.PHASE_UNSPECIFIED },
    })
  })
})

describe('the phase of a FederatedHPA', () => {
  const condition = (type: string, status: string) => ({ type, status })
  it.each([
    ['Karmada has not looked at it', [], Phase.PHASE_UNSPECIFIED],
    ['it scales', conditions, Phase.Ready],
    ['it would scale further than it may', [...conditions, condition('ScalingLimited', 'True')], Phase.Ready],
    [
      'it cannot reach its target',
      [condition('AbleToScale', 'False'), condition('ScalingActive', 'True')],
      Phase.NotReady,
    ],
    [
      'it has no metric',
      [condition('AbleToScale', 'True'), condition('ScalingActive', 'False')],
      Phase.NotReady,
    ],
    ['its metric is not read yet', [condition('AbleToScale', 'True')], Phase.NotReady],
    [
      'it is not known whether it can',
      [condition('AbleToScale', 'Unknown'), condition('ScalingActive', 'True')],
      Phase.NotReady,
    ],
  ])('where %s', (_, conditions, phase) => {
    const one = hpa({ conditions })
    expect(Phase[federatedHpaPhase(one)]).toBe(Phase[phase])
    expect(federatedHpas.sort?.[SortBy.state]?.(one)).toBe(Phase[phase])
  })
})
