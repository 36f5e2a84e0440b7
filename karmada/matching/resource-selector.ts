import type { KubeObject } from '../../manifests/kube.js'
import { selectsLabels } from '../../manifests/label-selector.js'
import type { ResourceSelector } from '../objects/override-policy.js'

/** How precisely a selector names an object; more precise selectors win (`util.ImplicitPriority` of Karmada). */
export const Precision = { none: 0, all: 1, labels: 2, name: 3 } as const
export type Precision = (typeof Precision)[keyof typeof Precision]

/** How precisely one selector names an object; a name is compared before labels, and alone. */
export function precisionOf(
  { apiVersion, kind, metadata }: KubeObject,
  selector: ResourceSelector,
): Precision {
  if (apiVersion !== selector.apiVersion || kind !== selector.kind) return Precision.none
  if (selector.namespace && selector.namespace !== (metadata.namespace ?? '')) return Precision.none
  if (selector.name) return selector.name === metadata.name ? Precision.name : Precision.none
  if (!selector.labelSelector) return Precision.all
  return selectsLabels(selector.labelSelector, metadata.labels) ? Precision.labels : Precision.none
}

/** The highest precision of several selectors. */
export const bestPrecision = (object: KubeObject, selectors: readonly ResourceSelector[]): Precision =>
  Math.max(Precision.none, ...selectors.map(selector => precisionOf(object, selector))) as Precision
