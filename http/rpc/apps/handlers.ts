import type { AppsService } from '../../../proto/gen/kairship/apps_pb.js'
import { WorkloadStateSchema } from '../../../proto/gen/kairship/types_pb.js'
import type { Call } from '../../call.js'
import { failedPrecondition } from '../../failure.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation.js'
import { kindHandlers } from '../kind-handlers.js'
import { inState, listByState } from '../list-by-state.js'
import { mergePatched } from '../merge-patched.js'
import { type KeyFields, objectKeyOf, placeOf } from '../request-fields.js'
import { watchKind } from '../watch-kind.js'
import { type Deployment, deploymentState, deployments } from './deployment.js'
import { promoteDeployment } from './promote-deployment.js'

/** By which `kubectl rollout restart` makes the pod template another one. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt'

/** Deployments of instances, and those of their members that can be promoted. */
export function appsHandlers(objects: Objects): ServiceHandlers<typeof AppsService> {
  const of = kindHandlers(objects, deployments)
  const states = { type: deployments.type, schema: WorkloadStateSchema, of: deploymentState }
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

    async restartDeployment(request, call) {
      const { instance, namespace, name } = request
      const current = await objects.get<Deployment>(
        call,
        placeOf(request),
        deployments.type,
        objectKeyOf(request),
      )
      if (current.spec?.paused)
        throw failedPrecondition(
          `Deployment ${namespace}/${name} of ${instance} is paused, so its pods would not be replaced: resume it first`,
          { reason: 'Paused' },
        )
      const annotations = { [RESTARTED_AT]: new Date().toISOString() }
      return patched(request, call, { template: { metadata: { annotations } } })
    },
  }
}
