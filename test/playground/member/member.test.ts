import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../manifests/kube.js'
import { resourcePath } from '../../../manifests/kube.js'
import { ensure, read, remove, update } from '../../../playground/client/write.js'
import { type Member, startMember } from '../../../playground/member/member.js'
import type { Deployment, PersistentVolumeClaim } from '../../../playground/member/workloads.js'
import type { Node, Pod } from '../../../playground/objects/core.js'
import {
  DEPLOYMENTS,
  JOBS,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  REPLICA_SETS,
  STATEFUL_SETS,
} from '../../../playground/objects/core-types.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'

let member: Member
let api: KubeApi
beforeAll(async () => {
  member = await startMember({ name: 'm', log: silent, podStartMs: 20 })
  api = member.server.local
})
afterAll(() => member.close())

const place = { namespace: 'default', name: 'web' }
const template = (image: string, cpu: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image, resources: { requests: { cpu, memory: '64Mi' } } }] },
})
const items = async <T extends KubeObject>(type: typeof PODS | typeof REPLICA_SETS) =>
  (await api.request<{ items: T[] }>({ method: 'GET', path: resourcePath(type, { namespace: 'default' }) }))
    .items
const ready = (count: number) =>
  eventually(`${count} ready replicas`, async () => {
    const deployment = await read<Deployment>(api, DEPLOYMENTS, place)
    const { status = {}, metadata } = deployment ?? { metadata: { generation: -1 } }
    const { readyReplicas = 0, replicas = 0, observedGeneration } = status
    return (
      readyReplicas === count && replicas === count && observedGeneration === metadata.generation && status
    )
  })
const change = (spec: object) =>
  update<Deployment>(api, DEPLOYMENTS, place, deployment => ({
    ...deployment,
    spec: { ...deployment.spec, ...spec },
  }))

describe('a simulated member', () => {
  it('has nodes that report the version of its API server', async () => {
    const nodes = await api.request<{ items: Node[] }>({ method: 'GET', path: '/api/v1/nodes' })
    const { gitVersion } = await api.request<{ gitVersion: string }>({ method: 'GET', path: '/version' })
    expect(gitVersion).toMatch(/^v1\./)
    expect(nodes.items.map(({ status }) => status?.nodeInfo?.kubeletVersion)).toEqual([
      gitVersion,
      gitVersion,
    ])
  })

  it('runs a Deployment with pods that are ready and spread over nodes', async () => {
    await ensure(api, DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: place,
      spec: { replicas: 4, selector: { matchLabels: { app: 'web' } }, template: template('nginx:1', '500m') },
    } as KubeObject)
    const status = await ready(4)
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Available', status: 'True' }))
    const nodes = (await items<Pod>(PODS)).map(({ spec }) => spec?.nodeName)
    expect(nodes.sort()).toEqual(['node-1', 'node-1', 'node-2', 'node-2'])
  })

  it('replaces every pod when the template changes', async () => {
    await change({ template: template('nginx:2', '500m') })
    await eventually('the new image alone', async () => {
      const images = (await items<Pod>(PODS)).map(({ spec }) => spec?.containers?.[0]?.image)
      return images.length === 4 && images.every(image => image === 'nginx:2')
    })
    await ready(4)
    expect(await items(REPLICA_SETS)).toHaveLength(2)
  })

  it('scales down to the requested size', async () => {
    await change({ replicas: 1 })
    await ready(1)
  })

  it('recreates a deleted pod', async () => {
    const [before] = await items<Pod>(PODS)
    await remove(api, PODS, { namespace: 'default', name: before!.metadata.name })
    await eventually('another pod', async () => {
      const pods = await items<Pod>(PODS)
      return pods.length === 1 && pods[0]?.metadata.uid !== before?.metadata.uid
    })
    await ready(1)
  })

  it('stops a rollout whose image cannot be pulled, and says why in Events', async () => {
    await change({ template: template('fake/nginx:1', '500m') })
    const pod = await eventually('the new pod to wait for its image', async () => {
      const [one] = (await items<Pod>(PODS)).filter(
        ({ spec }) => spec?.containers?.[0]?.image === 'fake/nginx:1',
      )
      const waiting = one?.status?.containerStatuses?.[0]?.state.waiting as { reason: string } | undefined
      return waiting?.reason === 'ImagePullBackOff' ? one : undefined
    })
    expect(pod.status?.phase).toBe('Pending')
    await eventually('the old pod to stay', async () => {
      const { readyReplicas, updatedReplicas, unavailableReplicas } =
        (await read<Deployment>(api, DEPLOYMENTS, place))?.status ?? {}
      return readyReplicas === 1 && updatedReplicas === 1 && unavailableReplicas === 1
    })
    await eventually('the Events', async () => {
      const path = '/api/v1/namespaces/default/events'
      type Said = { reason: string; message: string; involvedObject: { uid?: string } }
      const said = (await api.request<{ items: Said[] }>({ method: 'GET', path })).items
        .filter(({ involvedObject }) => involvedObject.uid === pod.metadata.uid)
        .map(({ reason, message }) => `${reason}: ${message}`)
      return [
        'Failed: Failed to pull image "fake/nginx:1": not found',
        'Failed: Error: ImagePullBackOff',
      ].every(one => said.includes(one))
    })
    await change({ template: template('nginx:2', '500m') })
    await ready(1)
  })

  it('keeps pods pending that fit on no node, until there is room', async () => {
    await change({ replicas: 3, template: template('nginx:3', '3') })
    await eventually('one pod without a node', async () => {
      const pods = (await items<Pod>(PODS)).filter(({ spec }) => spec?.containers?.[0]?.image === 'nginx:3')
      return pods.length === 3 && pods.filter(({ spec }) => !spec?.nodeName).length === 1
    })
    await member.nodes.add({ name: 'node-3', cpu: '4', memory: '8Gi', pods: '10' })
    await ready(3)
  })

  it('deletes the pods with the Deployment', async () => {
    await remove(api, DEPLOYMENTS, place)
    await eventually('no pods', async () => (await items(PODS)).length === 0)
  })

  it('finds a node for a pod that waits for company, once that has one', async () => {
    const pod = (name: string, more: object = {}) =>
      ensure(api, PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace: 'default', name, labels: { app: name } },
        spec: { containers: [{ name: 'c', image: 'nginx' }], ...more },
      } as KubeObject)
    const terms = [{ labelSelector: { matchLabels: { app: 'host' } }, topologyKey: 'kubernetes.io/hostname' }]
    const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: terms }
    const nodeOf = async (name: string) =>
      (await read<Pod>(api, PODS, { namespace: 'default', name }))?.spec?.nodeName
    await pod('guest', { affinity: { podAffinity } })
    await eventually('the guest to be refused', async () => {
      const guest = await read<Pod>(api, PODS, { namespace: 'default', name: 'guest' })
      return guest?.status?.conditions?.some(({ reason }) => reason === 'Unschedulable')
    })
    await pod('host')
    await eventually('a node for the guest', () => nodeOf('guest'))
    expect(await nodeOf('guest')).toBe(await nodeOf('host'))
    for (const name of ['guest', 'host']) await remove(api, PODS, { namespace: 'default', name })
  })

  it('runs a StatefulSet whose pods have claims of the class that is the default', async () => {
    const set = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { namespace: 'default', name: 'db' },
      spec: {
        replicas: 2,
        serviceName: 'db',
        selector: { matchLabels: { app: 'web' } },
        template: template('postgres:17', '10m'),
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    }
    await ensure(api, STATEFUL_SETS, set as KubeObject)
    await eventually('two pods that run', async () => {
      const pods = await items<Pod>(PODS)
      return pods.length === 2 && pods.every(({ status }) => status?.phase === 'Running')
    })
    const claim = await read<PersistentVolumeClaim>(api, PERSISTENT_VOLUME_CLAIMS, {
      namespace: 'default',
      name: 'data-db-1',
    })
    expect(claim?.spec.storageClassName).toBe('standard')
    expect(claim?.status?.phase).toBe('Bound')
    await remove(api, STATEFUL_SETS, { namespace: 'default', name: 'db' })
    await eventually('no pods', async () => (await items(PODS)).length === 0)
  })

  it('deletes a namespace with everything that runs in it', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'leaving' } }
    await ensure(api, NAMESPACES, namespace)
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { namespace: 'leaving', name: 'work' },
      spec: {
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command: ['sleep', '60'] }] },
        },
      },
    }
    await ensure(api, JOBS, job as KubeObject)
    const pods = async () =>
      (
        await api.request<{ items: Pod[] }>({
          method: 'GET',
          path: resourcePath(PODS, { namespace: 'leaving' }),
        })
      ).items
    await eventually('a pod that runs', async () => (await pods())[0]?.status?.phase === 'Running')
    await remove(api, NAMESPACES, { name: 'leaving' })
    await eventually(
      'the namespace to be gone',
      async () => !(await read(api, NAMESPACES, { name: 'leaving' })),
    )
  })
})

describe('a simulated member that is started again', () => {
  it('keeps nodes of other names, and gets back one of its own that was deleted', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'member-'))
    const started = async (...names: string[]) => {
      const nodes = names.map(name => ({ name, cpu: '4', memory: '16Gi', pods: '110' }))
      const again = await startMember({ name: 'again', log: silent, dataDir, nodes })
      const path = resourcePath(NODES)
      const { items } = await again.server.local.request<{ items: Node[] }>({ method: 'GET', path })
      return { again, names: items.map(({ metadata }) => metadata.name) }
    }
    try {
      const first = await started('a', 'b')
      expect(first.names).toEqual(['a', 'b'])
      await first.again.nodes.remove('b')
      await first.again.close()
      const second = await started('c', 'd')
      expect(second.names).toEqual(['a'])
      await second.again.close()
      const third = await started('a', 'b')
      expect(third.names).toEqual(['a', 'b'])
      await third.again.close()
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})
