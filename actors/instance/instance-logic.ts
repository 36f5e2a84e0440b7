import { instanceMachine } from '../../machines/instance/instance.js'
import { measureIndex } from '../index/index-canary.js'
import type { InstanceDependencies } from './dependencies.js'
import { addFinalizer, removeFinalizer } from './effects/finalizer.js'
import { install, uninstall } from './effects/installation.js'
import { publishRegistration, withdrawRegistration } from './effects/instance-registry.js'
import { materializeRoleBindings, removeRoleBindings } from './effects/role-bindings.js'
import { writeStatus } from './effects/status-sync.js'
import { deleteVirtualCluster, ensureVirtualCluster } from './effects/virtual-cluster-sync.js'
import { leaderDependencies } from './leader-dependencies.js'
import { followCredentials } from './observers/credentials.js'
import { probeControlPlane } from './observers/probe.js'
import { watchRoleBindings } from './observers/rbac-watch.js'
import { gatherStatistics } from './observers/resource-statistics.js'
import { rest } from './rest.js'

/**
 * The instance chart with its observers and effects provided. Made once for the whole fleet: a chart is large, an actor of
 * it small, and what belongs to one instance is looked up by its name.
 */
export function instanceLogic(dependencies: InstanceDependencies) {
  const acting = leaderDependencies(dependencies)
  return instanceMachine.provide({
    actors: {
      'follow the credentials': followCredentials(dependencies),
      'probe the control plane': probeControlPlane(dependencies),
      'gather the statistics': gatherStatistics(dependencies),
      'measure the index': measureIndex(dependencies),
      'watch the role bindings': watchRoleBindings(dependencies),
      rest: rest(dependencies.random),
      'add the finalizer': addFinalizer(acting),
      'install the control plane': install(acting),
      'ensure the virtual cluster': ensureVirtualCluster(acting),
      'publish the registration': publishRegistration(acting),
      'materialize the role bindings': materializeRoleBindings(acting),
      'write the status': writeStatus(acting),
      'withdraw the registration': withdrawRegistration(acting),
      'remove the role bindings': removeRoleBindings(acting),
      'delete the virtual cluster': deleteVirtualCluster(acting),
      'uninstall the control plane': uninstall(acting),
      'remove the finalizer': removeFinalizer(acting),
    },
  })
}

/** What an instance actor runs. */
export type InstanceLogic = ReturnType<typeof instanceLogic>
