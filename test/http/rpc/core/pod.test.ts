import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { type Pod, podMessage } from '../../../../http/rpc/core/pod.js'
import {
  PodStatus_OwnedBy_Kind as Kind,
  PodStatus_Phase as Phase,
  PodSchema,
} from '../../../../proto/gen/kairship/core_pb.js'
import { podTemplate } from '../objects/pod-template.js'
import { unsetFields } from '../unset-fields.js'

const member = { instance: 'eu-west', cluster: 'eu-west-a' }
const owner = (kind: string, name: string, controller = true) => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  uid: `uid-${name}`,
  controller,
})

const pod = (changes: { metadata?: object; spec?: object; status?: object } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-5d9-x2x',
    namespace: 'shop',
    labels: { app: 'web', 'pod-template-hash': '5d9' },
    ownerReferences: [owner('ReplicaSet', 'web-5d9')],
    ...changes.metadata,
  },
  spec: { ...podTemplate.spec, ...changes.spec } as Pod['spec'] & object,
  status: {
    phase: 'Running',
    hostIP: '192.0.2.1',
    podIP: '198.51.100.7',
    podIPs: [{ ip: '198.51.100.7' }, { ip: '2001:db8::7' }],
    startTime: '2026-11-20T10:00:00Z',
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'x',
        message: 'y',
        lastProbeTime: null,
        lastTransitionTime: '2026-11-20T10:00:05Z',
        observedGeneration: 1,
      },
    ],
    containerStatuses: [{ restartCount: 3, ready: true }],
    ...changes.status,
  } as Pod['status'] & object,
})
const statusOf = (one: Pod, usage?: Parameters<typeof podMessage>[2]) =>
  create(PodSchema, podMessage(one, member, usage)).status!

const two = (...resources: object[]) =>
  pod({ spec: { containers: resources.map(one => ({ resources: one })) } })

describe('a Pod message', () => {
  it('has every field of the contract', () => {
    const message = create(PodSchema, podMessage(pod(), member, [{ cpu: '750m', memory: '256Mi' }]))
    expect(unsetFields(PodSchema, message)).toEqual([])
    expect(message).toMatchObject({
      metadata: { cluster: 'eu-west-a' },
      status: {
        phase: Phase.Running,
        podIps: [{ ip: '198.51.100.7' }, { ip: '2001:db8::7' }],
        startTime: BigInt(Date.parse('2026-11-20T10:00:00Z')),
        cpuRequest: 250n,
        cpuLimit: 1500n,
        memoryRequest: 512n << 20n,
        memoryLimit: 1n << 30n,
        cpuUsageRate: 0.5,
        memoryUsageRate: 0.25,
        restartCount: 3,
        containerTotalCount: 1,
        containerReadyCount: 1,
      },
    })
  })

  it('sums its containers', () => {
    const both = two(
      { requests: { cpu: '0.1' }, limits: { cpu: 1, memory: '1G' } },
      { requests: { cpu: '1' }, limits: { cpu: '500m', memory: '1Ki' } },
    )
    expect(statusOf(both)).toMatchObject({
      cpuRequest: 1100n,
      cpuLimit: 1500n,
      memoryLimit: 1_000_001_024n,
      memoryRequest: 0n,
    })
  })

  it('is unlimited when one container is, and has no usage rate then', () => {
    const open = two({ limits: { cpu: '1' } }, {})
    expect(statusOf(open, [{ cpu: '900m' }])).toMatchObject({ cpuLimit: 0n, cpuUsageRate: 0 })
  })

  it('has no rates without metrics', () => {
    expect(statusOf(pod())).toMatchObject({ cpuUsageRate: 0, memoryUsageRate: 0 })
  })

  it.each([
    ['the Deployment of its ReplicaSet', {}, Kind.DEPLOYMENT, 'web'],
    ['a ReplicaSet of nobody', { labels: { app: 'web' } }, Kind.REPLICASET, 'web-5d9'],
    [
      'a ReplicaSet that is not named by the hash',
      { ownerReferences: [owner('ReplicaSet', 'other')] },
      Kind.REPLICASET,
      'other',
    ],
    ['a StatefulSet', { ownerReferences: [owner('StatefulSet', 'db')] }, Kind.STATEFULSET, 'db'],
    ['a DaemonSet', { ownerReferences: [owner('DaemonSet', 'log')] }, Kind.DAEMONSET, 'log'],
    [
      'a Job, which the contract has no word for',
      { ownerReferences: [owner('Job', 'pi')] },
      Kind.KIND_UNSPECIFIED,
      'pi',
    ],
  ])('has the owner %s', (_, metadata, kind, name) => {
    expect(statusOf(pod({ metadata })).ownedBy).toMatchObject({ kind, name })
  })

  it.each([
    ['without owners', undefined],
    ['with owners that do not manage it', [owner('ReplicaSet', 'web-5d9', false)]],
  ])('has no owner %s', (_, ownerReferences) => {
    expect(statusOf(pod({ metadata: { ownerReferences } })).ownedBy).toBeUndefined()
  })

  it('has the phase Unknown while its cluster reports none', () => {
    const bare = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } }
    expect(statusOf(bare)).toMatchObject({ phase: Phase.Unknown, containerTotalCount: 0 })
  })
})
