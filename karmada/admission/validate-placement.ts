import { qualifiedName } from '../../manifests/name-format.js'
import type { ClusterAffinity, ClusterAffinityTerm, Placement } from '../objects/placement.js'
import { invalidField, notSupportedField } from './field-refusal.js'

/** Why Karmada refuses a placement (`validation.ValidatePlacement`), in its order. */
export function placementRefusals(placement: Placement, path: string): readonly string[] {
  const { clusterAffinity, clusterAffinities, replicaScheduling } = placement
  const both =
    clusterAffinity && clusterAffinities
      ? [invalidField(path, placement, 'clusterAffinities cannot co-exist with clusterAffinity')]
      : []
  const mayOverflow = allowsOverflow(replicaScheduling)
  const overflows = (clusterAffinities ?? []).flatMap(({ overflowAffinities }, at) =>
    overflowAffinities && !mayOverflow
      ? [
          invalidField(
            `${path}.clusterAffinities[${at}].overflowAffinities`,
            overflowAffinities,
            'overflowAffinities can only be used together with dynamic weight or aggregated scheduling',
          ),
        ]
      : [],
  )
  return [
    ...both,
    ...overflows,
    ...affinityRefusals(clusterAffinity, `${path}.clusterAffinity`),
    ...termRefusals(clusterAffinities ?? [], `${path}.clusterAffinities`),
    ...spreadRefusals(placement.spreadConstraints ?? [], `${path}.spreadConstraints`),
    ...workloadAffinityRefusals(placement, `${path}.workloadAffinity`),
    ...tolerationRefusals(placement, `${path}.clusterTolerations`),
  ]
}

function allowsOverflow(scheduling: Placement['replicaScheduling']): boolean {
  if (scheduling?.replicaSchedulingType !== 'Divided') return false
  const { replicaDivisionPreference, weightPreference } = scheduling
  if (replicaDivisionPreference === 'Aggregated') return true
  return replicaDivisionPreference === 'Weighted' && Boolean(weightPreference?.dynamicWeight)
}

/** Why Karmada refuses the selection of clusters (`validation.ValidateClusterAffinity`). */
export function affinityRefusals(affinity: ClusterAffinity | undefined, path: string): readonly string[] {
  const complaint = fieldSelectorComplaint(affinity)
  return complaint === undefined
    ? []
    : [invalidField(`${path}.fieldSelector`, affinity?.fieldSelector, complaint)]
}

/** What is wrong with the field selector of an affinity; undefined where nothing is. */
export function fieldSelectorComplaint(affinity: ClusterAffinity | undefined): string | undefined {
  for (const { key, operator } of affinity?.fieldSelector?.matchExpressions ?? []) {
    if (!['provider', 'region', 'zone'].includes(key))
      return `unsupported key ${JSON.stringify(key)}, must be provider, region, or zone`
    if (!['In', 'NotIn'].includes(operator))
      return `unsupported operator ${JSON.stringify(operator)}, must be In or NotIn`
  }
  return undefined
}

function termRefusals(terms: readonly ClusterAffinityTerm[], path: string): readonly string[] {
  const names = new Set<string>()
  return terms.flatMap((term, at) => {
    const { affinityName } = term
    const isTaken = names.has(affinityName)
    names.add(affinityName)
    return [
      ...qualifiedName(affinityName).map(one => invalidField(`${path}[${at}]`, affinityName, one)),
      ...(isTaken
        ? [invalidField(path, terms, 'each affinity term in a policy must have a unique name')]
        : []),
      ...affinityRefusals(term, `${path}[${at}]`),
      ...overflowRefusals(term, `${path}[${at}].overflowAffinities`),
    ]
  })
}

function overflowRefusals(term: ClusterAffinityTerm, path: string): readonly string[] {
  const { overflowAffinities, affinityName } = term
  if (!overflowAffinities) return []
  const alone = isEmpty(term)
    ? [
        invalidField(
          path,
          overflowAffinities,
          'overflowAffinities can only be used together with the inline ClusterAffinity',
        ),
      ]
    : []
  const names = new Set([affinityName])
  const each = overflowAffinities.flatMap((affinity, at) => {
    const { affinityName: name = '' } = affinity as { readonly affinityName?: string }
    const here = `${path}[${at}].affinityName`
    const isTaken = names.has(name)
    names.add(name)
    return [
      ...qualifiedName(name).map(one => invalidField(here, name, one)),
      ...(isTaken
        ? [
            invalidField(
              here,
              name,
              "overflow affinity name must be unique and must not duplicate the primary group's affinityName",
            ),
          ]
        : []),
      ...affinityRefusals(affinity, `${path}[${at}]`),
    ]
  })
  return [...alone, ...each]
}

const isEmpty = ({
  labelSelector,
  fieldSelector,
  clusterNames = [],
  exclude = [],
}: ClusterAffinity): boolean =>
  !labelSelector && !fieldSelector && clusterNames.length === 0 && exclude.length === 0

function spreadRefusals(
  constraints: NonNullable<Placement['spreadConstraints']>,
  path: string,
): readonly string[] {
  const seen = new Map<string, number>()
  const each = constraints.flatMap((constraint, at) => {
    const { spreadByField, spreadByLabel, minGroups = 0, maxGroups = 0 } = constraint
    const here = (detail: string) => invalidField(`${path}[${at}]`, constraint, detail)
    const count = spreadByField ? (seen.get(spreadByField) ?? 0) + 1 : 0
    if (spreadByField) seen.set(spreadByField, count)
    return [
      ...(spreadByField && spreadByLabel
        ? [here('spreadByLabel should not co-exist with spreadByField')]
        : []),
      ...(minGroups < 0 ? [here('minGroups lower than 0 is not allowed')] : []),
      ...(maxGroups < 0 ? [here('maxGroups lower than 0 is not allowed')] : []),
      ...(maxGroups > 0 && maxGroups < minGroups
        ? [here('maxGroups lower than minGroups is not allowed')]
        : []),
      ...(count === 2
        ? [invalidField(path, constraints, `multiple ${spreadByField} spread constraints are not allowed`)]
        : []),
    ]
  })
  const lacksCluster =
    seen.size > 0 && !seen.has('cluster')
      ? [
          invalidField(
            path,
            constraints,
            'the cluster spread constraint must be enabled in one of the constraints in case of SpreadByField is enabled',
          ),
        ]
      : []
  return [...each, ...lacksCluster]
}

function workloadAffinityRefusals({ workloadAffinity }: Placement, path: string): readonly string[] {
  const { affinity, antiAffinity } = workloadAffinity ?? {}
  const ofKey = (part: string, key: string | undefined) =>
    key === undefined
      ? []
      : qualifiedName(key).map(one => invalidField(`${path}.${part}.groupByLabelKey`, key, one))
  const isSame = affinity && antiAffinity && affinity.groupByLabelKey === antiAffinity.groupByLabelKey
  return [
    ...ofKey('affinity', affinity?.groupByLabelKey),
    ...ofKey('antiAffinity', antiAffinity?.groupByLabelKey),
    ...(isSame
      ? [
          invalidField(
            path,
            workloadAffinity,
            'affinity and antiAffinity must not use the same groupByLabelKey',
          ),
        ]
      : []),
  ]
}

const tolerationRefusals = ({ clusterTolerations = [] }: Placement, path: string): readonly string[] =>
  clusterTolerations.flatMap(({ operator }, at) =>
    operator === 'Lt' || operator === 'Gt'
      ? [notSupportedField(`${path}[${at}].operator`, operator, ['', 'Exists', 'Equal'])]
      : [],
  )
