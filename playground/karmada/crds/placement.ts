import {
  atomicList,
  flag,
  int32,
  int64,
  integer,
  labelSelector,
  list,
  object,
  oneOf,
  type Schema,
  selectorRequirement,
  text,
  toleration,
  withDefault,
} from '../../objects/schema.js'

/** Shapes of policy.karmada.io that policies and bindings share: where to place, how to divide, what to select. */

const affinityFields = {
  clusterNames: list(text),
  exclude: list(text),
  fieldSelector: object({ matchExpressions: list(selectorRequirement) }),
  labelSelector,
}
const affinityName = { ...text, minLength: 1, maxLength: 32 }

export const clusterAffinity: Schema = object(affinityFields)
const namedAffinity = object({ affinityName, ...affinityFields }, ['affinityName'])
const affinityTerm = object({ affinityName, ...affinityFields, overflowAffinities: list(namedAffinity) }, [
  'affinityName',
])

const staticWeight = object({ targetCluster: clusterAffinity, weight: { ...int64, minimum: 1 } }, [
  'targetCluster',
  'weight',
])
const groupByLabel = object({ groupByLabelKey: text }, ['groupByLabelKey'])

export const placement: Schema = object({
  clusterAffinities: list(affinityTerm),
  clusterAffinity,
  clusterTolerations: list(toleration),
  replicaScheduling: object({
    replicaDivisionPreference: oneOf('Aggregated', 'Weighted'),
    replicaSchedulingType: withDefault('Divided', oneOf('Duplicated', 'Divided')),
    weightPreference: object({
      dynamicWeight: oneOf('AvailableReplicas'),
      staticWeightList: list(staticWeight),
    }),
  }),
  spreadConstraints: list(
    object({
      maxGroups: integer,
      minGroups: integer,
      spreadByField: oneOf('cluster', 'region', 'zone', 'provider'),
      spreadByLabel: text,
    }),
  ),
  workloadAffinity: object({ affinity: groupByLabel, antiAffinity: groupByLabel }),
})

const statePreservation = object(
  { rules: list(object({ aliasLabelName: text, jsonPath: text }, ['aliasLabelName', 'jsonPath'])) },
  ['rules'],
)

export const failover: Schema = object({
  application: object(
    {
      decisionConditions: object({ tolerationSeconds: withDefault(300, int32) }),
      gracePeriodSeconds: int32,
      purgeMode: withDefault('Gracefully', oneOf('Directly', 'Gracefully', 'Never')),
      statePreservation,
    },
    ['decisionConditions'],
  ),
  cluster: object({
    purgeMode: withDefault('Gracefully', oneOf('Directly', 'Gracefully')),
    statePreservation,
  }),
})

export const conflictResolution: Schema = withDefault('Abort', oneOf('Abort', 'Overwrite'))

/** When to stop dispatching to member clusters; bindings can also stop scheduling. */
export const suspensionFields = {
  dispatching: flag,
  dispatchingOnClusters: object({ clusterNames: list(text) }),
}

export const resourceSelector: Schema = object(
  { apiVersion: text, kind: text, labelSelector, name: text, namespace: text },
  ['apiVersion', 'kind'],
)

/** core/v1 NodeSelector, as replica requirements carry it. */
const nodeSelectorTerm: Schema = {
  ...object({
    matchExpressions: atomicList(selectorRequirement),
    matchFields: atomicList(selectorRequirement),
  }),
  'x-kubernetes-map-type': 'atomic',
}
export const nodeClaim: Schema = object({
  hardNodeAffinity: {
    ...object({ nodeSelectorTerms: atomicList(nodeSelectorTerm) }, ['nodeSelectorTerms']),
    'x-kubernetes-map-type': 'atomic',
  },
  nodeSelector: { type: 'object', additionalProperties: text },
  tolerations: list(toleration),
})
