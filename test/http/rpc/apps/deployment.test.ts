import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { type Deployment, deploymentMessage } from '../../../../http/rpc/apps/deployment.js'
import { replicatedState } from '../../../../http/rpc/apps/replicated.js'
import { distributionOf, UNKNOWN_DISTRIBUTION } from '../../../../http/rpc/distribution/distribution.js'
import { DeploymentSchema } from '../../../../proto/gen/kairship/apps_pb.js'
import { ClusterProvider, WorkloadState } from '../../../../proto/gen/kairship/types_pb.js'
import { binding } from '../objects/binding.js'
import { podTemplate } from '../objects/pod-template.js'
import { unsetFields } from '../unset-fields.js'

const { RUNNING, NOT_READY, WAITING, STOPPED, DELETING } = WorkloadState

/** A template as karmada-apiserver returns it: three replicas, all of them ready. */
const deployment = ({ metadata = {}, spec = {}, status = {} }: Record<string, object> = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    uid: 'u-1',
    generation: 4,
    annotations: { 'deployment.kubernetes.io/revision': '7' },
    ...metadata,
  },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: podTemplate,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
    paused: true,
    revisionHistoryLimit: 10,
    ...spec,
  } as Deployment['spec'] & object,
  status: {
    observedGeneration: 4,
    replicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    updatedReplicas: 3,
    conditions: [
      {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
        lastTransitionTime: '2026-11-20T10:00:00Z',
        lastUpdateTime: '2026-11-20T11:00:00Z',
        observedGeneration: 4,
      },
    ],
    ...status,
  } as Deployment['status'] & object,
})

const a = {
  clusterName: 'a',
  applied: true,
  health: 'Healthy',
  status: { readyReplicas: 2, availableReplicas: 2 },
}
const b = { ...a, clusterName: 'b', status: { readyReplicas: 1, availableReplicas: 1 } }
const facts = (reachable: boolean) => ({ provider: ClusterProvider.AWS_EKS, reachable })
const placed = (aggregatedStatus: readonly object[] = [a, b], up = { a: true, b: true }) =>
  distributionOf(
    binding({}, { aggregatedStatus }),
    new Map([
      ['a', facts(up.a)],
      ['b', facts(up.b)],
    ]),
  )
const unplaced = distributionOf(undefined, undefined)

describe('a Deployment message', () => {
  it('has every field of the contract', () => {
    const reports = [a, { ...b, appliedMessage: 'conflict' }]
    const message = create(
      DeploymentSchema,
      deploymentMessage(deployment(), { instance: 'eu-west' }, placed(reports)),
    )
    expect(unsetFields(DeploymentSchema, message)).toEqual([])
    expect(message).toMatchObject({
      metadata: { name: 'web', namespace: 'shop', cluster: '' },
      spec: { replicas: 3, strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '1' } } },
      status: { readyReplicas: 3, desiredReplicas: 3, replicas: 3 },
      revision: 7n,
    })
  })

  it.each([
    ['unknown', UNKNOWN_DISTRIBUTION],
    ['empty, because no policy selects it', distributionOf(undefined, undefined)],
  ])('has the counts of its own status when its distribution is %s', (_, distribution) => {
    const { status } = deploymentMessage(deployment(), { instance: 'eu-west' }, distribution)
    expect(status).toMatchObject({ desiredReplicas: 3, readyReplicas: 3, availableReplicas: 3 })
  })

  it('has one replica, the default of the API server, without a number of them', () => {
    const none = deployment({ spec: { replicas: undefined } as object })
    expect(deploymentMessage(none, { instance: 'eu-west' }).spec).toMatchObject({ replicas: 1 })
  })

  it('names the member that it was read from, and has no distribution then', () => {
    const message = deploymentMessage(deployment(), { instance: 'eu-west', cluster: 'a' })
    expect(message).toMatchObject({
      metadata: { cluster: 'a' },
      status: { state: RUNNING, clusters: [] },
    })
  })

  it('counts the replicas of every cluster of a duplicated Deployment', () => {
    const duplicated = distributionOf(
      binding({
        clusters: [
          { name: 'a', replicas: 3 },
          { name: 'b', replicas: 3 },
        ],
      }),
      undefined,
    )
    const { status } = deploymentMessage(deployment(), { instance: 'eu-west' }, duplicated)
    expect(status).toMatchObject({ desiredReplicas: 6, state: NOT_READY })
  })

  it('counts no ready replicas in an unreachable cluster', () => {
    const message = deploymentMessage(
      deployment(),
      { instance: 'eu-west' },
      placed([a, b], { a: false, b: true }),
    )
    expect(message.status).toMatchObject({
      readyReplicas: 1,
      availableReplicas: 1,
      replicas: 3,
      state: NOT_READY,
    })
  })

  it.each(['', 'x', '-1', '1e3', '9'.repeat(40)])('has no revision where the annotation is %j', text => {
    const odd = deployment({ metadata: { annotations: { 'deployment.kubernetes.io/revision': text } } })
    expect(deploymentMessage(odd, { instance: 'eu-west' }).revision).toBe(0n)
  })

  it('is complete without spec and status', () => {
    const bare = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } }
    expect(() => create(DeploymentSchema, deploymentMessage(bare, { instance: 'eu-west' }))).not.toThrow()
  })
})

describe('the state of a Deployment', () => {
  it.each([
    ['all wanted replicas ready', {}, placed(), RUNNING],
    ['being deleted', { metadata: { deletionTimestamp: '2026-11-20T10:00:00Z' } }, placed(), DELETING],
    ['no replicas wanted', { spec: { replicas: 0 } }, placed(), STOPPED],
    ['no policy selects it', {}, unplaced, WAITING],
    ['no cluster has reported', {}, placed([{ clusterName: 'a', applied: true }]), WAITING],
    ['a replica is missing', {}, placed([a, { ...b, status: { readyReplicas: 0 } }]), NOT_READY],
    ['its only clusters are down', {}, placed([a, b], { a: false, b: false }), NOT_READY],
    ['the members have not seen its last change', { metadata: { generation: 5 } }, placed(), NOT_READY],
    ['the caller may not read bindings', {}, UNKNOWN_DISTRIBUTION, RUNNING],
    [
      'the caller may not read bindings, and it has never run',
      { status: { observedGeneration: undefined } },
      UNKNOWN_DISTRIBUTION,
      WAITING,
    ],
  ] as const)('in the control plane: %s', (_, changes, distribution, state) => {
    expect(WorkloadState[replicatedState(deployment(changes), distribution)]).toBe(WorkloadState[state])
  })

  it.each([
    ['all replicas ready', {}, RUNNING],
    ['a replica is not ready', { status: { readyReplicas: 2 } }, NOT_READY],
    ['the default of one replica', { spec: { replicas: undefined }, status: { readyReplicas: 1 } }, RUNNING],
    ['its controller has not seen it', { status: { observedGeneration: undefined } }, WAITING],
    ['its controller has not seen its last change', { status: { observedGeneration: 3 } }, NOT_READY],
  ] as const)('in a member: %s', (_, changes, state) => {
    expect(WorkloadState[replicatedState(deployment(changes))]).toBe(WorkloadState[state])
  })
})
