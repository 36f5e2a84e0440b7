import { z } from 'zod'
import type { KubeObject } from '../../manifests/kube.js'

/*
 * The types of what decisions read of a policy, as in config/crd/bases/policy.karmada.io_*.yaml of Karmada 1.18. What no decision
 * reads may be anything here.
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

const SPECS: Readonly<Record<string, z.ZodType>> = {
  PropagationPolicy: propagationSpec,
  ClusterPropagationPolicy: propagationSpec,
  OverridePolicy: overrideSpec,
  ClusterOverridePolicy: overrideSpec,
}

/** A field of a type that the CRD does not have there. */
export interface WrongField {
  /** `spec.placement.clusterAffinity` */
  readonly path: string
  readonly message: string
  /** Nothing is there. */
  readonly isMissing: boolean
}

/** A policy with what is wrong with it; a field that is null counts as one that is left out, as to an API server. */
export interface ReadPolicy<T extends KubeObject> {
  readonly policy: T
  readonly wrong: readonly WrongField[]
}

/** Reads a policy that no API server has checked against its CRD yet. Of other kinds nothing is wrong here. */
export function readPolicy<T extends KubeObject>(manifest: KubeObject): ReadPolicy<T> {
  const schema = manifest.apiVersion.startsWith('policy.karmada.io/') ? SPECS[manifest.kind] : undefined
  if (!schema) return { policy: manifest as T, wrong: [] }
  const spec = withoutNulls((manifest as KubeObject & { readonly spec?: unknown }).spec)
  const issues = schema.safeParse(spec).error?.issues ?? []
  return {
    policy: { ...manifest, spec } as unknown as T,
    wrong: issues.map(({ path, message }) => ({
      path: ['spec', ...path].join('.'),
      message,
      isMissing: valueAt(spec, path) === undefined,
    })),
  }
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((at: unknown, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value)

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, one]) => one !== null)
  return Object.fromEntries(fields.map(([key, one]) => [key, withoutNulls(one)]))
}
