import { z } from 'zod'
import type { OverridePolicy } from '../../../karmada/objects/override-policy.js'
import type { PropagationPolicy } from '../../../karmada/objects/propagation-policy.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { invalidFields } from '../../failure.js'

/*
 * The types of what decisions read of a policy that nobody has stored yet: the API server has not checked it against the CRD.
 * As in config/crd/bases/policy.karmada.io_*.yaml of Karmada 1.18; what no decision reads may be anything here.
 */
const text = z.string()
const texts = z.array(text)
const requirement = z.looseObject({ key: text, operator: text, values: texts.optional() })
const labelSelector = z.looseObject({
  matchLabels: z.record(text, text).optional(),
  matchExpressions: z.array(requirement).optional(),
})
const clusterAffinity = z.looseObject({
  clusterNames: texts.optional(),
  exclude: texts.optional(),
  labelSelector: labelSelector.optional(),
  fieldSelector: z.looseObject({ matchExpressions: z.array(requirement).optional() }).optional(),
})
const toleration = z.looseObject({
  key: text.optional(),
  operator: text.optional(),
  value: text.optional(),
  effect: text.optional(),
  tolerationSeconds: z.int().optional(),
})
const spreadConstraint = z.looseObject({
  spreadByField: text.optional(),
  spreadByLabel: text.optional(),
  minGroups: z.int().optional(),
  maxGroups: z.int().optional(),
})
const weightPreference = z.looseObject({
  dynamicWeight: text.optional(),
  staticWeightList: z.array(z.looseObject({ targetCluster: clusterAffinity, weight: z.int() })).optional(),
})
const placement = z.looseObject({
  clusterAffinity: clusterAffinity.optional(),
  clusterAffinities: z
    .array(
      clusterAffinity.extend({ affinityName: text, overflowAffinities: z.array(clusterAffinity).optional() }),
    )
    .optional(),
  clusterTolerations: z.array(toleration).optional(),
  spreadConstraints: z.array(spreadConstraint).optional(),
  replicaScheduling: z
    .looseObject({
      replicaSchedulingType: text.optional(),
      replicaDivisionPreference: text.optional(),
      weightPreference: weightPreference.optional(),
    })
    .optional(),
})
const resourceSelectors = z.array(
  z.looseObject({
    apiVersion: text,
    kind: text,
    namespace: text.optional(),
    name: text.optional(),
    labelSelector: labelSelector.optional(),
  }),
)
const propagationSpec = z.looseObject({
  resourceSelectors,
  placement: placement.optional(),
  priority: z.int().optional(),
  preemption: text.optional(),
  schedulerName: text.optional(),
  activationPreference: text.optional(),
})
const overrideSpec = z.looseObject({
  resourceSelectors: resourceSelectors.optional(),
  targetCluster: clusterAffinity.optional(),
  overriders: z.looseObject({}).optional(),
  overrideRules: z
    .array(z.looseObject({ targetCluster: clusterAffinity.optional(), overriders: z.looseObject({}) }))
    .optional(),
})

/** @throws Failure INVALID_ARGUMENT that names the fields of a type which Karmada would not store */
export const propagationPolicyOf = (manifest: KubeObject): PropagationPolicy =>
  withSpec<PropagationPolicy>(manifest, propagationSpec)

/** The same of an OverridePolicy or ClusterOverridePolicy. */
export const overridePolicyOf = (manifest: KubeObject): OverridePolicy & KubeObject =>
  withSpec<OverridePolicy & KubeObject>(manifest, overrideSpec)

function withSpec<T extends KubeObject>(manifest: KubeObject, schema: z.ZodType): T {
  const { spec } = manifest as KubeObject & { readonly spec?: unknown }
  const known = withoutNulls(spec)
  const { error } = schema.safeParse(known)
  if (!error) return { ...manifest, spec: known } as unknown as T
  throw invalidFields(
    error.issues.map(({ path, message }) => ({
      field: ['data', 'spec', ...path].join('.'),
      description: message,
    })),
  )
}

/** To an API server a field that is null is one that is left out. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, one]) => one !== null)
  return Object.fromEntries(fields.map(([key, one]) => [key, withoutNulls(one)]))
}
