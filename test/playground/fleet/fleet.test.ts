import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import { INSTANCES, type Instance } from '../../../manifests/instance.js'
import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isForbidden } from '../../../manifests/status-error.js'
import { fromBase64 } from '../../../playground/client/kubeconfig.js'
import { read } from '../../../playground/client/write.js'
import { type Playground, type Progress, startPlayground } from '../../../playground/fleet/fleet.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import type { Secret } from '../../../playground/objects/core.js'
import { NODES, SECRETS } from '../../../playground/objects/core-types.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'

let folder: string
let playground: Playground | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'playground-'))
})
afterEach(async () => {
  await playground?.close()
  await rm(folder, { recursive: true, force: true })
})

const connector = kubeConnector()
const start = async (onProgress?: (progress: Progress) => void) => {
  const options = { instances: 1, membersPerInstance: 1, dataDir: folder, connector, log: silent }
  playground = await startPlayground({ ...options, ...(onProgress && { onProgress }) })
  return playground
}
const connected = async <T>(kubeconfig: string, use: (api: KubeApi) => Promise<T>): Promise<T> => {
  const api = await connector.connect(kubeconfig)
  try {
    return await use(api)
  } finally {
    await api.close()
  }
}
const instances = (api: KubeApi) =>
  api.request<{ items: Instance[] }>({ method: 'GET', path: resourcePath(INSTANCES) })

describe('a playground', () => {
  it('is a host with Instances whose Secrets connect to their control planes, and reports its progress', async () => {
    const progress: Progress[] = []
    const { host, kubeconfigs } = await start(one => progress.push(one))
    expect(progress.map(({ done }) => done)).toEqual(progress.map((_, index) => index + 1))
    expect(progress.at(-1)).toMatchObject({ started: 'Karmada eu-west with 1 member', done: progress.length })
    expect(progress.at(-1)?.total).toBe(progress.length)
    const { items } = await connected(kubeconfigs.controllerManager, instances)
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['eu-west'])
    const secret = await read<Secret>(host.local, SECRETS, items[0]!.spec.kubeconfigSecretRef!)
    const clusters = await connected(fromBase64(secret?.data?.kubeconfig ?? ''), api =>
      api.request<{ items: Cluster[] }>({ method: 'GET', path: resourcePath(CLUSTERS) }),
    )
    expect(clusters.items.map(({ metadata }) => metadata.name)).toEqual(['eu-west-a'])
  })

  it('gives Kairship only the rights of its manifests', async () => {
    const { kubeconfigs } = await start()
    const pods = (api: KubeApi) => api.request({ method: 'GET', path: '/api/v1/pods' })
    for (const kubeconfig of [kubeconfigs.controllerManager, kubeconfigs.apiserver])
      await expect(connected(kubeconfig, pods)).rejects.toSatisfy(isForbidden)
    await expect(connected(kubeconfigs.admin, pods)).resolves.toMatchObject({ items: [] })
  })

  it('has the same objects, addresses and tokens after a restart', async () => {
    const first = await start()
    const before = await instances(first.host.local)
    const { kubeconfigs, host } = first
    await first.close()
    const second = await start()
    expect(second.host.url).toBe(host.url)
    const after = await connected(kubeconfigs.controllerManager, instances)
    expect(after.items.map(({ metadata }) => metadata.uid)).toEqual(
      before.items.map(({ metadata }) => metadata.uid),
    )
    const control = second.karmadas.get('eu-west')!.server.local
    await eventually('the member to be ready', async () => {
      const cluster = await read<Cluster>(control, CLUSTERS, { name: 'eu-west-a' })
      return conditionOf(cluster?.status?.conditions, 'Ready')?.status === 'True'
    })
  })

  it('has members whose nodes have names of their own, also after a restart', async () => {
    const nodesOf = async ({ members }: Playground) => {
      const { items } = await members
        .get('eu-west-a')!
        .server.local.request<{ items: KubeObject[] }>({ method: 'GET', path: resourcePath(NODES) })
      return items.map(({ metadata }) => metadata.name)
    }
    const first = await start()
    expect(await nodesOf(first)).toEqual(['eu-west-a-node-1', 'eu-west-a-node-2'])
    await first.close()
    expect(await nodesOf(await start())).toEqual(['eu-west-a-node-1', 'eu-west-a-node-2'])
  })

  it('can be closed twice, and listens on no port afterwards', async () => {
    const { host, close } = await start()
    await Promise.all([close(), close()])
    await expect(fetch(host.url)).rejects.toThrow()
  })
})
