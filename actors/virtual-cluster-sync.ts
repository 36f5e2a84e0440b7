import { virtualClusterName } from '../manifests/instance.js'
import { isMadeFor } from '../manifests/names.js'
import { PEDIA_CLUSTERS, renderPediaCluster } from '../manifests/pedia-cluster.js'
import { apply, removeWhole } from './apply.js'
import { provided } from './effect.js'
import { fail } from './failure.js'
import { fingerprint, revisionOf } from './outside-object.js'
import type { Surroundings } from './surroundings.js'

const stage = 'virtual cluster'

/**
 * The virtual-cluster-sync controller: adds the instance to Container Management as a hidden cluster, hands it rotated
 * credentials, and repairs it when somebody changes or removes it.
 */
export const ensureVirtualCluster = (surroundings: Surroundings) =>
  provided(
    surroundings,
    { name: 'ensure the virtual cluster', stage },
    async ({ name, instance }, signal) => {
      const { host, connectionOf } = surroundings
      const connected = connectionOf(name).current
      if (!connected) fail('Unreachable', stage, 'there is no connection to take the kubeconfig from')
      const wanted = renderPediaCluster(instance, connected.kubeconfig)
      const present = host.virtualClusters.get(wanted.metadata.name)
      if (present && !isMadeFor(present, name))
        fail('Conflict', stage, `PediaCluster ${wanted.metadata.name} exists and was not made by Kairship`)
      const print = fingerprint([wanted.spec, wanted.metadata.labels])
      if (present?.outside.deleting)
        fail('StillThere', stage, `PediaCluster ${wanted.metadata.name} is being deleted`)
      // After a restart or a takeover everything usually is as it should be, and nothing is written.
      if (present?.outside.revision.endsWith(`/${print}`)) return present.outside.revision
      return revisionOf(await apply(host.api, PEDIA_CLUSTERS, wanted, signal))
    },
  )

export const deleteVirtualCluster = (surroundings: Surroundings) =>
  provided(surroundings, { name: 'delete the virtual cluster', stage }, async ({ name }, signal) => {
    const where = { name: virtualClusterName(name) }
    await removeWhole(surroundings.host.api, PEDIA_CLUSTERS, where, { instance: name, stage, signal })
    return 'gone'
  })
