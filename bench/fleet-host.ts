/** The playground of `bench/fleet.ts`, in a process of its own so that its memory and CPU are not Kairship's. */
import { kubeConnector } from '../actors/kube/connector.js'
import { INSTANCES, type Instance } from '../manifests/instance.js'
import { resourcePath } from '../manifests/kube.js'
import { startPlayground } from '../playground/fleet/fleet.js'
import { silent } from '../test/silent.js'
import { tell } from './fleet-messages.js'
import { obey } from './fleet-requests.js'

const playground = await startPlayground({
  instances: Number(process.argv[2]),
  membersPerInstance: Number(process.argv[3]),
  // Its own engines need no sockets to each other: what is measured is Kairship, which has them.
  withoutSockets: true,
  connector: kubeConnector(),
  log: silent,
})
const { local } = playground.host

// The playground registers its instances by itself: they are taken back, and given again when the bench says so.
const path = resourcePath(INSTANCES)
const { items } = await local.request<{ items: Instance[] }>({ method: 'GET', path })
for (const { metadata } of items)
  await local.request({ method: 'DELETE', path: resourcePath(INSTANCES, { name: metadata.name }) })

obey({
  host: local,
  items: items.map(({ apiVersion, kind, metadata, spec }) => ({
    apiVersion,
    kind,
    metadata: { name: metadata.name },
    spec,
  })),
  close: () => playground.close(),
})
tell({ kind: 'up', kubeconfig: playground.kubeconfigs.controllerManager })
