import type { JsonObject } from '@bufbuild/protobuf'
import type { WorkloadPodsService } from '../../../../proto/gen/kairship/workload_pods_pb.js'
import { type ManagedWorld, TYPES } from '../../support/managed-world.js'
import { deployment } from '../apps/deployments-in.js'
import { requestsTo } from '../requests.js'

/** Deployments whose pods run in each member, and the requests that name them. */
export function workloadsIn(world: ManagedWorld<typeof WorkloadPodsService>) {
  const { named } = requestsTo(world)
  return {
    /** A request about the Deployment of this name. */
    of: (name: string, more: JsonObject = {}) => ({ ...named(name), kind: 'Deployment', ...more }),

    /** A Deployment with one running pod in each member. */
    run: async (name: string): Promise<void> => {
      await world.place('Deployment', name, { apiVersion: 'apps/v1' })
      await world.create(world.control, TYPES.deployments, deployment(name, { replicas: 1 }))
      for (const member of world.members)
        await world.in(
          member,
          TYPES.deployments,
          { namespace: 'default', name },
          ({ status }) => status?.readyReplicas === 1,
        )
    },
  }
}
