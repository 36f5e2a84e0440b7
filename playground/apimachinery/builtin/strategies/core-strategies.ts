import { dns1123Label } from '../../../../manifests/name-format.js'
import { invalid } from '../../field-error.js'
import {
  at,
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
import { storedOnly } from './stored-strategies.js'

/** Every namespace carries its own name as a label, so that selectors can name it. */
function namedNamespace(namespace: JsonObject): JsonObject {
  const name = stringAt(namespace, 'metadata', 'name')
  return name === ''
    ? namespace
    : withAt(namespace, ['metadata', 'labels', 'kubernetes.io/metadata.name'], name)
}

export const namespace: Strategy = {
  ...storedOnly,
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
  ...storedOnly,
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

export const serviceAccount: Strategy = { ...storedOnly }
export const endpoints: Strategy = { ...storedOnly, allowsCreateOnUpdate: true }
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
  ...storedOnly,
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
  ...storedOnly,
  allowsCreateOnUpdate: true,
  defaults: object =>
    mapAt(object, ['spec'], spec => ({ ...spec, limits: listAt(spec, 'limits').map(limitDefaults) })),
}
export const resourceQuota: Strategy = { ...storedOnly, ...statusSubresource({}) }

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
