import { createHash } from 'node:crypto'
import { child, type FieldError, index, invalid, notSupported, required } from '../../field-error.js'
import { at, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.js'
import { dns1123Label } from '../../name-format.js'
import type { Strategy } from '../../resource-definition.js'
import { portNumberErrors } from './pod-spec.js'
import { fill, keepStatus, mapAt } from './status-door.js'

const PLAIN = { allowsUnconditionalUpdate: true, withoutGeneration: true } as const
const SERVICE_TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const PROTOCOLS = ['SCTP', 'TCP', 'UDP']

/** A number that a name always leads to, so that addresses are the same on every run. */
const hashed = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0)

/**
 * The cluster IP of a new service, out of 10.96.0.0/12. It follows from namespace and name instead of an allocator: nothing
 * here routes packets, and two services that shared one by chance (1 in a million) would not notice.
 */
function clusterIp(service: JsonObject): string {
  const offset =
    (hashed(`${stringAt(service, 'metadata', 'namespace')}/${stringAt(service, 'metadata', 'name')}`) %
      1_048_000) +
    256
  return `10.${96 + (offset >> 16)}.${(offset >> 8) & 255}.${offset & 255}`
}

const nodePort = (service: JsonObject, port: Json): number =>
  30_000 +
  (hashed(
    `${stringAt(service, 'metadata', 'namespace')}/${stringAt(service, 'metadata', 'name')}/${String(at(port, 'port'))}`,
  ) %
    2768)

function serviceSpecDefaults(spec: JsonObject): JsonObject {
  const external = spec.type === 'ExternalName'
  const ports = listAt(spec, 'ports').map(port =>
    isObject(port) && port.port !== undefined ? fill(port, { targetPort: port.port }) : port,
  )
  const exposed = spec.type === 'NodePort' || spec.type === 'LoadBalancer'
  return {
    ...fill(spec, {
      ...(external ? {} : { internalTrafficPolicy: 'Cluster' }),
      ...(exposed ? { externalTrafficPolicy: 'Cluster' } : {}),
      ...(spec.type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: true } : {}),
    }),
    ...(ports.length === 0 ? {} : { ports }),
  }
}

function allocated(service: JsonObject, old?: JsonObject): JsonObject {
  const spec = objectAt(service, 'spec')
  if (spec.type === 'ExternalName') return service
  const before = objectAt(old, 'spec')
  const ip = stringAt(spec, 'clusterIP') || stringAt(before, 'clusterIP') || clusterIp(service)
  const exposed = spec.type === 'NodePort' || spec.type === 'LoadBalancer'
  const ports = listAt(spec, 'ports').map(port => {
    if (!isObject(port) || !exposed || port.nodePort !== undefined) return port
    const same = listAt(before, 'ports').find(
      one => at(one, 'port') === port.port && at(one, 'nodePort') !== undefined,
    )
    return { ...port, nodePort: (at(same, 'nodePort') as number | undefined) ?? nodePort(service, port) }
  })
  const filled = fill(
    { ...spec, clusterIP: ip, ...(ports.length === 0 ? {} : { ports }) },
    { clusterIPs: [ip], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
  )
  return { ...service, spec: filled }
}

function servicePortErrors(port: Json, path: string, several: boolean): FieldError[] {
  const name = stringAt(port, 'name')
  const protocol = stringAt(port, 'protocol')
  const errors: FieldError[] = []
  if (name === '' && several) errors.push(required(child(path, 'name')))
  else if (name !== '') errors.push(...dns1123Label(name).map(one => invalid(child(path, 'name'), name, one)))
  errors.push(
    ...portNumberErrors(at(port, 'port') ?? 0, child(path, 'port')).map(error =>
      error.reason === 'FieldValueRequired'
        ? invalid(child(path, 'port'), 0, 'must be between 1 and 65535, inclusive')
        : error,
    ),
  )
  if (protocol !== '' && !PROTOCOLS.includes(protocol)) {
    errors.push(notSupported(child(path, 'protocol'), protocol, PROTOCOLS))
  }
  return errors
}

export const service: Strategy = {
  ...PLAIN,
  allowsCreateOnUpdate: true,
  nameFormat: dns1123Label,
  defaults: object => mapAt(object, ['spec'], serviceSpecDefaults),
  prepareForCreate: object => allocated({ ...object, status: { loadBalancer: {} } }),
  prepareForUpdate: (object, old) => allocated(keepStatus(object, old), old),
  validate: (object, old) => {
    const spec = objectAt(object, 'spec')
    const ports = listAt(spec, 'ports')
    const type = stringAt(spec, 'type')
    const errors = ports.flatMap((port, at) =>
      servicePortErrors(port, index('spec.ports', at), ports.length > 1),
    )
    if (ports.length === 0 && type !== 'ExternalName' && spec.clusterIP !== 'None')
      errors.unshift(required('spec.ports'))
    if (!SERVICE_TYPES.includes(type)) errors.push(notSupported('spec.type', type, SERVICE_TYPES))
    if (type === 'ExternalName' && stringAt(spec, 'externalName') === '') {
      errors.push(required('spec.externalName'))
    }
    const [before, now] = [stringAt(old, 'spec', 'clusterIP'), stringAt(spec, 'clusterIP')]
    if (old && before !== '' && before !== now && type !== 'ExternalName') {
      errors.push(invalid('spec.clusterIPs[0]', [now], 'may not change once set'))
    }
    return errors
  },
}
