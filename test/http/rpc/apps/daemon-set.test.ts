import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { type DaemonSet, daemonSetMessage, daemonSetState } from '../../../../http/rpc/apps/daemon-set.js'
import { distributionOf, UNKNOWN_DISTRIBUTION } from '../../../../http/rpc/distribution/distribution.js'
import { ClusterProvider, WorkloadState } from '../../../../proto/gen/kairship/types_pb.js'
import { DaemonSetSchema } from '../../../../proto/gen/kairship/workload_pb.js'
import { binding } from '../objects/binding.js'
import { podTemplate } from '../objects/pod-template.js'
import { unsetFields } from '../unset-fields.js'

const { RUNNING, NOT_READY, WAITING, DELETING } = WorkloadState

/** A template as karmada-apiserver returns it: three nodes, and a ready pod on each. */
const daemonSet = ({ metadata = {}, status = {} }: Record<string, object> = {}): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'shop', uid: 'u-1', generation: 4, ...metadata },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: podTemplate,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '10%' } },
  },
  status: {
    observedGeneration: 4,
    desiredNumberScheduled: 3,
    currentNumberScheduled: 3,
    numberReady: 3,
    numberAvailable: 3,
    updatedNumberScheduled: 3,
    numberMisscheduled: 1,
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
    ...status,
  } as DaemonSet['status'] & object,
})

const report = (clusterName: string, nodes: number, ready = nodes) => ({
  clusterName,
  applied: true,
  appliedMessage: 'applied',
  health: 'Healthy',
  status: { desiredNumberScheduled: nodes, numberReady: ready, numberAvailable: ready },
})
const facts = (reachable: boolean) => ({ provider: ClusterProvider.AWS_EKS, reachable })
const placed = (
  aggregatedStatus: readonly object[] = [report('a', 2), report('b', 1)],
  up = { a: true, b: true },
) =>
  distributionOf(
    binding({ clusters: [{ name: 'a' }, { name: 'b' }], replicas: 0 }, { aggregatedStatus }),
    new Map([
      ['a', facts(up.a)],
      ['b', facts(up.b)],
    ]),
  )

describe('a DaemonSet as a message', () => {
  it('sets every field that the message has', () => {
    const message = create(DaemonSetSchema, daemonSetMessage(daemonSet(), { instance: 'eu-west' }, placed()))
    // A binding gives it no replicas, and nothing of its pod template depends on the kind.
    expect(unsetFields(DaemonSetSchema, message)).toEqual([])
  })

  it('counts nodes over its clusters, and in each cluster by itself', () => {
    const distribution = placed([report('a', 5, 4), report('b', 1)])
    const { status } = daemonSetMessage(daemonSet(), { instance: 'eu-west' }, distribution)
    expect(status).toMatchObject({ desiredNumberScheduled: 6, numberReady: 5, numberAvailable: 5 })
    expect(status?.clusters).toMatchObject([
      { name: 'a', replicas: 5, readyReplicas: 4 },
      { name: 'b', replicas: 1, readyReplicas: 1 },
    ])
  })

  it('counts the nodes of a cluster that Karmada does not reach, but none of their pods as ready', () => {
    const distribution = placed([report('a', 2), report('b', 1)], { a: false, b: true })
    const { status } = daemonSetMessage(daemonSet(), { instance: 'eu-west' }, distribution)
    expect(status).toMatchObject({ desiredNumberScheduled: 3, numberReady: 1, state: NOT_READY })
    expect(status?.clusters).toMatchObject([{ name: 'a', replicas: 2, readyReplicas: 0 }, { name: 'b' }])
  })
})

describe('the counts of a DaemonSet', () => {
  it.each([
    ['unknown', UNKNOWN_DISTRIBUTION],
    ['empty, because no policy selects it', distributionOf(undefined, undefined)],
  ])('are those of its own status when its distribution is %s', (_, distribution) => {
    const { status } = daemonSetMessage(daemonSet(), { instance: 'eu-west' }, distribution)
    expect(status).toMatchObject({ desiredNumberScheduled: 3, numberReady: 3, numberAvailable: 3 })
  })

  it('have no nodes of a cluster whose report has no number of them', () => {
    const distribution = placed([report('a', 2), { ...report('b', 1), status: {} }])
    const { status } = daemonSetMessage(daemonSet(), { instance: 'eu-west' }, distribution)
    expect(status?.desiredNumberScheduled).toBe(2)
    expect(status?.clusters?.map(({ replicas }) => replicas)).toEqual([2, 0])
  })
})

describe('the state of a DaemonSet', () => {
  it.each([
    ['each node has a ready pod', {}, placed(), RUNNING],
    ['its clusters have no node for it', {}, placed([report('a', 0), report('b', 0)]), RUNNING],
    ['being deleted', { metadata: { deletionTimestamp: '2026-11-20T10:00:00Z' } }, placed(), DELETING],
    ['no policy selects it', {}, distributionOf(undefined, undefined), WAITING],
    ['no cluster has reported', {}, placed([]), WAITING],
    ['one cluster has not reported', {}, placed([report('a', 2)]), NOT_READY],
    ['a pod is not ready', {}, placed([report('a', 2, 1), report('b', 1)]), NOT_READY],
    [
      'a cluster without nodes for it is not reached',
      {},
      placed([report('a', 2), report('b', 0)], { a: true, b: false }),
      NOT_READY,
    ],
    ['the members have not seen its last change', { metadata: { generation: 5 } }, placed(), NOT_READY],
    ['the caller may not read bindings', {}, UNKNOWN_DISTRIBUTION, RUNNING],
    ['in a member, a pod is not ready', { status: { numberReady: 2 } }, undefined, NOT_READY],
    [
      'in a member, its controller has not seen it',
      { status: { observedGeneration: undefined } },
      undefined,
      WAITING,
    ],
  ] as const)('%s', (_, changes, distribution, state) => {
    expect(WorkloadState[daemonSetState(daemonSet(changes), distribution)]).toBe(WorkloadState[state])
  })
})
