import {
  type CustomResourceDefinition,
  customResourceDefinition,
  type PrinterColumn,
} from '../objects/custom-resource.js'
import { bytes, condition, dateTime, flag, list, object, type Schema, text } from '../objects/schema.js'

const syncResources = list(
  object(
    {
      eventsInvolvedResources: list(text),
      group: text,
      resources: list(text, { minItems: 1 }),
      versions: list(text),
    },
    ['group', 'resources'],
  ),
)
const source: Schema = object({ key: text, name: text }, ['key', 'name'])

const spec = object(
  {
    apiserver: text,
    authenticationFrom: object({ ca: source, cert: source, key: source, kubeconfig: source, token: source }),
    caData: bytes,
    certData: bytes,
    keyData: bytes,
    kubeconfig: bytes,
    shardingName: text,
    syncAllCustomResources: flag,
    syncResources,
    syncResourcesRefName: text,
    tokenData: bytes,
  },
  ['syncResources'],
)

const syncCondition = object(
  {
    initialListPhase: flag,
    lastTransitionTime: dateTime,
    message: text,
    reason: text,
    status: text,
    storageResource: text,
    storageVersion: text,
    syncResource: text,
    syncVersion: text,
    version: text,
  },
  ['lastTransitionTime', 'status', 'version'],
)
const status = object({
  apiserver: text,
  conditions: list(condition),
  shardingName: text,
  syncResources: list(
    object(
      {
        group: text,
        resources: list(
          object({ kind: text, name: text, namespaced: flag, syncConditions: list(syncCondition) }, [
            'kind',
            'name',
            'namespaced',
            'syncConditions',
          ]),
        ),
      },
      ['group', 'resources'],
    ),
  ),
  version: text,
})

const conditionColumn = (name: string, field: 'status' | 'reason', priority?: number): PrinterColumn => ({
  name,
  type: 'string',
  jsonPath: `.status.conditions[?(@.type == '${name}')].${field}`,
  ...(priority !== undefined && { priority }),
})

/** The CustomResourceDefinitions of Container Management's contract, as Clusterpedia serves them. */
export const containerManagementDefinitions: readonly CustomResourceDefinition[] = [
  customResourceDefinition({
    group: 'cluster.clusterpedia.io',
    kind: 'PediaCluster',
    plural: 'pediaclusters',
    scope: 'Cluster',
    description: 'A cluster whose objects are indexed.',
    versions: [
      {
        name: 'v1alpha2',
        spec,
        status,
        required: [],
        columns: [
          conditionColumn('Ready', 'status'),
          { name: 'Version', type: 'string', jsonPath: '.status.version' },
          { name: 'APIServer', type: 'string', jsonPath: '.status.apiserver' },
          conditionColumn('Validated', 'reason', 10),
          conditionColumn('SynchroRunning', 'reason', 10),
          conditionColumn('ClusterHealthy', 'reason', 10),
          { name: 'ShardingName', type: 'string', jsonPath: '.status.shardingName', priority: 10 },
        ],
      },
    ],
  }),
  customResourceDefinition({
    group: 'cluster.clusterpedia.io',
    kind: 'ClusterSyncResources',
    plural: 'clustersyncresources',
    scope: 'Cluster',
    description: 'Types to index that several clusters share.',
    versions: [{ name: 'v1alpha2', spec: object({ syncResources }, ['syncResources']), required: [] }],
  }),
]
