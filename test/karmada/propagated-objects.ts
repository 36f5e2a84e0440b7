import { mutated } from '../../karmada/admission/mutate.js'
import type { Resource } from '../../karmada/interpreter/workload.js'
import type { Cluster } from '../../karmada/objects/cluster.js'
import type { PropagationPolicy } from '../../karmada/objects/propagation-policy.js'
import type { PlacedBinding } from '../../karmada/objects/resource-binding.js'
import type { Work } from '../../karmada/objects/work.js'
import { newBinding } from '../../karmada/propagation/binding-of.js'
import { workOf } from '../../karmada/propagation/work-of.js'

/** The annotation with the permanent id of a policy. */
export const ID = 'propagationpolicy.karmada.io/permanent-id'
/** A policy that divides replicas over two clusters. */
export const policy = mutated(
  {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { namespace: 'default', name: 'p' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
      placement: {
        replicaScheduling: { replicaSchedulingType: 'Divided' },
        spreadConstraints: [{ maxGroups: 2 }],
      },
      conflictResolution: 'Abort',
    },
  } as PropagationPolicy,
  () => 'id-1',
)
/** A Deployment of five replicas, as karmada-apiserver returns it. */
export const template: Resource = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    namespace: 'default',
    name: 'nginx',
    uid: 'u1',
    generation: 3,
    resourceVersion: '7',
    annotations: { 'deployment.kubernetes.io/revision': '2', note: 'x' },
  },
  spec: {
    replicas: 5,
    template: { spec: { containers: [{ name: 'a', resources: { requests: { cpu: '100m' } } }] } },
  },
  status: { replicas: 5 },
}
/** A member in Push mode. */
export const cluster = (name: string) =>
  ({ metadata: { name }, spec: { syncMode: 'Push' } }) as unknown as Cluster
/** No override policies. */
export const none = { clusterWide: [], namespaced: [] }
/** The binding of the template, with three replicas at m1 and two at m2. */
export const binding = (): PlacedBinding => {
  const made = mutated(newBinding(template, policy), () => 'rb-1')
  return {
    ...made,
    spec: {
      ...made.spec,
      clusters: [
        { name: 'm1', replicas: 3 },
        { name: 'm2', replicas: 2 },
      ],
    },
  }
}
/** The Work of the template for m1. */
export const work = (present?: Work) =>
  workOf(binding(), template, { name: 'm1', replicas: 3 }, cluster('m1'), none, present)
