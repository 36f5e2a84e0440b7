import type { AppsService } from '../../../proto/gen/kairship/apps_pb.js'
import { WorkloadStateSchema } from '../../../proto/gen/kairship/types_pb.js'
import type { Call } from '../../call/call.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { inState, listByState } from '../distribution/list-by-state.js'
import { kindHandlers } from '../kind/kind-handlers.js'
import { mergePatched } from '../kind/merge-patched.js'
import type { KeyFields } from '../kind/request-fields.js'
import { watchKind } from '../kind/watch-kind.js'
import { deployments } from './deployment.js'
import { promoteDeployment } from './promote-deployment.js'
import { replicatedState } from './replicated.js'
import { restart } from './restart.js'
import { listRevisions } from './revisions/revisions-of.js'
import { rollback } from './revisions/rollback.js'
import { scale } from './scale.js'

/** Deployments of instances, and those of their members that can be promoted. */
export function appsHandlers(objects: Objects): ServiceHandlers<typeof AppsService> {
  const of = kindHandlers(objects, deployments)
  const states = { type: deployments.type, schema: WorkloadStateSchema, of: replicatedState }
  const list = listByState(objects, of, states)
  const watch = watchKind(of, 'deployment')
  const patched = async (request: KeyFields, call: Call, spec: object) => ({
    deployment: await mergePatched(objects, deployments, request, call, { spec }),
  })
  return {
    listInstanceDeployments: list,
    listDeployments: list,
    listMemberClusterAllDeployments: of.list,
    listMemberClusterDeployments: of.list,
    watchDeployments: async (request, call) => watch(request, call, {}, inState(states, request.phase)),
    getDeployment: of.get,
    getDeploymentJSON: of.json,
    createDeployment: of.create,
    updateDeployment: of.update,
    patchDeployment: of.patch,
    deleteDeployment: of.remove,

    async promoteMemberClusterDeployment(request, call) {
      await promoteDeployment(objects, call, request)
      return {}
    },

    pauseDeployment: (request, call) => patched(request, call, { paused: true }),
    resumeDeployment: (request, call) => patched(request, call, { paused: false }),

    restartDeployment: async (request, call) => ({
      deployment: await restart(objects, deployments, request, call),
    }),
    scaleDeployment: async (request, call) => ({
      deployment: await scale(objects, deployments, request, call),
    }),

    listDeploymentRevisions: listRevisions(objects, deployments.type),
    rollbackDeployment: async (request, call) => ({
      deployment: await rollback(objects, deployments, request, call),
    }),
  }
}
