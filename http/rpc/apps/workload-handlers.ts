import { WorkloadStateSchema } from '../../../proto/gen/kairship/types_pb.js'
import type { WorkloadService } from '../../../proto/gen/kairship/workload_pb.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { inState, listByState } from '../distribution/list-by-state.js'
import { kindHandlers } from '../kind/kind-handlers.js'
import { watchKind } from '../kind/watch-kind.js'
import { daemonSetState, daemonSets } from './daemon-set.js'
import { restart } from './restart.js'
import { listRevisions } from './revisions/revisions-of.js'
import { rollback } from './revisions/rollback.js'
import { scale } from './scale.js'
import { statefulSetState, statefulSets } from './stateful-set.js'

/** StatefulSets and DaemonSets of instances. */
export function workloadHandlers(objects: Objects): ServiceHandlers<typeof WorkloadService> {
  const statefulSet = kindHandlers(objects, statefulSets)
  const daemonSet = kindHandlers(objects, daemonSets)
  const statefulSetStates = { type: statefulSets.type, schema: WorkloadStateSchema, of: statefulSetState }
  const daemonSetStates = { type: daemonSets.type, schema: WorkloadStateSchema, of: daemonSetState }
  const watchStatefulSets = watchKind(statefulSet, 'statefulSet')
  const watchDaemonSets = watchKind(daemonSet, 'daemonSet')
  return {
    listStatefulSets: listByState(objects, statefulSet, statefulSetStates),
    getStatefulSet: statefulSet.get,
    getStatefulSetJSON: statefulSet.json,
    createStatefulSet: statefulSet.create,
    updateStatefulSet: statefulSet.update,
    patchStatefulSet: statefulSet.patch,
    deleteStatefulSet: statefulSet.remove,
    restartStatefulSet: (request, call) => restart(objects, statefulSets, request, call),
    scaleStatefulSet: (request, call) => scale(objects, statefulSets, request, call),
    listStatefulSetRevisions: listRevisions(objects, statefulSets.type),
    rollbackStatefulSet: (request, call) => rollback(objects, statefulSets, request, call),
    watchStatefulSets: async (request, call) =>
      watchStatefulSets(request, call, {}, inState(statefulSetStates, request.phase)),

    listDaemonSets: listByState(objects, daemonSet, daemonSetStates),
    getDaemonSet: daemonSet.get,
    getDaemonSetJSON: daemonSet.json,
    createDaemonSet: daemonSet.create,
    updateDaemonSet: daemonSet.update,
    patchDaemonSet: daemonSet.patch,
    deleteDaemonSet: daemonSet.remove,
    restartDaemonSet: (request, call) => restart(objects, daemonSets, request, call),
    listDaemonSetRevisions: listRevisions(objects, daemonSets.type),
    rollbackDaemonSet: (request, call) => rollback(objects, daemonSets, request, call),
    watchDaemonSets: async (request, call) =>
      watchDaemonSets(request, call, {}, inState(daemonSetStates, request.phase)),
  }
}
