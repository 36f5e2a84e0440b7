import type { KubeConnector } from '../../../ports/kube-api.js'
import type { Log } from '../../../ports/log.js'
import type { ControlPlane } from '../../client/source.js'
import { CronScalingController } from '../autoscaling/cron-scaling-controller.js'
import { DeploymentReplicasSyncer } from '../autoscaling/deployment-replicas-syncer.js'
import { FederatedHpaController } from '../autoscaling/federated-hpa-controller.js'
import { HpaScaleTargetMarker } from '../autoscaling/hpa-scale-target-marker.js'
import type { MemberQueries } from '../autoscaling/member-queries.js'
import { ApplicationFailoverController } from '../eviction/application-failover-controller.js'
import { GracefulEvictionController } from '../eviction/graceful-eviction-controller.js'
import { RemedyController } from '../eviction/remedy-controller.js'
import { TaintManager } from '../eviction/taint-manager.js'
import { TaintPolicyController } from '../eviction/taint-policy-controller.js'
import { WorkloadRebalancerController } from '../eviction/workload-rebalancer-controller.js'
import type { Interpreters } from '../interpreter/interpreters.js'
import { MemberSlices } from '../networking/member-slices.js'
import { MultiClusterServiceController } from '../networking/multi-cluster-service-controller.js'
import { ServiceExportController } from '../networking/service-export-controller.js'
import { ServiceImportController } from '../networking/service-import-controller.js'
import type { QuotaAdmission } from '../quota/quota-admission.js'
import { QuotaStatusController } from '../quota/quota-status-controller.js'
import { QuotaSyncController } from '../quota/quota-sync-controller.js'
import { BindingController } from './binding-controller.js'
import { BindingStatusController } from './binding-status-controller.js'
import { DependenciesController } from './dependencies-controller.js'
import { Events } from './events.js'
import { ExecutionController } from './execution-controller.js'
import { NamespaceController } from './namespace-controller.js'
import { Observed } from './observed.js'
import { PolicyController } from './policy-controller.js'
import { ResourceTypes } from './resource-types.js'
import { Scheduler } from './scheduler.js'
import { Templates } from './templates.js'

/** What propagation needs. */
export interface PropagationOptions {
  readonly control: ControlPlane
  readonly connector: KubeConnector
  /** Asks the members for what autoscaling looks at. */
  readonly members: MemberQueries
  /** Told of the bindings and quotas of this control plane. */
  readonly quotas: QuotaAdmission
  readonly interpreters: Interpreters
  readonly now: () => number
  readonly log: Log
}

/** A control plane's controllers from policy to member and back. Owns their watches, timers and connections. */
export class Propagation {
  readonly #observed = new Observed()
  readonly #templates: Templates
  readonly #controllers: readonly { close(): Promise<void> }[]

  constructor(options: PropagationOptions) {
    const { connector, members, now, log } = options
    const control = options.control.api
    const types = new ResourceTypes(control)
    const observed = this.#observed
    const events = new Events(control, now, log)
    const templates = new Templates(options.control, types, (difference, isInitial) => {
      policies.onTemplate(difference, isInitial)
      dependencies.onTemplate(difference)
    })
    const interpreters = options.interpreters.chain
    const shared = { control, observed, templates, interpreters, events, log }
    const policies = new PolicyController(shared)
    const bindings = new BindingController(shared)
    const dependencies = new DependenciesController(shared)
    const slices = new MemberSlices(control, connector)
    const networking = { control, observed, slices, events, now, log }
    this.#templates = templates
    this.#controllers = [
      policies,
      new Scheduler(control, observed, events, now, log),
      bindings,
      dependencies,
      new BindingStatusController({ ...shared, now }),
      new ExecutionController({ control, connector, observed, types, interpreters, events, now, log }),
      new NamespaceController(control, observed, log),
      new TaintManager(control, observed, now, log),
      new GracefulEvictionController(control, observed, events, now, log),
      new ApplicationFailoverController(control, observed, interpreters, now, log),
      new TaintPolicyController(control, observed, events, now, log),
      new WorkloadRebalancerController(control, observed, now, log),
      new CronScalingController({ control, observed, types, events, now, log }),
      new FederatedHpaController({ control, members, observed, types, events, now, log }),
      new HpaScaleTargetMarker({ control, observed, types, log }),
      new DeploymentReplicasSyncer(control, observed, log),
      new MultiClusterServiceController(networking),
      new ServiceExportController(networking),
      new ServiceImportController(networking),
      new RemedyController(control, observed, log),
      new QuotaSyncController(control, observed, events, log),
      new QuotaStatusController(control, observed, events, log),
      slices,
      // Last: the others tell it until they are closed.
      events,
    ]
    options.quotas.observe(observed)
    options.interpreters.observe(observed)
    observed.start(options.control)
  }

  async close(): Promise<void> {
    this.#observed.close()
    this.#templates.close()
    await Promise.all(this.#controllers.map(controller => controller.close()))
  }
}
