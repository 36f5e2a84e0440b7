import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { Replicated } from '../../../../http/rpc/apps/replicated.js'
import { statefulSetMessage, statefulSetState } from '../../../../http/rpc/apps/stateful-set.js'
import { distributionOf, UNKNOWN_DISTRIBUTION } from '../../../../http/rpc/distribution/distribution.js'
import { ClusterProvider, WorkloadState } from '../../../../proto/gen/kairship/types_pb.js'
import { StatefulSetSchema } from '../../../../proto/gen/kairship/workload_pb.js'
import { binding } from '../objects/binding.js'
import { podTemplate } from '../objects/pod-template.js'
import { unsetFields } from '../unset-fields.js'

/** A template as karmada-apiserver returns it: three replicas, all of them ready. */
const statefulSet = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', namespace: 'shop', uid: 'u-1', generation: 4 },
  spec: {
    replicas: 3,
    serviceName: 'db',
    podManagementPolicy: 'Parallel',
    selector: { matchLabels: { app: 'db' } },
    template: podTemplate,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2, maxUnavailable: '10%' } },
  },
  status: {
    observedGeneration: 4,
    replicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    updatedReplicas: 3,
    conditions: [
      {
        type: 'Odd',
        status: 'True',
        reason: 'Because',
        message: 'it is',
        lastTransitionTime: '2026-11-20T10:00:00Z',
        lastUpdateTime: '2026-11-20T10:00:00Z',
        observedGeneration: 4,
      },
    ],
  },
} as Replicated

const facts = { provider: ClusterProvider.AWS_EKS, reachable: true }
const report = (clusterName: string, ready: number, generations: object = {}) => ({
  ...{ clusterName, applied: true, appliedMessage: 'applied', health: 'Healthy' },
  status: {
    ...{ readyReplicas: ready, availableReplicas: ready },
    ...{ generation: 9, resourceTemplateGeneration: 4, ...generations },
  },
})
const placedAs = (...aggregatedStatus: readonly object[]) =>
  distributionOf(
    binding({}, { aggregatedStatus }),
    new Map([
      ['a', facts],
      ['b', facts],
    ]),
  )
const placed = placedAs(report('a', 2), report('b', 0))

describe('a StatefulSet as a message', () => {
  it('sets every field that the message has', () => {
    const message = create(
      StatefulSetSchema,
      statefulSetMessage(statefulSet, { instance: 'eu-west' }, placed),
    )
    expect(unsetFields(StatefulSetSchema, message)).toEqual([])
    expect(message.spec).toMatchObject({
      updateStrategy: { rollingUpdate: { partition: 2 } },
      serviceName: 'db',
    })
  })

  it('counts replicas over its clusters', () => {
    const { status } = statefulSetMessage(statefulSet, { instance: 'eu-west' }, placed)
    expect(status).toMatchObject({
      ...{ desiredReplicas: 3, readyReplicas: 2, availableReplicas: 2 },
      state: WorkloadState.NOT_READY,
    })
  })
})

describe('the state of a StatefulSet', () => {
  const { RUNNING, NOT_READY, WAITING } = WorkloadState
  it.each([
    ['all replicas ready', placedAs(report('a', 2), report('b', 1)), RUNNING],
    ['a replica missing', placedAs(report('a', 2), report('b', 0)), NOT_READY],
    [
      'a member that has not got the last change of the template',
      placedAs(report('a', 2), report('b', 1, { resourceTemplateGeneration: 3 })),
      NOT_READY,
    ],
    [
      'a member that reports no generation of the template',
      placedAs(report('a', 2), report('b', 1, { resourceTemplateGeneration: undefined })),
      RUNNING,
    ],
    ['no policy that selects it', distributionOf(undefined, undefined), WAITING],
    ['a caller who may not read bindings', UNKNOWN_DISTRIBUTION, RUNNING],
  ] as const)('with %s', (_, distribution, state) => {
    expect(WorkloadState[statefulSetState(statefulSet, distribution)]).toBe(WorkloadState[state])
  })

  it.each([
    ['in its clusters', placedAs(report('a', 2), report('b', 1)), RUNNING],
    ['to a caller who may not read bindings', UNKNOWN_DISTRIBUTION, RUNNING],
    ['in a member', undefined, NOT_READY],
  ] as const)('%s, with an observed generation of 0, as Karmada writes it', (_, distribution, state) => {
    const behind = { ...statefulSet, status: { ...statefulSet.status, observedGeneration: 0 } }
    expect(WorkloadState[statefulSetState(behind, distribution)]).toBe(WorkloadState[state])
  })
})
