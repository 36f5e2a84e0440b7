import { AppsService } from '../../../proto/gen/kairship/apps_pb.js'
import { BatchService } from '../../../proto/gen/kairship/batch_pb.js'
import { CoreService } from '../../../proto/gen/kairship/core_pb.js'
import { NetworkingService } from '../../../proto/gen/kairship/networking_pb.js'
import { PropagationService } from '../../../proto/gen/kairship/propagation_pb.js'
import { WorkloadService } from '../../../proto/gen/kairship/workload_pb.js'
import { WorkloadPodsService } from '../../../proto/gen/kairship/workload_pods_pb.js'
import { ManagedWorld } from '../support/managed-world.js'
import { daemonSetCases } from './apps/daemon-sets.js'
import { deploymentListCases } from './apps/deployment-lists.js'
import { deploymentPromotionCases } from './apps/deployment-promotion.js'
import { deploymentCases } from './apps/deployments.js'
import { deploymentReaderCases } from './apps/readers.js'
import { rollbackCases } from './apps/rollbacks.js'
import { statefulSetCases } from './apps/stateful-sets.js'
import { wrongDeploymentRequestCases } from './apps/wrong-requests.js'
import { cronJobCases } from './batch/cron-jobs.js'
import { jobRestartCases } from './batch/job-restarts.js'
import { jobCases } from './batch/jobs.js'
import { wrongBatchRequestCases } from './batch/wrong-requests.js'
import { configMapCases } from './core/config-maps.js'
import { eventCases } from './core/events.js'
import { memberServiceCases } from './core/member-services.js'
import { namespaceCases } from './core/namespaces.js'
import { podCases } from './core/pods.js'
import { secretCases } from './core/secrets.js'
import { serviceCases } from './core/services.js'
import { wrongCoreRequestCases } from './core/wrong-requests.js'
import { propagatedCases } from './propagation/propagated.js'
import { watchFilterCases } from './watch-filters.js'
import { watchPlacementCases } from './watch-placements.js'
import { watchCases } from './watches.js'
import { workloadPodsCases } from './workload-pods/logs.js'
import { watchedEventsCases } from './workload-pods/watched-events.js'

/**
 * The kinds of an instance's objects, a file for each. They share one playground, because starting one takes longer than the
 * cases of a kind; no kind needs what another left.
 */
const core = new ManagedWorld(CoreService)
const apps = core.of(AppsService)
const batch = core.of(BatchService)
const workloads = core.of(WorkloadService)
const propagation = core.of(PropagationService)
const networking = core.of(NetworkingService)
const workloadPods = core.of(WorkloadPodsService)

configMapCases(core)
secretCases(core)
serviceCases(core)
memberServiceCases(core)
podCases(core)
namespaceCases(core)
eventCases(core)
wrongCoreRequestCases(core)

deploymentCases(apps)
deploymentListCases(apps)
deploymentPromotionCases(apps)
wrongDeploymentRequestCases(apps)
deploymentReaderCases(apps)

statefulSetCases(workloads)
daemonSetCases(workloads)
rollbackCases(apps, workloads)

propagatedCases(propagation)
workloadPodsCases(workloadPods)
watchedEventsCases(workloadPods)

jobCases(batch)
jobRestartCases(batch)
cronJobCases(batch)
wrongBatchRequestCases(batch)

watchCases({ core, apps, batch, workloads })
watchFilterCases({ core, networking })
watchPlacementCases({ core, apps, propagation })
