import { instanceMachine } from '../machines/instance.js'
import { followCredentials } from './credentials.js'
import { addFinalizer, removeFinalizer } from './finalizer.js'
import { measureIndex } from './index-canary.js'
import { watchRoleBindings } from './inside-watch.js'
import { install, uninstall } from './installation.js'
import { publishRegistration, withdrawRegistration } from './instance-registry.js'
import { probeControlPlane } from './probe.js'
import { gatherStatistics } from './resource-statistics.js'
import { rest } from './rest.js'
import { materializeRoleBindings, removeRoleBindings } from './role-bindings.js'
import { writeStatus } from './status-sync.js'
import type { Surroundings } from './surroundings.js'
import { deleteVirtualCluster, ensureVirtualCluster } from './virtual-cluster-sync.js'

/**
 * The instance chart with its holes filled. Made once for the whole fleet: a chart is large, an actor of it small, and
 * what belongs to one instance is looked up by its name.
 */
export const instanceLogic = (surroundings: Surroundings) =>
  instanceMachine.provide({
    actors: {
      'follow the credentials': followCredentials(surroundings),
      'probe the control plane': probeControlPlane(surroundings),
      'gather the statistics': gatherStatistics(surroundings),
      'measure the index': measureIndex(surroundings),
      'watch the role bindings': watchRoleBindings(surroundings),
      rest: rest(surroundings.random),
      'add the finalizer': addFinalizer(surroundings),
      'install the control plane': install(surroundings),
      'ensure the virtual cluster': ensureVirtualCluster(surroundings),
      'publish the registration': publishRegistration(surroundings),
      'materialize the role bindings': materializeRoleBindings(surroundings),
      'write the status': writeStatus(surroundings),
      'withdraw the registration': withdrawRegistration(surroundings),
      'remove the role bindings': removeRoleBindings(surroundings),
      'delete the virtual cluster': deleteVirtualCluster(surroundings),
      'uninstall the control plane': uninstall(surroundings),
      'remove the finalizer': removeFinalizer(surroundings),
    },
  })

/** What an instance actor runs. */
export type InstanceLogic = ReturnType<typeof instanceLogic>
