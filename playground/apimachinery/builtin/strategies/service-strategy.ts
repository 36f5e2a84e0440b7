import { createHash } from 'node:crypto'
import { dns1123Label, portName } from '../../../../manifests/name-format.js'
import {
  child,
  duplicate,
  type FieldError,
  index,
  invalid,
  notSupported,
  required,
} from '../../field-error.js'
import { at, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.js'
import type { Strategy } from '../../resource-definition.js'
import { portNumberErrors } from './pod-spec.js'
import { fill, keepStatus, mapAt } from './status-subresource.js'
import { storedOnly } from './stored-strategies.js'

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

/** The numbers that kube-apiserver gives to node ports unless it is told otherwise (`--service-node-port-range`). */
const NODE_PORTS = { first: 30_000, last: 32_767 }

const nodePort = (service: JsonObject, port: Json): number =>
  NODE_PORTS.first +
  (hashed(
    `${stringAt(service, 'metadata', 'namespace')}/${stringAt(service, 'metadata', 'name')}/${String(at(port, 'port'))}`,
  ) %
    (NODE_PORTS.last - NODE_PORTS.first + 1))

/** How long a client stays with one backend unless the service says otherwise: three hours. */
const CLIENT_IP_SECONDS = 10_800

/** Whether traffic comes in from outside of the cluster. */
const isReachable = (spec: JsonObject): boolean =>
  spec.type === 'NodePort' ||
  spec.type === 'LoadBalancer' ||
  (spec.type === 'ClusterIP' && listAt(spec, 'externalIPs').length > 0)

/** A service that is no longer reachable from outside loses the fields for outside traffic, unless they were changed by the same write. */
function withoutOutside(service: JsonObject, old: JsonObject): JsonObject {
  const [spec, before] = [objectAt(service, 'spec'), objectAt(old, 'spec')]
  const { externalTrafficPolicy, ...rest } = spec
  if (externalTrafficPolicy !== before.externalTrafficPolicy || isReachable(spec) || !isReachable(before))
    return service
  return { ...service, spec: rest }
}

/** Go's clients write a target port that was not set as 0. */
const isUnset = (targetPort: Json | undefined): boolean =>
  targetPort === undefined || targetPort === 0 || targetPort === ''

function serviceSpecDefaults(spec: JsonObject): JsonObject {
  const external = spec.type === 'ExternalName'
  const ports = listAt(spec, 'ports').map(port =>
    isObject(port) && port.port !== undefined && isUnset(port.targetPort)
      ? { ...port, targetPort: port.port }
      : port,
  )
  const { sessionAffinityConfig, ...rest } = spec
  const sticky = spec.sessionAffinity === 'ClientIP'
  const seconds = at(sessionAffinityConfig, 'clientIP', 'timeoutSeconds') ?? CLIENT_IP_SECONDS
  return {
    ...fill(rest, {
      ...(sticky ? { sessionAffinityConfig: { clientIP: { timeoutSeconds: seconds } } } : {}),
      ...(external ? {} : { internalTrafficPolicy: 'Cluster' }),
      ...(isReachable(spec) ? { externalTrafficPolicy: 'Cluster' } : {}),
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

function servicePortErrors(port: Json, position: number, ports: readonly Json[]): FieldError[] {
  const path = index('spec.ports', position)
  const several = ports.length > 1
  const name = stringAt(port, 'name')
  const isRepeated = ports.slice(0, position).some(other => stringAt(other, 'name') === name)
  const protocol = stringAt(port, 'protocol')
  const errors: FieldError[] = []
  if (name === '' && several) errors.push(required(child(path, 'name')))
  else if (name !== '') {
    errors.push(...dns1123Label(name).map(one => invalid(child(path, 'name'), name, one)))
    if (isRepeated) errors.push(duplicate(child(path, 'name'), name))
  }
  errors.push(
    ...portNumberErrors(at(port, 'port') ?? 0, child(path, 'port')).map(error =>
      error.reason === 'FieldValueRequired'
        ? invalid(child(path, 'port'), 0, 'must be between 1 and 65535, inclusive')
        : error,
    ),
  )
  const targetPort = at(port, 'targetPort')
  const target = child(path, 'targetPort')
  if (typeof targetPort === 'string')
    errors.push(...portName(targetPort).map(one => invalid(target, targetPort, one)))
  else if (targetPort !== undefined && !(Number(targetPort) >= 1 && Number(targetPort) <= 65_535))
    errors.push(invalid(target, targetPort, 'must be between 1 and 65535, inclusive'))
  const node = at(port, 'nodePort') ?? 0
  if (node !== 0 && !(Number(node) >= NODE_PORTS.first && Number(node) <= NODE_PORTS.last))
    errors.push(
      invalid(
        child(path, 'nodePort'),
        node,
        `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.last}`,
      ),
    )
  if (protocol !== '' && !PROTOCOLS.includes(protocol)) {
    errors.push(notSupported(child(path, 'protocol'), protocol, PROTOCOLS))
  }
  return errors
}

/** Ports with one number and protocol; Kubernetes shows them as it holds them, with what does not matter left empty. */
function repeatedPorts(ports: readonly Json[]): FieldError[] {
  const keys = ports.map(port => `${stringAt(port, 'protocol')} ${String(at(port, 'port'))}`)
  return ports.flatMap((port, position) =>
    keys.indexOf(keys[position] as string) === position
      ? []
      : duplicate(index('spec.ports', position), {
          Name: '',
          Protocol: stringAt(port, 'protocol'),
          AppProtocol: null,
          Port: at(port, 'port') ?? 0,
          TargetPort: 0,
          NodePort: 0,
        }),
  )
}

export const service: Strategy = {
  ...storedOnly,
  allowsCreateOnUpdate: true,
  nameFormat: dns1123Label,
  defaults: object => mapAt(object, ['spec'], serviceSpecDefaults),
  prepareForCreate: object => allocated({ ...object, status: { loadBalancer: {} } }),
  prepareForUpdate: (object, old) => allocated(keepStatus(object, old), old),
  settleUpdate: withoutOutside,
  validate: (object, old) => {
    const spec = objectAt(object, 'spec')
    const ports = listAt(spec, 'ports')
    const type = stringAt(spec, 'type')
    const errors = ports.flatMap((port, at) => servicePortErrors(port, at, ports))
    if (ports.length === 0 && type !== 'ExternalName' && spec.clusterIP !== 'None')
      errors.unshift(required('spec.ports'))
    if (!SERVICE_TYPES.includes(type)) errors.push(notSupported('spec.type', type, SERVICE_TYPES))
    if (type === 'ExternalName' && stringAt(spec, 'externalName') === '') {
      errors.push(required('spec.externalName'))
    }
    errors.push(...repeatedPorts(ports))
    if (spec.externalTrafficPolicy !== undefined && !isReachable(spec)) {
      const detail = 'may only be set for externally-accessible services'
      errors.push(invalid('spec.externalTrafficPolicy', spec.externalTrafficPolicy, detail))
    }
    const [before, now] = [stringAt(old, 'spec', 'clusterIP'), stringAt(spec, 'clusterIP')]
    if (old && before !== '' && before !== now && type !== 'ExternalName') {
      errors.push(invalid('spec.clusterIPs[0]', [now], 'may not change once set'))
    }
    return errors
  },
}
