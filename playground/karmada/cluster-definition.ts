import type { ResourceModel } from '../../karmada/objects/cluster.js'
import { labelValue } from '../../manifests/name-format.js'
import { equal, type Json, type JsonObject, listAt, objectAt, stringAt } from '../apimachinery/json.js'
import {
  type PrinterColumn,
  type ResourceDefinition,
  STORED_VERBS,
  type Strategy,
} from '../apimachinery/resource-definition.js'
import { clusterSchema } from './cluster-schema.js'
import { clusterNameComplaints, validateCluster } from './cluster-validation.js'
import {
  canonicalModels,
  defaultResourceModels,
  modelsOf,
  standardizeResourceModels,
  wellFormed,
} from './resource-models.js'

const withSpec = (object: JsonObject, spec: JsonObject): JsonObject => ({ ...object, spec })

/** Normalizes the models, and moves the deprecated `zone` into `zones` unless it is to be refused. */
function normalize(object: JsonObject, models: readonly ResourceModel[]): JsonObject {
  const { zone, ...spec } = objectAt(object, 'spec')
  const zones = listAt(object, 'spec', 'zones')
  const moves = typeof zone === 'string' && zone !== '' && zones.length === 0 && labelValue(zone).length === 0
  return withSpec(object, {
    ...spec,
    ...(moves ? { zones: [zone] } : zone !== undefined && { zone }),
    ...(models.length > 0 && { resourceModels: canonicalModels(models) as unknown as Json }),
  })
}

const strategy: Strategy = {
  nameFormat: clusterNameComplaints,
  allowsUnconditionalUpdate: true,
  prepareForCreate(object) {
    const { status: _wiped, ...rest } = object
    const models = wellFormed(modelsOf(rest)) ? modelsOf(rest) : undefined
    if (!models) return rest
    return normalize(rest, models.length > 0 ? standardizeResourceModels(models) : defaultResourceModels)
  },
  prepareForUpdate(object, old) {
    const { status: _ignored, ...rest } = object
    const kept = old.status === undefined ? rest : { ...rest, status: old.status }
    const models = modelsOf(kept)
    if (!wellFormed(models)) return kept
    return normalize(kept, standardizeResourceModels(models))
  },
  bumpsGeneration: (object, old) => !equal(object.spec, old.spec),
  // What is stored from before a rule was known stays as it is; writes of its status are not judged in Karmada either.
  validate: (object, old) => (old && equal(object.spec, old.spec) ? [] : validateCluster(object)),
}

const column = (
  name: string,
  description: string,
  value: (object: JsonObject, now: Date) => Json,
  priority = 0,
): PrinterColumn => ({ name, type: 'string', description, priority, value })

const orNone = (text: string): string => (text === '' ? '<none>' : text)

const printerColumns: readonly PrinterColumn[] = [
  { ...column('Name', 'Name of the member cluster.', o => stringAt(o, 'metadata', 'name')), format: 'name' },
  column('Version', "The member's Kubernetes version.", o => stringAt(o, 'status', 'kubernetesVersion')),
  column('Mode', 'Push or Pull.', o => stringAt(o, 'spec', 'syncMode')),
  column('Ready', 'Whether the cluster accepts workloads.', readyStatus),
  {
    name: 'Age',
    type: 'date',
    description: 'Time since it joined.',
    priority: 0,
    jsonPath: '.metadata.creationTimestamp',
  },
  column('Zones', 'Failure zones.', o => orNone(listAt(o, 'spec', 'zones').join(',')), 1),
  column('Region', 'Region.', o => orNone(stringAt(o, 'spec', 'region')), 1),
  column('Provider', 'Cloud provider.', o => orNone(stringAt(o, 'spec', 'provider')), 1),
  column('API-Endpoint', 'URL of its API server.', o => stringAt(o, 'spec', 'apiEndpoint'), 1),
  column('Proxy-URL', 'Proxy on the way to it.', o => orNone(stringAt(o, 'spec', 'proxyURL')), 1),
]

function readyStatus(object: JsonObject): string {
  const conditions = listAt(object, 'status', 'conditions')
  return stringAt(conditions.find(one => stringAt(one, 'type') === 'Ready') ?? {}, 'status') || 'Unknown'
}

/** The type `clusters.cluster.karmada.io`, as Karmada's aggregated API server registers it. */
export const clusterDefinition: ResourceDefinition = {
  group: 'cluster.karmada.io',
  version: 'v1alpha1',
  kind: 'Cluster',
  listKind: 'ClusterList',
  plural: 'clusters',
  singular: 'cluster',
  shortNames: [],
  categories: [],
  namespaced: false,
  verbs: STORED_VERBS,
  subresources: {
    status: true,
    others: [
      {
        name: 'proxy',
        kind: 'Cluster',
        verbs: ['create', 'delete', 'get', 'patch', 'update'],
      },
    ],
  },
  schema: clusterSchema,
  printerColumns,
  strategy,
  custom: false,
}
