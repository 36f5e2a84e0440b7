import type { KubeObject } from '../../manifests/kube.js'

/** Namespaces of Karmada and of Kubernetes, whose objects are never propagated. */
const RESERVED = /^(karmada-system|karmada-cluster|karmada-es-.*|kube-.*)$/
/** Groups whose objects steer Karmada. */
const OWN_GROUPS = new Set(
  ['cluster', 'policy', 'work', 'config', 'networking', 'autoscaling', 'remedy', 'apps'].map(
    name => `${name}.karmada.io`,
  ),
)
const NEVER = new Set(['v1 Event', 'events.k8s.io/v1 Event', 'coordination.k8s.io/v1 Lease'])
/** Something else than a policy takes care of the template. */
const CLAIMED_ELSEWHERE = 'resourcetemplate.karmada.io/claimed-by'
const SKIP = 'namespace.karmada.io/skip-auto-propagation'

/** Whether a namespace belongs to Karmada or Kubernetes. */
export const isReservedNamespace = (name: string): boolean => RESERVED.test(name)

/** Whether Karmada's policies look at objects of this type. */
export const isPropagatedType = (apiVersion: string, kind: string): boolean =>
  !OWN_GROUPS.has(apiVersion.split('/')[0] ?? '') && !NEVER.has(`${apiVersion} ${kind}`)

/** Whether policies may select this object. */
export function mayBePropagated({ apiVersion, kind, metadata }: KubeObject): boolean {
  const { namespace, name, labels = {} } = metadata
  if (!isPropagatedType(apiVersion, kind) || labels[CLAIMED_ELSEWHERE]) return false
  return !RESERVED.test(namespace ?? (kind === 'Namespace' && apiVersion === 'v1' ? name : ''))
}

/** Whether a namespace goes to every cluster without a policy. */
export const isNamespacePropagated = ({ metadata: { name, labels = {} } }: KubeObject): boolean =>
  name !== 'default' && !RESERVED.test(name) && labels[SKIP]?.toLowerCase() !== 'true'
