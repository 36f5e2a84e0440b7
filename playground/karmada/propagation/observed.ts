import {
  CRON_FEDERATED_HPAS,
  type CronFederatedHpa,
  FEDERATED_HPAS,
} from '../../../karmada/autoscaling/cron-scaling.js'
import type { FederatedHpa } from '../../../karmada/autoscaling/federated-hpa.js'
import type { Autoscaler } from '../../../karmada/autoscaling/scale-target-mark.js'
import { REBALANCERS, type WorkloadRebalancer } from '../../../karmada/eviction/rebalance.js'
import { REMEDIES, type Remedy } from '../../../karmada/eviction/remedy.js'
import type { ClusterTaintPolicy } from '../../../karmada/eviction/taint-policies.js'
import { CUSTOMIZATIONS, type Customization } from '../../../karmada/interpreter/customized/customization.js'
import {
  WEBHOOK_CONFIGURATIONS,
  type WebhookConfiguration,
} from '../../../karmada/interpreter/customized/webhook-configuration.js'
import {
  MULTI_CLUSTER_SERVICES,
  type MultiClusterService,
} from '../../../karmada/networking/multi-cluster-service.js'
import {
  type DerivedService,
  SERVICE_IMPORTS,
  type ServiceImport,
} from '../../../karmada/networking/service-import.js'
import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import {
  FEDERATED_RESOURCE_QUOTAS,
  type FederatedResourceQuota,
} from '../../../karmada/objects/federated-resource-quota.js'
import type { OverridePolicy } from '../../../karmada/objects/override-policy.js'
import type { PropagationPolicy } from '../../../karmada/objects/propagation-policy.js'
import { BINDINGS, type Binding } from '../../../karmada/objects/resource-binding.js'
import { WORKS, type Work } from '../../../karmada/objects/work.js'
import type { OverridePolicies } from '../../../karmada/overrides/apply-overrides.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { type ControlPlane, type Difference, Source } from '../../client/source.js'
import { HORIZONTAL_POD_AUTOSCALERS, NAMESPACES, SERVICES } from '../../objects/core-types.js'
import { QuotaIndex } from '../quota/quota-index.js'
import { WorkIndex } from './work-index.js'

const policy = (resource: string) => ({ group: 'policy.karmada.io', version: 'v1alpha1', resource }) as const

/** Resource types of the policies, by kind. */
export const POLICIES = {
  PropagationPolicy: policy('propagationpolicies'),
  ClusterPropagationPolicy: policy('clusterpropagationpolicies'),
} as const

type OverrideObject = OverridePolicy & KubeObject

/** What the controllers of a control plane look at, kept in memory. */
export class Observed {
  readonly policies = new Source<PropagationPolicy>(POLICIES.PropagationPolicy)
  readonly clusterPolicies = new Source<PropagationPolicy>(POLICIES.ClusterPropagationPolicy)
  readonly overrides = new Source<OverrideObject>(policy('overridepolicies'))
  readonly clusterOverrides = new Source<OverrideObject>(policy('clusteroverridepolicies'))
  readonly clusters = new Source<Cluster>(CLUSTERS)
  readonly namespaces = new Source<KubeObject>(NAMESPACES)
  readonly taintPolicies = new Source<ClusterTaintPolicy>(policy('clustertaintpolicies'))
  readonly rebalancers = new Source<WorkloadRebalancer>(REBALANCERS)
  readonly cronScalings = new Source<CronFederatedHpa>(CRON_FEDERATED_HPAS)
  readonly hpas = new Source<FederatedHpa>(FEDERATED_HPAS)
  readonly autoscalers = new Source<Autoscaler>(HORIZONTAL_POD_AUTOSCALERS)
  readonly multiClusterServices = new Source<MultiClusterService>(MULTI_CLUSTER_SERVICES)
  readonly serviceImports = new Source<ServiceImport>(SERVICE_IMPORTS)
  readonly services = new Source<DerivedService>(SERVICES)
  readonly remedies = new Source<Remedy>(REMEDIES)
  readonly quotas = new Source<FederatedResourceQuota>(FEDERATED_RESOURCE_QUOTAS)
  readonly customizations = new Source<Customization>(CUSTOMIZATIONS)
  readonly interpreterWebhooks = new Source<WebhookConfiguration>(WEBHOOK_CONFIGURATIONS)
  readonly works = new Source<Work>(WORKS)
  readonly worksByBinding = new WorkIndex(this.works)
  readonly quotasInMembers = new QuotaIndex(this.works)
  readonly #bindings = new Source<Binding>(BINDINGS.namespaced.type)
  readonly #clusterBindings = new Source<Binding>(BINDINGS.clusterWide.type)
  readonly #synced: Promise<unknown>

  constructor() {
    this.#synced = Promise.all(this.#all.map(({ synced }) => synced))
  }

  /** Starts watching. Listeners must be added before. */
  start(control: ControlPlane): void {
    for (const source of this.#all) source.start(control)
  }

  /** Resolves after the first complete list of everything: before that, what is not there is not known to be absent. */
  async synced(): Promise<void> {
    await this.#synced
  }

  /** @param key `namespace/name` of a ResourceBinding, or the name of a ClusterResourceBinding */
  binding(key: string): Binding | undefined {
    return key.includes('/') ? this.#bindings.get(key) : this.#clusterBindings.get(key)
  }

  /** Bindings of both kinds. */
  get bindings(): readonly Binding[] {
    return [...this.#bindings.values(), ...this.#clusterBindings.values()]
  }

  onBinding(listener: (difference: Difference<Binding>) => void): void {
    this.#bindings.listen(listener)
    this.#clusterBindings.listen(listener)
  }

  onPolicy(listener: (difference: Difference<PropagationPolicy>) => void): void {
    this.policies.listen(listener)
    this.clusterPolicies.listen(listener)
  }

  onOverride(listener: (difference: Difference<OverridePolicy>) => void): void {
    this.overrides.listen(listener)
    this.clusterOverrides.listen(listener)
  }

  get overridePolicies(): OverridePolicies {
    return { clusterWide: this.clusterOverrides.values(), namespaced: this.overrides.values() }
  }

  close(): void {
    for (const source of this.#all) source.close()
  }

  get #all(): readonly Pick<Source<KubeObject>, 'start' | 'synced' | 'close'>[] {
    const { policies, clusterPolicies, overrides, clusterOverrides, clusters, namespaces, works } = this
    const { taintPolicies, rebalancers, remedies, quotas, cronScalings, hpas, autoscalers } = this
    const { multiClusterServices, serviceImports, services } = this
    return [
      ...[policies, clusterPolicies, overrides, clusterOverrides, clusters, namespaces, works],
      ...[
        taintPolicies,
        rebalancers,
        remedies,
        quotas,
        cronScalings,
        hpas,
        autoscalers,
        this.customizations,
        multiClusterServices,
        serviceImports,
        services,
        this.interpreterWebhooks,
        this.#bindings,
        this.#clusterBindings,
      ],
    ]
  }
}
