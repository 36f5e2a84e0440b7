import type { ResourceModel } from '../../karmada/objects/cluster.js'
import { dns1123Label, labelValue, qualifiedName } from '../../manifests/name-format.js'
import {
  type FieldError,
  fieldError,
  invalid,
  notSupported,
  required,
  typeInvalid,
} from '../apimachinery/field-error.js'
import { isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../apimachinery/json.js'
import { type GoUrl, GoUrlError, parseGoUrl } from './go-url.js'
import { modelsOf, resourceModelsComplaint, wellFormed } from './resource-models.js'

/**
 * What Karmada's aggregated API server refuses of a Cluster, in its words and with its odd names of fields
 * (`pkg/apis/cluster/validation`).
 */

/** Karmada makes a namespace `karmada-es-<name>` for each cluster and wants room for the prefix. */
const MAX_NAME = 48

/** What is wrong with the name of a Cluster: its length alone, else what is wrong with the label. */
export function clusterNameComplaints(name: string): readonly string[] {
  if (name === '') return ['must be not empty']
  if (name.length > MAX_NAME) return [`must be no more than ${MAX_NAME} characters`]
  return dns1123Label(name)
}

/** Everything that is wrong with the spec of a Cluster. */
export function validateCluster(object: JsonObject): readonly FieldError[] {
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

/** The URL, or Go's words for what is wrong with it. */
function urlOf(text: string): GoUrl | string {
  try {
    return parseGoUrl(text)
  } catch (error) {
    if (error instanceof GoUrlError) return `apiEndpoint must be a valid URL: ${error.message}`
    throw error
  }
}

function endpointErrors(endpoint: string): readonly FieldError[] {
  if (endpoint === '') return []
  const field = 'spec.apiEndpoint'
  const form = '; desired format: hostname, hostname:port, IP or IP:port'
  const url = urlOf(endpoint)
  if (typeof url === 'string') return [invalid(field, endpoint, url + form)]
  const { host, user, fragment, query } = url
  return [
    ...(host === '' ? [invalid(field, host, `host must be provided${form}`)] : []),
    ...(user !== undefined ? [invalid(field, user, 'user information is not permitted in the URL')] : []),
    ...(fragment !== '' ? [invalid(field, fragment, 'fragments are not permitted in the URL')] : []),
    ...(query !== '' ? [invalid(field, query, 'query parameters are not permitted in the URL')] : []),
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
  const url = urlOf(proxy)
  if (typeof url === 'string') return [invalid('spec.proxyURL', proxy, url)]
  if (['http', 'https', 'socks5'].includes(url.scheme)) return []
  const detail = `unsupported scheme ${JSON.stringify(url.scheme)}, must be http, https, or socks5`
  return [invalid('spec.proxyURL', proxy, detail)]
}

/** Provider, region and zones are matched by selectors, so they are label values. */
function placementErrors(spec: JsonObject): readonly FieldError[] {
  const check = (field: string, value: string) => {
    const complaints = labelValue(value)
    return complaints.length > 0 ? [invalid(field, value, complaints.join('; '))] : []
  }
  const errors = ['provider', 'region'].flatMap(key => check(`spec.${key}`, stringAt(spec, key)))
  const [zone, zones] = [stringAt(spec, 'zone'), listAt(spec, 'zones')]
  if (zone !== '' && zones.length > 0)
    return [...errors, typeInvalid('spec.spec', asGoWrites(spec), 'Zone and Zones cannot co-exist')]
  if (zone !== '') return [...errors, ...check('spec.Zone', zone)]
  return [...errors, ...zones.flatMap(one => check('spec.Zones', String(one)))]
}

/** Clusters know no `PreferNoSchedule`. */
const EFFECTS = ['NoSchedule', 'NoExecute']

function taintErrors(taints: readonly Json[]): readonly FieldError[] {
  const seen = new Set<string>()
  return taints.flatMap((taint, position) => {
    const path = `spec.taints[${position}]`
    const [key, value, effect] = [stringAt(taint, 'key'), stringAt(taint, 'value'), stringAt(taint, 'effect')]
    const complaints = labelValue(value)
    const errors = [
      ...qualifiedName(key).map(complaint => invalid(`${path}.key`, key, complaint)),
      ...(complaints.length > 0 ? [invalid(`${path}.value`, value, complaints.join(';'))] : []),
      ...effectErrors(`${path}.effect`, effect),
    ]
    const identity = `${effect} ${key}`
    const isTwice = seen.has(identity)
    seen.add(identity)
    if (!isTwice) return errors
    const detail = 'taints must be unique by key and effect pair'
    return [...errors, fieldError('FieldValueDuplicate', path, taintText(taint), detail)]
  })
}

function effectErrors(field: string, effect: string): readonly FieldError[] {
  if (effect === '') return [required(field)]
  return EFFECTS.includes(effect) ? [] : [notSupported(field, effect, EFFECTS)]
}

/** A taint in the order of Go's fields, without those that are empty. */
function taintText(taint: Json): JsonObject {
  const [value, timeAdded] = [stringAt(taint, 'value'), stringAt(taint, 'timeAdded')]
  return {
    key: stringAt(taint, 'key'),
    ...(value !== '' && { value }),
    effect: stringAt(taint, 'effect'),
    ...(timeAdded !== '' && { timeAdded }),
  }
}

function modelErrors(object: JsonObject): readonly FieldError[] {
  const models = modelsOf(object)
  if (models.length === 0) return []
  const complaint = wellFormed(models)
    ? resourceModelsComplaint(models)
    : 'The range of each resource must be Kubernetes quantities'
  return complaint ? [invalid('spec.resourceModels', models.map(modelText), complaint)] : []
}

/** Karmada prints its internal types, whose fields have the names that they have in Go. */
const modelText = ({ grade, ranges }: ResourceModel) => ({
  Grade: grade,
  Ranges: ranges?.map(({ name, min, max }) => ({ Name: name, Min: min, Max: max })) ?? null,
})

function asGoWrites(spec: JsonObject) {
  const reference = (field: string) =>
    isObject(spec[field])
      ? { Namespace: stringAt(spec, field, 'namespace'), Name: stringAt(spec, field, 'name') }
      : null
  const [id, zones] = [stringAt(spec, 'id'), listAt(spec, 'zones')]
  const models = modelsOf({ spec })
  return {
    ...(id !== '' && { id }),
    SyncMode: stringAt(spec, 'syncMode'),
    APIEndpoint: stringAt(spec, 'apiEndpoint'),
    SecretRef: reference('secretRef'),
    ImpersonatorSecretRef: reference('impersonatorSecretRef'),
    InsecureSkipTLSVerification: spec.insecureSkipTLSVerification === true,
    ProxyURL: stringAt(spec, 'proxyURL'),
    ProxyHeader: isObject(spec.proxyHeader) ? spec.proxyHeader : null,
    Provider: stringAt(spec, 'provider'),
    Region: stringAt(spec, 'region'),
    Zone: stringAt(spec, 'zone'),
    ...(zones.length > 0 && { zones }),
    Taints: Array.isArray(spec.taints) ? listAt(spec, 'taints').map(taintText) : null,
    ResourceModels: models.length > 0 ? models.map(modelText) : null,
  }
}
