import { expect } from 'vitest'
import { waitFor } from '../../../patience.js'
import { behaviour, eventually, type Json, type ReadBehaviour, syncResources } from '../read-bench.js'

const brief = (conditions: Json[]): Record<string, string> =>
  Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]))

/** PediaClusters: what their status says, and what their spec does. */
export const pediaClusters: readonly ReadBehaviour[] = [
  behaviour('a healthy cluster is Validated, SynchroRunning, ClusterHealthy and Ready', async k => {
    await waitFor(async () => {
      const { status } = await k.pedia(k.clusters[0])
      expect(brief(status.conditions)).toEqual({
        Validated: 'True Validated',
        SynchroRunning: 'True Running',
        ClusterHealthy: 'True Healthy',
        Ready: 'True Ready',
      })
    })
  }),
  behaviour('the status names API server and version', async k => {
    const { status } = await k.pedia(k.clusters[0])
    const { body } = await k.sources[0].get('/version')
    expect(status).toMatchObject({ apiserver: k.target.sources[0].url, version: body.gitVersion })
  }),
  behaviour('the status comes to tell of every type that it is Syncing', async k => {
    let deployments: Json
    // The real manager writes this list some time after it wrote Ready.
    await eventually(async () => {
      const { status } = await k.pedia(k.clusters[0])
      const apps = status.syncResources?.find(({ group }: Json) => group === 'apps')
      deployments = apps?.resources.find(({ name }: Json) => name === 'deployments')
      return deployments?.syncConditions?.[0]?.status === 'Syncing'
    })
    expect(deployments).toMatchObject({ kind: 'Deployment', namespaced: true })
    expect(deployments.syncConditions).toHaveLength(1)
    expect(deployments.syncConditions[0]).toMatchObject({ version: 'v1', storageVersion: 'v1' })
    expect(deployments.syncConditions[0].initialListPhase ?? false).toBe(false)
  }),
  behaviour('a PediaCluster carries a finalizer', async k => {
    const { metadata } = await k.pedia(k.clusters[0])
    expect(metadata.finalizers).toHaveLength(1)
  }),
  behaviour('a kubeconfig that is none is Validated=False, InvalidConfig', async k => {
    const name = k.name('broken')
    await k.pediaCluster(name, { kubeconfig: Buffer.from('nonsense').toString('base64'), syncResources })
    expect(await k.condition(name, 'Validated', 'False')).toMatchObject({ reason: 'InvalidConfig' })
    await k.deletePedia(name)
  }),
  behaviour('a cluster that cannot be reached is not healthy and not Ready', async k => {
    const name = k.name('gone')
    const kubeconfig = k.target.sources[0].kubeconfig.replace(
      /https:\/\/127\.0\.0\.1:\d+/,
      'https://127.0.0.1:9',
    )
    await k.pediaCluster(name, { kubeconfig: Buffer.from(kubeconfig).toString('base64'), syncResources })
    await k.condition(name, 'Ready', 'False')
    const { status } = await k.pedia(name)
    expect(brief(status.conditions).Validated).toBe('True Validated')
    await k.deletePedia(name)
  }),
  behaviour('every type of every group needs a feature that is off', async k => {
    const name = k.name('greedy')
    await k.pediaCluster(name, {
      kubeconfig: k.kubeconfig(0),
      syncResources: [{ group: '*', resources: ['*'] }],
    })
    expect(await k.condition(name, 'Validated', 'False')).toMatchObject({ reason: 'InvalidSyncResources' })
    await k.deletePedia(name)
  }),
  behaviour('syncResources are required', async k => {
    const { status } = await k.host.post('/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters', {
      apiVersion: 'cluster.clusterpedia.io/v1alpha2',
      kind: 'PediaCluster',
      metadata: { name: k.name() },
      spec: { kubeconfig: k.kubeconfig(0) },
    })
    expect(status).toBe(422)
  }),
  behaviour('all types of one group may be asked for', async k => {
    const name = k.name('group')
    await k.pediaCluster(name, {
      kubeconfig: k.kubeconfig(0),
      syncResources: [{ group: 'apps', resources: ['*'] }],
    })
    await k.condition(name, 'Ready', 'True')
    await eventually(async () => (await k.read(`/clusters/${name}/apis/apps/v1/statefulsets`)).status === 200)
    await k.deletePedia(name)
  }),
  behaviour('a type added to the spec becomes readable, and removed it is a plain 404 again', async k => {
    const name = k.name('changing')
    await k.pediaCluster(name, { kubeconfig: k.kubeconfig(0), syncResources })
    await k.condition(name, 'Ready', 'True')
    const path = `/clusters/${name}/apis/apps/v1/daemonsets`
    // Who reads learns of the cluster by watching, later than its status is written.
    await eventually(async () => (await k.read(path)).status === 404)
    await k.patchPedia(name, {
      spec: { syncResources: [...syncResources, { group: 'apps', resources: ['daemonsets'] }] },
    })
    await eventually(async () => (await k.read(path)).status === 200)
    await k.patchPedia(name, { spec: { syncResources } })
    await eventually(async () => (await k.read(path)).status === 404)
    await k.deletePedia(name)
  }),
  behaviour('a deleted PediaCluster takes its objects along', async k => {
    const name = k.name('doomed')
    await k.pediaCluster(name, { kubeconfig: k.kubeconfig(0), syncResources })
    await k.condition(name, 'Ready', 'True')
    const path = `/apis/apps/v1/namespaces/${k.namespace}/deployments`
    await eventually(async () => (await k.read(path, { clusters: name })).body.items?.length === 5)
    await k.deletePedia(name)
    await eventually(async () => (await k.read(`/clusters/${name}${path}`)).status === 400)
    expect((await k.read(path, { clusters: name })).body.items).toEqual([])
  }),
  behaviour('a type the cluster does not have does not keep it from being Ready', async k => {
    const name = k.name('partial')
    await k.pediaCluster(name, {
      kubeconfig: k.kubeconfig(0),
      syncResources: [...syncResources, { group: 'nonsense.example.test', resources: ['things'] }],
    })
    await k.condition(name, 'Ready', 'True')
    const path = `/clusters/${name}/apis/nonsense.example.test/v1/things`
    await eventually(async () => (await k.read(path)).status === 404)
    await k.deletePedia(name)
  }),
]
