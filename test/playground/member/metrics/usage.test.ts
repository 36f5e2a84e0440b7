import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../manifests/kube.js'
import { LOAD_ANNOTATION } from '../../../../playground/member/metrics/load.js'
import { nodeUsages, podUsages } from '../../../../playground/member/metrics/usage.js'
import { usageList } from '../../../../playground/metrics/measured.js'
import type { Container, Pod } from '../../../../playground/objects/core.js'
import { worldOf } from '../controllers/world.js'

const NOW = Date.parse('2026-01-01T12:00:00Z')

const owner = (kind: string, name: string) => [
  { apiVersion: 'apps/v1', kind, name, uid: `${kind}-${name}`, controller: true },
]

/** A running pod of one container. */
const pod = (name: string, rest: Partial<Container> = {}, metadata: object = {}, isReady = true): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name, uid: name, ...metadata },
  spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'nginx', ...rest }] },
  status: {
    phase: 'Running',
    podIP: '10.244.0.1',
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
    containerStatuses: [
      {
        ...{ name: 'c', image: 'nginx', imageID: '', ready: isReady, started: true, restartCount: 0 },
        ...{ state: { running: {} }, lastState: {} },
      },
    ],
  },
})

const workload = (kind: string, name: string, load?: string, owners: object[] = []): KubeObject =>
  ({
    apiVersion: 'apps/v1',
    kind,
    metadata: {
      ...{ namespace: 'default', name, uid: `${kind}-${name}`, ownerReferences: owners },
      ...(load !== undefined && { annotations: { [LOAD_ANNOTATION]: load } }),
    },
  }) as unknown as KubeObject

const service = (name: string, app: string, namespace = 'default'): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name },
    spec: { selector: { app }, ports: [{ port: 80 }] },
  }) as unknown as KubeObject

/** What each pod uses, written as metrics-server does. */
const used = (objects: Readonly<Record<string, readonly KubeObject[]>>) =>
  Object.fromEntries(
    podUsages(worldOf(NOW, objects)).map(one => [one.pod.metadata.name, one.containers.map(usageList)]),
  )

describe('what pods of a playground use', () => {
  it('is little while they have nothing to do, and less where their limits are low', () => {
    const resources = { limits: { cpu: '10m', memory: '10Mi' } }
    expect(used({ pods: [pod('plain'), pod('small', { resources })] })).toEqual({
      plain: [{ cpu: '1m', memory: '24Mi' }],
      small: [{ cpu: '500u', memory: '5Mi' }],
    })
  })

  it('is nothing that is told of a pod that does not run', () => {
    const ended: Pod = { ...pod('done'), status: { phase: 'Succeeded' } }
    expect(used({ pods: [ended, { ...pod('new'), status: { phase: 'Pending' } }] })).toEqual({})
  })

  it('follows the load of their workload, which its ready pods share', () => {
    const sets = [workload('ReplicaSet', 'web-1', undefined, owner('Deployment', 'web'))]
    const deployments = [workload('Deployment', 'web', 'cpu=300m, memory=100Mi')]
    const mine = { ownerReferences: owner('ReplicaSet', 'web-1') }
    const pods = [pod('a', {}, mine), pod('b', {}, mine), pod('c', {}, mine, false), pod('other')]
    expect(used({ pods, replicasets: sets, deployments })).toEqual({
      a: [{ cpu: '151m', memory: '74Mi' }],
      b: [{ cpu: '151m', memory: '74Mi' }],
      c: [{ cpu: '1m', memory: '24Mi' }],
      other: [{ cpu: '1m', memory: '24Mi' }],
    })
  })

  it('does not follow the annotations that a ReplicaSet has of its Deployment', () => {
    const sets = [workload('ReplicaSet', 'web-1', 'cpu=1', owner('Deployment', 'web'))]
    const deployments = [workload('Deployment', 'web')]
    const pods = [pod('a', {}, { ownerReferences: owner('ReplicaSet', 'web-1') })]
    expect(used({ pods, replicasets: sets, deployments }).a).toEqual([{ cpu: '1m', memory: '24Mi' }])
  })

  it.each([
    ['cpu=2', '500m'],
    ['cpu=-1', '1m'],
    ['cpu=much', '1m'],
    ['much', '1m'],
    ['memory=1Gi', '1m'],
  ])('of a load "%s" never exceeds the limit, and what cannot be read is no load: %s', (load, cpu) => {
    const annotations = { [LOAD_ANNOTATION]: load }
    const resources = { limits: { cpu: '500m' } }
    expect(used({ pods: [pod('a', { resources }, { annotations })] }).a?.[0]?.cpu).toBe(cpu)
  })

  it.each([
    ['http://web:80', 'default', '101m'],
    ['http://web', 'default', '101m'],
    ['curl https://web.default.svc.cluster.local/x', 'default', '101m'],
    ['while true; do curl http://web.default:80; done', 'other', '101m'],
    ['http://web', 'other', '1m'],
    ['http://website', 'default', '1m'],
  ])('follows who calls their Service: `%s` from namespace %s leads to %s', (words, namespace, cpu) => {
    const caller = pod('caller', { args: [words] }, { namespace })
    const pods = [pod('a', {}, { labels: { app: 'web' } }), caller]
    expect(used({ pods, services: [service('web', 'web')] }).a?.[0]?.cpu).toBe(cpu)
  })

  it('is part of what their node uses', () => {
    const nodes = ['node-1', 'node-2'].map(name => ({
      ...{ apiVersion: 'v1', kind: 'Node', metadata: { name } },
    }))
    const world = worldOf(NOW, { nodes, pods: [pod('a'), pod('b')] })
    expect(nodeUsages(world, podUsages(world)).map(({ usage }) => usageList(usage))).toEqual([
      { cpu: '52m', memory: '448Mi' },
      { cpu: '50m', memory: '400Mi' },
    ])
  })
})
