import type { Placement } from './placement.js'

/**
 * The fields of a Go struct in the order in which Go writes them. `kept` are those without `omitempty`; others are left out where they are
 * zero: an empty text or list, 0, or an empty map. A struct behind a pointer is written even when it is empty.
 */
interface Struct {
  readonly fields: Readonly<Record<string, Struct | undefined>>
  readonly kept?: readonly string[]
}

const requirement: Struct = {
  fields: { key: undefined, operator: undefined, values: undefined },
  kept: ['key', 'operator'],
}
const labelSelector: Struct = { fields: { matchLabels: undefined, matchExpressions: requirement } }
const affinity = {
  labelSelector,
  fieldSelector: { fields: { matchExpressions: requirement } },
  clusterNames: undefined,
  exclude: undefined,
}
const clusterAffinity: Struct = { fields: affinity }
const named = { affinityName: undefined, ...affinity }
const toleration: Struct = {
  fields: {
    key: undefined,
    operator: undefined,
    value: undefined,
    effect: undefined,
    tolerationSeconds: undefined,
  },
  // A pointer: 0 is not the same as nothing.
  kept: ['tolerationSeconds'],
}

const groupByLabel: Struct = { fields: { groupByLabelKey: undefined }, kept: ['groupByLabelKey'] }

/** `Placement` of Karmada 1.18 (pkg/apis/policy/v1alpha1/propagation_types.go). */
const PLACEMENT: Struct = {
  fields: {
    clusterAffinity,
    clusterAffinities: {
      fields: { ...named, overflowAffinities: { fields: named, kept: ['affinityName'] } },
      kept: ['affinityName'],
    },
    clusterTolerations: toleration,
    spreadConstraints: {
      fields: {
        spreadByField: undefined,
        spreadByLabel: undefined,
        maxGroups: undefined,
        minGroups: undefined,
      },
    },
    replicaScheduling: {
      fields: {
        replicaSchedulingType: undefined,
        replicaDivisionPreference: undefined,
        weightPreference: {
          fields: {
            staticWeightList: {
              fields: { targetCluster: clusterAffinity, weight: undefined },
              kept: ['targetCluster', 'weight'],
            },
            dynamicWeight: undefined,
          },
        },
      },
    },
    workloadAffinity: { fields: { affinity: groupByLabel, antiAffinity: groupByLabel } },
  },
}

/** A placement as Karmada's controllers write it after they have read it: in the order of Go's fields, without what is empty. */
export const writtenPlacement = (placement: Placement): Placement =>
  written(placement, PLACEMENT) as Placement

function written(value: object, { fields, kept = [] }: Struct): object {
  const from = value as Readonly<Record<string, unknown>>
  const found: [string, unknown][] = []
  for (const [name, struct] of Object.entries(fields)) {
    const field = from[name]
    if (field === undefined || (isZero(field, struct) && !kept.includes(name))) continue
    found.push([name, struct ? writtenField(field, struct) : sortedMap(field)])
  }
  return Object.fromEntries(found)
}

const writtenField = (field: unknown, struct: Struct): unknown =>
  Array.isArray(field) ? field.map(one => written(one as object, struct)) : written(field as object, struct)

function isZero(field: unknown, struct: Struct | undefined): boolean {
  if (Array.isArray(field)) return field.length === 0
  if (typeof field === 'object' && field !== null) return !struct && Object.keys(field).length === 0
  return field === '' || field === 0 || field === false || field === null
}

/** Go writes maps by their keys. */
const sortedMap = (field: unknown): unknown =>
  typeof field === 'object' && field !== null && !Array.isArray(field)
    ? Object.fromEntries(Object.entries(field).sort(([one], [other]) => (one < other ? -1 : 1)))
    : field
