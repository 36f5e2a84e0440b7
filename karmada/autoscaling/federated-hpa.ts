import type { Condition, KubeObject } from '../../manifests/kube.js'
import { CLAIMS } from '../matching/policies.js'
import type { Binding } from '../objects/resource-binding.js'
import type { ScaleTarget } from './cron-scaling.js'
import type { HpaSpec } from './hpa-spec.js'

/** autoscaling.karmada.io/v1alpha1 FederatedHPA: scales a workload by metrics of all members together. */
export interface FederatedHpa extends KubeObject {
  readonly spec: HpaSpec
  readonly status?: {
    readonly currentReplicas?: number
    readonly desiredReplicas?: number
    readonly lastScaleTime?: string
    readonly currentMetrics?: readonly object[]
    readonly conditions?: readonly Condition[]
  }
}

/** A FederatedHPA cannot look at its workload; the message is Karmada's. */
export class TargetError extends Error {
  override readonly name = 'TargetError'

  /** @param reason of the condition AbleToScale; the Event's is `eventReason` */
  constructor(
    readonly reason: string,
    readonly eventReason: string,
    /** What the controller was unable to do, for the condition's message. */
    readonly unableTo: string,
    message: string,
  ) {
    super(message)
  }
}

/**
 * The binding of a FederatedHPA's workload.
 * @throws TargetError where no policy has claimed the workload, or it has no binding yet
 */
export function bindingOf(
  template: KubeObject,
  { apiVersion, kind, name }: ScaleTarget,
  bindings: readonly Binding[],
): Binding {
  const { labels = {} } = template.metadata
  const failure = (message: string) =>
    new TargetError('FailedGetBinding', 'FailedGetBindings', 'get the binding by scaleTargetRef', message)
  if (Object.keys(labels).length === 0) throw failure('target resource has no label')
  const label = [CLAIMS.policy.id, CLAIMS.clusterPolicy.id].find(id => labels[id] !== undefined)
  if (label === undefined) throw failure('no label of policy permanent-id found')
  const ofPolicy = bindings.filter(({ metadata }) => metadata.labels?.[label] === labels[label])
  if (ofPolicy.length === 0) throw failure('length of binding list is zero')
  const found = ofPolicy.find(
    ({ spec: { resource } }) =>
      resource.name === name && resource.kind === kind && resource.apiVersion === apiVersion,
  )
  if (!found) throw failure('no binding matches the target resource')
  return found
}
