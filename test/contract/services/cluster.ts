import { deepEqual, equal, ok } from 'node:assert/strict'
import type { ServiceScenarios, Stage } from '../scenario.js'

const CLUSTERS = '/apis/cluster.karmada.io/v1alpha1/clusters'
const PEDIA = '/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters'
const namesOf = ({ items }: { items: { metadata: { name: string } }[] }) =>
  items.map(({ metadata }) => metadata.name)
const running = (stage: Stage, name: string) =>
  stage.eventually(async () => {
    const { items } = await stage.ask('ListJoinedClusters', { name, phase: 'RUNNING' })
    ok(items.some((item: { metadata: { name: string } }) => item.metadata.name === name))
  })

/** Scenarios of the Cluster service. */
export const cluster: ServiceScenarios = {
  service: 'Cluster',
  scenarios: [
    {
      proves: [
        'ListJoinedClusters',
        'ListClustersLabels',
        'ListClustersLocationSummary',
        'UpdateJoinedCluster',
      ],
      async run(stage) {
        const { ask, karmada, member, unique, refused } = stage
        await running(stage, member)
        const { items } = await ask('ListJoinedClusters', { clusterSelector: member })
        const [{ metadata, spec }] = items
        const labels = { ...metadata.labels, run: unique }
        const { cluster: updated } = await ask('UpdateJoinedCluster', {
          name: member,
          cluster: { metadata: { labels }, spec: { ...spec, region: unique, zone: 'z' } },
        })
        equal(updated.spec.region, unique)
        equal((await karmada('GET', `${CLUSTERS}/${member}`)).spec.region, unique)
        await stage.eventually(async () => {
          deepEqual(namesOf(await ask('ListJoinedClusters', { labelSelector: `run=${unique}` })), [member])
          const { clusterLabels } = await ask('ListClustersLabels')
          ok(
            clusterLabels.some(
              (one: { cluster: string; labels: { run?: string } }) =>
                one.cluster === member && one.labels.run === unique,
            ),
          )
          const { locations } = await ask('ListClustersLocationSummary')
          ok(locations.some((one: { cluster: string; region: string }) => one.region === unique))
        })
        const stale = { metadata: { resourceVersion: '1' } }
        equal(await refused('UpdateJoinedCluster', { name: member, cluster: stale }), 409)
      },
    },
    {
      proves: ['JoinCluster', 'RemoveJoinedCluster', 'ListClusters'],
      alone: true,
      async run(stage) {
        const { ask, host, kubeconfig, karmada, unique, refused } = stage
        const name = `${unique}-joins`
        await host('POST', PEDIA, {
          ...{ apiVersion: 'cluster.clusterpedia.io/v1alpha2', kind: 'PediaCluster', metadata: { name } },
          spec: { kubeconfig: Buffer.from(kubeconfig).toString('base64'), syncResources: [] },
        })
        try {
          await stage.eventually(async () =>
            deepEqual(namesOf(await ask('ListClusters', { name, allCluster: true })), [name]),
          )
          deepEqual(await ask('JoinCluster', { name, cluster: { spec: { region: unique } } }), {})
          equal((await karmada('GET', `${CLUSTERS}/${name}`)).spec.region, unique)
          await running(stage, name)
          equal(await refused('JoinCluster', { name, cluster: {} }), 409)
          await ask('RemoveJoinedCluster', { name })
          const { items } = await karmada('GET', CLUSTERS)
          ok(!namesOf({ items }).includes(name))
        } finally {
          await host('DELETE', `${PEDIA}/${name}`)
        }
      },
    },
  ],
}
