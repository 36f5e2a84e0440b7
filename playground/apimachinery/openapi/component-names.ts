import { BUILTIN_KINDS } from '../builtin/kinds.js'
import { isGenerated, modelSchema, typeName } from '../builtin/model-schemas.js'
import type { ResourceDefinition } from '../resource-definition.js'
import type { Schema } from '../schema/schema.js'

/** Go packages of the groups whose name is not their package. */
const PACKAGES: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  'apiregistration.k8s.io': 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
}
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Types of meta/v1; every group uses them, none owns them. */
const META_MODELS = new Set(
  `V1ObjectMeta V1ListMeta V1OwnerReference V1ManagedFieldsEntry V1LabelSelector V1LabelSelectorRequirement V1Condition
  V1Status V1StatusCause V1StatusDetails V1DeleteOptions V1Preconditions V1FieldSelectorRequirement V1ShardInfo`.split(
    /\s+/,
  ),
)
const SCALARS: Readonly<Record<string, string>> = {
  Time: `${META}.Time`,
  MicroTime: `${META}.MicroTime`,
  Quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  IntOrString: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
}
const ENVELOPES: Readonly<Record<string, string>> = {
  V1Scale: 'io.k8s.api.autoscaling.v1',
  V1ScaleSpec: 'io.k8s.api.autoscaling.v1',
  V1ScaleStatus: 'io.k8s.api.autoscaling.v1',
  V1Eviction: 'io.k8s.api.policy.v1',
  V1Binding: 'io.k8s.api.core.v1',
}

const packageOf = (group: string, version: string): string =>
  `${PACKAGES[group] ?? `io.k8s.api.${group === '' ? 'core' : group.split('.')[0]}`}.${version}`

/**
 * Which package each shared type belongs to: that of the first kind that reaches it, core first, because other groups borrow
 * from core and not the other way round.
 */
function assignPackages(): ReadonlyMap<string, string> {
  const assigned = new Map<string, string>(Object.entries(ENVELOPES))
  const visit = (schema: Schema, owner: string): void => {
    const { model } = schema
    if (model !== undefined) {
      if (assigned.has(model) || model in SCALARS) return
      assigned.set(model, META_MODELS.has(model) ? META : owner)
    }
    for (const property of Object.values(schema.properties ?? {})) visit(property, owner)
    if (schema.items) visit(schema.items, owner)
    if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties, owner)
  }
  for (const { group, version, model } of BUILTIN_KINDS) visit(modelSchema(model), packageOf(group, version))
  for (const model of META_MODELS) assigned.set(model, META)
  return assigned
}

let packages: ReadonlyMap<string, string> | undefined

/** `V1PodSpec` → `io.k8s.api.core.v1.PodSpec`. */
export function componentName(model: string): string {
  const scalar = SCALARS[model]
  if (scalar !== undefined) return scalar
  packages ??= assignPackages()
  return `${packages.get(model) ?? META}.${typeName(model)}`
}

/**
 * The component of a served kind: the type's own for built-in kinds, what an aggregated API calls it for its kinds, and
 * `com.example.v1.Ship` for custom ones.
 */
export function kindComponent({ custom, group, version, kind, schema }: ResourceDefinition): string {
  if (isGenerated(schema.model)) return componentName(schema.model)
  if (!custom && schema.model !== undefined) return schema.model
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`
}
