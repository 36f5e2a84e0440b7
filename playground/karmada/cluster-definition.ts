import type { ResourceModel } from '../../karmada/objects/cluster.js'
import { dns1123Label, labelValue } from '../../manifests/name-format.js'
import { type FieldError, invalid, notSupported, required, typeInvalid } from '../apimachinery/field-error.js'
import {
  equal,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  stringAt,
} from '../apimachinery/json.js'
import {
  type PrinterColumn,
  type ResourceDefinition,
  STORED_VERBS,
  type Strategy,
} from '../apimachinery/resource-definition.js'
import { clusterSchema } from './cluster-schema.js'
import {
  canonicalModels,
  defaultResourceModels,
  resourceModelsComplaint,
  standardizeResourceModels,
} from './resource-models.js'

/** Karmada makes a namespace `karmada-es-<name>` for each cluster and wants room for the prefix. */
const MAX_NAME = 48

/** Exactly Karmada's sentences: a length complaint alone, else what is wrong with the label. */
function clusterNameComplaints(name: string): readonly string[] {
  if (name === '') return ['must be not empty']
  if (name.length > MAX_NAME) return [`must be no more than ${MAX_NAME} characters`]
  return dns1123Label(name)
}

const modelsOf = (object: JsonObject): readonly ResourceModel[] =>
  listAt(object, 'spec', 'resourceModels') as unknown as readonly ResourceModel[]

const withSpec = (object: JsonObject, spec: JsonObject): JsonObject => ({ ...object, spec })

/** Normalizes the models, moves the deprecated `zone` into `zones`. */
function normalize(object: JsonObject, models: readonly ResourceModel[]): JsonObject {
  const { zone, ...spec } = objectAt(object, 'spec')
  const zones = listAt(object, 'spec', 'zones')
  const moves = typeof zone === 'string' && zone !== '' && zones.length === 0
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
  validate: validateCluster,
}

/** Models that the schema let through but cannot be computed with are left for `validate` to refuse. */
function wellFormed(models: readonly ResourceModel[]): boolean {
  try {
    canonicalModels(models)
    return true
  } catch {
    return false
  }
}

function validateCluster(object: JsonObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec')
  return [
    ...syncModeErrors(spec),
    ...endpointErrors(stringAt(spec, 'apiEndpoint')),
    ...referenceErrors(spec, 'secretRef'),
    ...referenceErrors(spec, 'impersonatorSecretRef'),
    ...proxyErrors(stringAt(spec, 'proxyURL')),
    ...placementErrors(spec),
    ...taintErrors(listAt(spec, 'taints')),
    ...modelErrors(object),
  ]
}

function syncModeErrors(spec: JsonObject): readonly FieldError[] {
  const mode = stringAt(spec, 'syncMode')
  if (mode === 'Push' || mode === 'Pull') return []
  const unsupported = notSupported('spec.syncMode', mode, ['Pull', 'Push'])
  return mode === '' ? [required('spec.syncMode'), unsupported] : [unsupported]
}

function endpointErrors(endpoint: string): readonly FieldError[] {
  if (endpoint === '') return []
  const field = 'spec.apiEndpoint'
  const form = '; desired format: hostname, hostname:port, IP or IP:port'
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (!url?.host) return [invalid(field, url?.host ?? '', `host must be provided${form}`)]
  const user = url.username + (url.password && `:${url.password}`)
  return [
    ...(user ? [invalid(field, user, 'user information is not permitted in the URL')] : []),
    ...(url.hash ? [invalid(field, url.hash.slice(1), 'fragments are not permitted in the URL')] : []),
    ...(url.search
      ? [invalid(field, url.search.slice(1), 'query parameters are not permitted in the URL')]
      : []),
  ]
}

function referenceErrors(spec: JsonObject, field: string): readonly FieldError[] {
  if (!isObject(spec[field])) return []
  return ['namespace', 'name']
    .filter(part => stringAt(spec, field, part) === '')
    .map(part => required(`spec.${field}.${part}`))
}

function proxyErrors(proxy: string): readonly FieldError[] {
  if (proxy === '') return []
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(proxy)?.[1] ?? ''
  if (['http', 'https', 'socks5'].includes(scheme)) return []
  const detail = `unsupported scheme ${JSON.stringify(scheme)}, must be http, https, or socks5`
  return [invalid('spec.proxyURL', proxy, detail)]
}

/** Provider, region and zones are matched by selectors, so they are label values. The odd field names are Karmada's. */
function placementErrors(spec: JsonObject): readonly FieldError[] {
  const check = (field: string, value: string) => {
    const complaints = labelValue(value)
    return complaints.length > 0 ? [invalid(field, value, complaints.join('; '))] : []
  }
  const errors = ['provider', 'region'].flatMap(key => check(`spec.${key}`, stringAt(spec, key)))
  const zones = listAt(spec, 'zones')
  if (stringAt(spec, 'zone') !== '' && zones.length > 0)
    return [...errors, typeInvalid('spec.spec', spec, 'Zone and Zones cannot co-exist')]
  return [...errors, ...zones.flatMap(zone => check('spec.Zones', String(zone)))]
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

function taintErrors(taints: readonly Json[]): readonly FieldError[] {
  const seen = new Set<string>()
  return taints.flatMap((taint, position) => {
    const path = `spec.taints[${position}]`
    const [key, effect] = [stringAt(taint, 'key'), stringAt(taint, 'effect')]
    if (key === '') return [required(`${path}.key`)]
    if (!EFFECTS.includes(effect)) return [notSupported(`${path}.effect`, effect, EFFECTS)]
    const identity = `${key}:${effect}`
    if (seen.has(identity))
      return [{ reason: 'FieldValueDuplicate' as const, field: path, body: duplicateTaint(taint) }]
    seen.add(identity)
    return []
  })
}

const duplicateTaint = (taint: Json): string =>
  `Duplicate value: ${JSON.stringify(taint)}: taints must be unique by key and effect pair`

function modelErrors(object: JsonObject): readonly FieldError[] {
  const models = modelsOf(object)
  if (models.length === 0) return []
  const complaint = wellFormed(models)
    ? resourceModelsComplaint(models)
    : 'The range of each resource must be Kubernetes quantities'
  return complaint ? [invalid('spec.resourceModels', models, complaint)] : []
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
