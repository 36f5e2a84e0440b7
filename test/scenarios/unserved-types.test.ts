import { expect, it } from 'vitest'
import { EVENT_NAMESPACE, EVENTS, type KubeEvent } from '../../manifests/event.js'
import { INSTANCES } from '../../manifests/instance.js'
import { INSTANCE_REGISTRATIONS } from '../../manifests/instance-registration.js'
import { type KubeList, resourcePath } from '../../manifests/kube.js'
import { PEDIA_CLUSTERS } from '../../manifests/pedia-cluster.js'
import { eventually } from './support/eventually.js'
import { EU, NAMESPACE, OneInstance, SECRETS, secretOf } from './support/one-instance.js'

const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' }
const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' }
// Rests are as short as jitter lets them be.
const world = new OneInstance({ random: () => 0 })

async function eventsAbout(name: string): Promise<readonly string[]> {
  const path = resourcePath(EVENTS, { namespace: EVENT_NAMESPACE })
  const { items } = await world.admin.request<KubeList<KubeEvent>>({ method: 'GET', path })
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
}

it('a plain cluster that is adopted is reported as no Karmada, and gets no objects', async () => {
  // The host is a Kubernetes cluster, and no Karmada.
  await world.create(SECRETS, secretOf('plain', world.playground.kubeconfigs.admin), NAMESPACE)
  await world.adopt('plain')
  await world.condition('plain', 'AggregatedAPIHealthy', 'NotServed')
  await world.condition('plain', 'Ready', 'NotServed')
  const made = [
    ...(await world.list(PEDIA_CLUSTERS, 'kairship.io/instance=plain')),
    ...(await world.list(INSTANCE_REGISTRATIONS, 'kairship.io/instance=plain')),
    ...(await world.list(CONFIG_MAPS, 'kairship.io/instance=plain')),
  ]
  expect(made.map(({ metadata }) => metadata.name)).toEqual([])
  await eventually('an Event says so', async () =>
    (await eventsAbout('plain')).some(event =>
      /^Warning NotServed: AggregatedAPIHealthy: cluster.karmada.io is not served here/.test(event),
    ),
  )
  await world.remove(INSTANCES, { name: 'plain' })
  await world.gone('plain')
})

it('an Instance on a host without PediaCluster reports that in its status, and can be deleted', async () => {
  await world.phase(EU, 'Ready')
  await world.remove(DEFINITIONS, { name: 'pediaclusters.cluster.clusterpedia.io' })
  await world.phase(EU, 'Degraded')
  await world.condition(EU, 'VirtualClusterSynced', 'NotServed')
  await world.remove(INSTANCES, { name: EU })
  await world.phase(EU, 'Deleting')
  await world.gone(EU)
  const events = await eventsAbout(EU)
  expect(events).toContainEqual(expect.stringMatching(/^Normal Ready: /))
  expect(events).toContainEqual(expect.stringMatching(/^Warning Degraded: VirtualClusterSynced: /))
  expect(events).toContainEqual(
    expect.stringMatching(/^Warning LeftBehind: PediaCluster k-eu-west was not deleted: /),
  )
})
