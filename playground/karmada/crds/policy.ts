import { ageColumn, type CustomResource, type PrinterColumn } from '../../objects/custom-resource.js'
import {
  anything,
  flag,
  int32,
  labels,
  list,
  object,
  oneOf,
  resourceList,
  type Schema,
  text,
  withDefault,
} from '../../objects/schema.js'
import {
  clusterAffinity,
  conflictResolution,
  failover,
  placement,
  resourceSelector,
  suspensionFields,
} from './placement.js'

const propagationSpec = object(
  {
    activationPreference: oneOf('Lazy'),
    association: flag,
    conflictResolution,
    dependentOverrides: list(text),
    failover,
    placement,
    preemption: withDefault('Never', oneOf('Always', 'Never')),
    preserveResourcesOnDeletion: flag,
    priority: withDefault(0, int32),
    propagateDeps: flag,
    resourceSelectors: list(resourceSelector, { minItems: 1 }),
    schedulePriority: object({ priorityClassName: text, priorityClassSource: oneOf('KubePriorityClass') }, [
      'priorityClassName',
      'priorityClassSource',
    ]),
    schedulerName: withDefault('default-scheduler', text),
    suspension: object(suspensionFields),
  },
  ['resourceSelectors'],
)

const propagationColumns: readonly PrinterColumn[] = [
  { name: 'CONFLICT-RESOLUTION', type: 'string', jsonPath: '.spec.conflictResolution' },
  { name: 'PRIORITY', type: 'string', jsonPath: '.spec.priority' },
  ageColumn,
]

const edit = oneOf('add', 'remove', 'replace')
const keyValueOverrider = list(object({ operator: edit, value: labels }, ['operator', 'value']))
const wordsOverrider = list(
  object({ containerName: text, operator: oneOf('add', 'remove'), value: list(text) }, [
    'containerName',
    'operator',
  ]),
)
const subPathEdits = list(object({ operator: edit, subPath: text, value: anything }, ['operator', 'subPath']))

const overriders: Schema = object({
  annotationsOverrider: keyValueOverrider,
  argsOverrider: wordsOverrider,
  commandOverrider: wordsOverrider,
  fieldOverrider: list(object({ fieldPath: text, json: subPathEdits, yaml: subPathEdits }, ['fieldPath'])),
  imageOverrider: list(
    object(
      {
        component: oneOf('Registry', 'Repository', 'Tag'),
        operator: edit,
        predicate: object({ path: text }, ['path']),
        value: text,
      },
      ['component', 'operator'],
    ),
  ),
  labelsOverrider: keyValueOverrider,
  plaintext: list(object({ operator: edit, path: text, value: anything }, ['operator', 'path'])),
})

const overrideSpec = object({
  overrideRules: list(object({ overriders, targetCluster: clusterAffinity }, ['overriders'])),
  overriders,
  resourceSelectors: list(resourceSelector),
  targetCluster: clusterAffinity,
})

const quotaSpec = object(
  {
    overall: resourceList,
    staticAssignments: list(object({ clusterName: text, hard: resourceList }, ['clusterName', 'hard'])),
  },
  ['overall'],
)
const quotaStatus = object({
  aggregatedStatus: list(
    object({ clusterName: text, hard: resourceList, used: resourceList }, ['clusterName']),
  ),
  overall: resourceList,
  overallUsed: resourceList,
})

const taintConditions = list(
  object({ conditionType: text, operator: text, statusValues: list(text) }, [
    'conditionType',
    'operator',
    'statusValues',
  ]),
)
const taintPolicySpec = object(
  {
    addOnConditions: taintConditions,
    removeOnConditions: taintConditions,
    targetClusters: clusterAffinity,
    taints: list(object({ effect: text, key: text, value: text }, ['effect', 'key']), { minItems: 1 }),
  },
  ['taints'],
)

const group = 'policy.karmada.io'
const categories = ['karmada-io']

/** policy.karmada.io: what goes where, and how it is changed on the way. */
export const policyResources: readonly CustomResource[] = [
  {
    group,
    kind: 'PropagationPolicy',
    plural: 'propagationpolicies',
    shortNames: ['pp'],
    categories,
    scope: 'Namespaced',
    description: 'Says which objects of its namespace go to which member clusters.',
    versions: [{ name: 'v1alpha1', spec: propagationSpec, columns: propagationColumns }],
  },
  {
    group,
    kind: 'ClusterPropagationPolicy',
    plural: 'clusterpropagationpolicies',
    shortNames: ['cpp'],
    categories,
    scope: 'Cluster',
    description: 'Says which objects of any namespace, or of none, go to which member clusters.',
    versions: [{ name: 'v1alpha1', spec: propagationSpec, columns: propagationColumns }],
  },
  {
    group,
    kind: 'OverridePolicy',
    plural: 'overridepolicies',
    shortNames: ['op'],
    categories,
    scope: 'Namespaced',
    description: 'Changes objects of its namespace on their way to chosen member clusters.',
    versions: [{ name: 'v1alpha1', spec: overrideSpec }],
  },
  {
    group,
    kind: 'ClusterOverridePolicy',
    plural: 'clusteroverridepolicies',
    shortNames: ['cop'],
    categories,
    scope: 'Cluster',
    description: 'Changes objects of any namespace, or of none, on their way to chosen member clusters.',
    versions: [{ name: 'v1alpha1', spec: overrideSpec }],
  },
  {
    group,
    kind: 'FederatedResourceQuota',
    plural: 'federatedresourcequotas',
    categories,
    scope: 'Namespaced',
    description: 'Limits what a namespace may use over all member clusters together.',
    versions: [
      {
        name: 'v1alpha1',
        spec: quotaSpec,
        status: quotaStatus,
        columns: [
          { name: 'OVERALL', type: 'string', jsonPath: '.status.overall' },
          { name: 'OVERALL_USED', type: 'string', jsonPath: '.status.overallUsed' },
        ],
      },
    ],
  },
  {
    group,
    kind: 'ClusterTaintPolicy',
    plural: 'clustertaintpolicies',
    scope: 'Cluster',
    description: 'Taints member clusters according to their conditions.',
    versions: [{ name: 'v1alpha1', spec: taintPolicySpec }],
  },
]
