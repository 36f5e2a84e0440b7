import { dns1123Label } from '../../../../manifests/name-format.js'
import { type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.js'
import {
  at,
  equal,
  has,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  stringAt,
  withAt,
} from '../../json.js'
import type { Strategy } from '../../resource-definition.js'
import { immutable, notNegative } from './selector-rules.js'
import { fill, keepStatus, mapAt, statusSubresource } from './status-subresource.js'

const PLAIN = { allowsUnconditionalUpdate: true, withoutGeneration: true } as const
/** Every namespace carries its own name as a label, so that selectors can name it. */
function namedNamespace(namespace: JsonObject): JsonObject {
  const name = stringAt(namespace, 'metadata', 'name')
  return name === ''
    ? namespace
    : withAt(namespace, ['metadata', 'labels', 'kubernetes.io/metadata.name'], name)
}

export const namespace: Strategy = {
  ...PLAIN,
  nameFormat: dns1123Label,
  defaults: namedNamespace,
  prepareForCreate: object => {
    const finalizers = listAt(object, 'spec', 'finalizers')
    return {
      ...namedNamespace(object),
      spec: { finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'] },
      status: { phase: 'Active' },
    }
  },
  // The finalize subresource alone changes spec.finalizers.
  prepareForUpdate: (object, old) => {
    const kept = keepStatus(object, old)
    return at(old, 'spec') === undefined ? kept : { ...kept, spec: old.spec as Json }
  },
}

const NODE_INFO =
  `machineID systemUUID bootID kernelVersion osImage containerRuntimeVersion kubeletVersion kubeProxyVersion
  operatingSystem architecture`.split(/\s+/)

export const node: Strategy = {
  ...PLAIN,
  defaults: object =>
    mapAt(object, ['spec'], spec => {
      const range = stringAt(spec, 'podCIDR')
      return range === '' ? spec : fill(spec, { podCIDRs: [range] })
    }),
  prepareForCreate: object =>
    mapAt(object, ['status'], status =>
      fill(status, {
        daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
        nodeInfo: Object.fromEntries(NODE_INFO.map(name => [name, ''])),
      }),
    ),
  prepareForUpdate: keepStatus,
  validate: (object, old) => {
    const before = old && stringAt(old, 'spec', 'providerID')
    return before
      ? immutable('spec.providerID', at(object, 'spec', 'providerID'), before, 'may not be changed')
      : []
  },
}

export const serviceAccount: Strategy = { ...PLAIN }
export const endpoints: Strategy = { ...PLAIN, allowsCreateOnUpdate: true }
/** Fields of a core/v1 Event that are there also when nothing is known. */
const EVENT_FIELDS: JsonObject = {
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
}

export const event: Strategy = {
  ...PLAIN,
  allowsCreateOnUpdate: true,
  defaults: object => (has(object, 'involvedObject') ? fill(object, EVENT_FIELDS) : object),
  validate: object => {
    const about = stringAt(object, 'involvedObject', 'namespace')
    const namespace = stringAt(object, 'metadata', 'namespace')
    const clusterScoped = about === '' && (namespace === 'default' || namespace === 'kube-system')
    return clusterScoped || about === namespace || !isObject(object.involvedObject)
      ? []
      : [invalid('involvedObject.namespace', about, 'does not match event.namespace')]
  },
}
/** What a container gets by default follows from the bounds: the default limit from the maximum, the request from both. */
function limitDefaults(item: Json): Json {
  if (!isObject(item) || item.type !== 'Container') return item
  const limits = fill(objectAt(item, 'default'), objectAt(item, 'max'))
  const requests = fill(fill(objectAt(item, 'defaultRequest'), limits), objectAt(item, 'min'))
  return {
    ...item,
    ...(Object.keys(limits).length === 0 ? {} : { default: limits }),
    ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
  }
}

export const limitRange: Strategy = {
  ...PLAIN,
  allowsCreateOnUpdate: true,
  defaults: object =>
    mapAt(object, ['spec'], spec => ({ ...spec, limits: listAt(spec, 'limits').map(limitDefaults) })),
}
export const resourceQuota: Strategy = { ...PLAIN, ...statusSubresource({}) }

/** Fields of a volume's spec that are no source; any other one is. */
const VOLUME_SETTINGS: ReadonlySet<string> = new Set(
  `accessModes capacity claimRef mountOptions nodeAffinity persistentVolumeReclaimPolicy storageClassName
  volumeAttributesClassName volumeMode`.split(/\s+/),
)

export const persistentVolume: Strategy = {
  ...PLAIN,
  ...statusSubresource({ phase: 'Pending' }),
  validate: object => [
    ...(listAt(object, 'spec', 'accessModes').length === 0 ? [required('spec.accessModes')] : []),
    ...(Object.keys(objectAt(object, 'spec', 'capacity')).length === 0
      ? [required('spec.capacity'), notSupported('spec.capacity', null, ['storage'])]
      : []),
    ...(VOLUME_SETTINGS.size === new Set([...VOLUME_SETTINGS, ...Object.keys(objectAt(object, 'spec'))]).size
      ? [required('spec', 'must specify a volume type')]
      : []),
  ],
}

/**
 * The spec of a claim without the fields that may differ from its old state: its volume and its class are given once, and a bound claim
 * may ask for another size and other attributes (ValidatePersistentVolumeClaimUpdate).
 */
function frozenClaim(claim: JsonObject, old: JsonObject): JsonObject {
  const isBound = stringAt(old, 'status', 'phase') === 'Bound'
  const free: readonly (readonly [string, ...string[]])[] = [
    ...(stringAt(old, 'spec', 'volumeName') === '' ? [['volumeName'] as const] : []),
    ...(at(old, 'spec', 'storageClassName') === undefined ? [['storageClassName'] as const] : []),
    ...(isBound
      ? [['resources', 'requests', 'storage'] as const, ['volumeAttributesClassName'] as const]
      : []),
  ]
  return free.reduce<JsonObject>((rest, path) => withAt(rest, path, undefined), objectAt(claim, 'spec'))
}

export const persistentVolumeClaim: Strategy = {
  ...PLAIN,
  ...statusSubresource({ phase: 'Pending' }),
  validate: (object, old) => {
    const spec = objectAt(object, 'spec')
    const errors: FieldError[] = []
    if (listAt(spec, 'accessModes').length === 0) {
      errors.push(required('spec.accessModes', 'at least 1 access mode is required'))
    }
    if (at(spec, 'resources', 'requests', 'storage') === undefined) {
      errors.push(required('spec.resources[storage]'))
    }
    if (old && !equal(frozenClaim(object, old), frozenClaim(old, old))) {
      errors.push(
        forbidden(
          'spec',
          'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
        ),
      )
    }
    return errors
  },
}

export const lease: Strategy = {
  withoutGeneration: true,
  allowsCreateOnUpdate: true,
  validate: object => {
    const spec = objectAt(object, 'spec')
    const seconds = spec.leaseDurationSeconds
    return [
      ...(typeof seconds === 'number' && seconds <= 0
        ? [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
        : []),
      ...notNegative('spec', spec, 'leaseTransitions'),
    ]
  },
}
