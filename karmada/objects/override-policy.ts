import type { LabelSelectorObject } from '../../manifests/label-selector.js'
import type { ClusterAffinity } from './placement.js'

/** policy.karmada.io/v1alpha1 OverridePolicy or ClusterOverridePolicy, as far as overriding reads it. */
export interface OverridePolicy {
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly spec: OverrideSpec
}

export interface OverrideSpec {
  /** None selects every object. */
  readonly resourceSelectors?: readonly ResourceSelector[]
  readonly overrideRules?: readonly OverrideRule[]
  /** Deprecated: one rule, used where `overrideRules` is empty. */
  readonly targetCluster?: ClusterAffinity
  readonly overriders?: Overriders
}

/** Selects templates by type, and by name or labels where it says so. */
export interface ResourceSelector {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name?: string
  readonly labelSelector?: LabelSelectorObject
}

export interface OverrideRule {
  /** Absent: every cluster. */
  readonly targetCluster?: ClusterAffinity
  readonly overriders: Overriders
}

export type OverrideOperator = 'add' | 'remove' | 'replace'

/** What is changed in an object, in the order in which Karmada changes it. */
export interface Overriders {
  readonly imageOverrider?: readonly ImageOverrider[]
  readonly commandOverrider?: readonly ContainerOverrider[]
  readonly argsOverrider?: readonly ContainerOverrider[]
  readonly labelsOverrider?: readonly MapOverrider[]
  readonly annotationsOverrider?: readonly MapOverrider[]
  readonly fieldOverrider?: readonly FieldOverrider[]
  readonly plaintext?: readonly PlaintextOverrider[]
}

export interface ImageOverrider {
  /** The JSON pointer of the one image to change; absent: the images of all containers. */
  readonly predicate?: { readonly path: string }
  readonly component: 'Registry' | 'Repository' | 'Tag'
  readonly operator: OverrideOperator
  readonly value?: string
}

/** Changes the command or the arguments of one container. */
export interface ContainerOverrider {
  readonly containerName: string
  readonly operator: OverrideOperator
  readonly value?: readonly string[]
}

/** Changes labels or annotations. */
export interface MapOverrider {
  readonly operator: OverrideOperator
  readonly value: Readonly<Record<string, string>>
}

/** Changes a document that a string field holds. */
export interface FieldOverrider {
  /** JSON pointer of the field. */
  readonly fieldPath: string
  readonly json?: readonly SubPathOverrider[]
  readonly yaml?: readonly SubPathOverrider[]
}

export interface SubPathOverrider {
  readonly subPath: string
  readonly operator: OverrideOperator
  readonly value?: unknown
}

export interface PlaintextOverrider {
  /** JSON pointer. */
  readonly path: string
  readonly operator: OverrideOperator
  readonly value?: unknown
}
