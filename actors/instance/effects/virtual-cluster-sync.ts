import { virtualClusterName } from '../../../manifests/instance.js'
import { isMadeFor } from '../../../manifests/names.js'
import { PEDIA_CLUSTERS, renderPediaCluster } from '../../../manifests/pedia-cluster.js'
import { isAsWritten, revisionOf } from '../../host/kept-object.js'
import { apply, removeWhole } from '../../kube/apply.js'
import { fail } from '../../kube/failure.js'
import type { InstanceDependencies } from '../dependencies.js'
import { leaderEffect } from './leader-effect.js'

const stage = 'virtual cluster'

/**
 * The virtual-cluster-sync controller: adds the instance to Container Management as a hidden cluster, hands it rotated
 * credentials, and repairs it when it was changed or removed.
 */
export const ensureVirtualCluster = (dependencies: InstanceDependencies) =>
  leaderEffect(
    dependencies,
    { name: 'ensure the virtual cluster', stage },
    async ({ name, instance }, signal) => {
      const { host, connectionOf } = dependencies
      const connected = connectionOf(name).current
      if (!connected) fail('Unreachable', stage, 'there is no connection to take the kubeconfig from')
      const wanted = renderPediaCluster(instance, connected.kubeconfig)
      const present = host.virtualClusters.get(wanted.metadata.name)
      if (present && !isMadeFor(present, name))
        fail('Conflict', stage, `PediaCluster ${wanted.metadata.name} exists and was not made by Kairship`)
      if (present?.outside.deleting)
        fail('StillThere', stage, `PediaCluster ${wanted.metadata.name} is being deleted`)
      // After a restart or a takeover everything usually is as it should be, and nothing is written.
      if (present && isAsWritten(present, wanted)) return present.outside.revision
      return revisionOf(await apply(host.api, PEDIA_CLUSTERS, wanted, signal))
    },
  )

export const deleteVirtualCluster = (dependencies: InstanceDependencies) =>
  leaderEffect(dependencies, { name: 'delete the virtual cluster', stage }, async ({ name }, signal) => {
    const where = { name: virtualClusterName(name) }
    await removeWhole(dependencies.host.api, PEDIA_CLUSTERS, where, { instance: name, stage, signal })
    return 'gone'
  })
