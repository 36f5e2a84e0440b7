import type { KubeObject } from '../../manifests/kube.js'
import { bestPrecision, Precision } from '../matching/resource-selector.js'
import type { Cluster } from '../objects/cluster.js'
import type { MapOverrider, OverridePolicy, Overriders } from '../objects/override-policy.js'
import { matchesAffinity } from '../scheduling/cluster-affinity.js'
import type { OverrideBudget } from './budget.js'
import { imageEdits, wordEdits } from './containers.js'
import { fieldEdit } from './fields.js'
import { type Edit, edit, OverrideError } from './json-edit.js'
import { pointerToken, valueAt } from './pointer.js'

/** An override policy's rule that was applied, as a Work's annotation lists it. */
export interface AppliedOverride {
  readonly policyName: string
  readonly overriders: Overriders
}

/** The override policies of a control plane. */
export interface OverridePolicies {
  readonly clusterWide: readonly OverridePolicy[]
  readonly namespaced: readonly OverridePolicy[]
  /** What applying them may cost; anything where absent. */
  readonly budget?: OverrideBudget
}

/** An object as one cluster gets it. */
export interface Overridden<T> {
  readonly object: T
  readonly clusterOverrides: readonly AppliedOverride[]
  readonly overrides: readonly AppliedOverride[]
}

/**
 * Applies override policies to an object for one cluster, as karmada-controller-manager does
 * (`overridemanager.ApplyOverridePolicies`): ClusterOverridePolicies first, then, for a namespaced object, the
 * OverridePolicies of its namespace; of each kind the less precise selectors first, then by name.
 * @throws OverrideError when one cannot be applied; Karmada then creates no Work for the cluster
 */
export function applyOverrides<T extends KubeObject>(
  object: T,
  cluster: Cluster,
  policies: OverridePolicies,
): Overridden<T> {
  const { namespace } = object.metadata
  const { clusterWide, namespaced, budget } = policies
  budget?.spend(clusterWide.length + namespaced.length)
  const first = applyAll(object, rulesFor(object, cluster, clusterWide), budget)
  if (!namespace) return { object: first.object, clusterOverrides: first.applied, overrides: [] }
  const inNamespace = namespaced.filter(({ metadata }) => metadata.namespace === namespace)
  // Labels that the first kind of policy has changed count for the selectors of the second.
  const second = applyAll(first.object, rulesFor(first.object, cluster, inNamespace), budget)
  return { object: second.object, clusterOverrides: first.applied, overrides: second.applied }
}

function rulesFor(
  object: KubeObject,
  cluster: Cluster,
  policies: readonly OverridePolicy[],
): readonly AppliedOverride[] {
  return policies
    .map(policy => ({ policy, precision: precisionFor(object, policy) }))
    .filter(({ precision }) => precision > Precision.none)
    .sort((a, b) => a.precision - b.precision || (a.policy.metadata.name < b.policy.metadata.name ? -1 : 1))
    .flatMap(({ policy: { metadata, spec } }) => {
      const { overrideRules = [], targetCluster, overriders = {} } = spec
      const rules =
        overrideRules.length > 0 ? overrideRules : [{ ...(targetCluster && { targetCluster }), overriders }]
      return rules
        .filter(rule => !rule.targetCluster || matchesAffinity(cluster, rule.targetCluster))
        .map(rule => ({ policyName: metadata.name, overriders: rule.overriders }))
    })
}

function precisionFor(object: KubeObject, { spec: { resourceSelectors = [] } }: OverridePolicy): Precision {
  return resourceSelectors.length === 0 ? Precision.all : bestPrecision(object, resourceSelectors)
}

/** Whether an override policy applies to an object: its own namespace, and one of its selectors. */
export function isOverriddenBy(object: KubeObject, policy: OverridePolicy): boolean {
  const { namespace } = policy.metadata
  return (
    (namespace === undefined || namespace === object.metadata.namespace) &&
    precisionFor(object, policy) > Precision.none
  )
}

function applyAll<T extends KubeObject>(
  object: T,
  rules: readonly AppliedOverride[],
  budget: OverrideBudget | undefined,
): { readonly object: T; readonly applied: readonly AppliedOverride[] } {
  budget?.spend(rules.length)
  const own = rules.length > 0 ? structuredClone(object) : object
  const changed = rules.reduce((current, { overriders }) => applyOverriders(current, overriders, budget), own)
  const applied = [...rules].sort((a, b) =>
    a.policyName < b.policyName ? -1 : a.policyName > b.policyName ? 1 : 0,
  )
  return { object: changed, applied }
}

/** Kinds of overriders in Karmada's order; each one sees what those before it made. The object itself is changed. */
function applyOverriders<T extends KubeObject>(
  object: T,
  overriders: Overriders,
  budget: OverrideBudget | undefined,
): T {
  const {
    imageOverrider = [],
    commandOverrider = [],
    argsOverrider = [],
    labelsOverrider = [],
    annotationsOverrider = [],
    fieldOverrider = [],
    plaintext = [],
  } = overriders
  const steps: readonly ((current: T) => readonly Edit[])[] = [
    ...imageOverrider.map(one => (current: T) => imageEdits(current, one)),
    ...commandOverrider.map(one => (current: T) => wordEdits(current, 'command', one)),
    ...argsOverrider.map(one => (current: T) => wordEdits(current, 'args', one)),
    ...labelsOverrider.map(one => (current: T) => mapEdits(current, '/metadata/labels', one)),
    ...annotationsOverrider.map(one => (current: T) => mapEdits(current, '/metadata/annotations', one)),
    ...fieldOverrider.map(one => (current: T) => [fieldEdit(current, one, budget)]),
    () => plaintext.map(({ operator, path, value }): Edit => ({ op: operator, path, value })),
  ]
  const changed = steps.reduce((current, editsOf) => {
    const edits = editsOf(current)
    budget?.spend(stepsOf(edits))
    return edit(current, edits)
  }, object)
  if (Array.isArray(changed) || !changed.kind)
    throw new OverrideError('an override leaves no Kubernetes object')
  return changed
}

/** Each value is copied. */
const stepsOf = (edits: readonly Edit[]): number =>
  edits.reduce((sum, { value }) => sum + 1 + (Array.isArray(value) ? value.length : 0), 1)

/**
 * Only `add` brings a key; the others change keys that are there. A map with a value that is no text, which an earlier override has written, is
 * none to Karmada: it replaces nothing in it, and adds to an empty one instead.
 */
function mapEdits(object: KubeObject, path: string, { operator, value }: MapOverrider): readonly Edit[] {
  const present = valueAt(object, path)
  const texts = isMapOfTexts(present) ? present : undefined
  const keys = Object.keys(value).filter(key => operator === 'add' || Object.hasOwn(texts ?? {}, key))
  const edits = keys.map(
    (key): Edit => ({ op: operator, path: `${path}/${pointerToken(key)}`, value: value[key] }),
  )
  return operator === 'add' && !texts && keys.length > 0 ? [{ op: 'add', path, value: {} }, ...edits] : edits
}

const isMapOfTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every(one => typeof one === 'string')
