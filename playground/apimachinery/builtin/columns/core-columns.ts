import { timeSince } from '../../human-duration.js'
import { at, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.js'
import type { PrinterColumn } from '../../resource-definition.js'
import { AGE, column, condition, count, labelsOf, NAME, text, wide } from './column.js'

export const NAME_AND_AGE: readonly PrinterColumn[] = [NAME, AGE]

export const NAMESPACE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Status', text('status.phase'), 'Active or Terminating.'),
  AGE,
]

export const SECRET_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Type', text('type'), 'Used to read the data.'),
  column('Data', object => Object.keys(objectAt(object, 'data')).length, 'Number of keys.'),
  AGE,
]

export const CONFIG_MAP_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column(
    'Data',
    object =>
      Object.keys(objectAt(object, 'data')).length + Object.keys(objectAt(object, 'binaryData')).length,
    'Number of keys.',
  ),
  AGE,
]

function nodeStatus(node: JsonObject): string {
  const ready = condition(node, 'Ready')
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return at(node, 'spec', 'unschedulable') === true ? `${state},SchedulingDisabled` : state
}

function nodeRoles(node: JsonObject): string {
  const prefix = 'node-role.kubernetes.io/'
  const roles = new Set<string>()
  for (const [key, value] of Object.entries(objectAt(node, 'metadata', 'labels'))) {
    if (key.startsWith(prefix) && key.length > prefix.length) roles.add(key.slice(prefix.length))
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(String(value))
  }
  return [...roles].sort().join(',') || '<none>'
}

const nodeAddress = (type: string) => (node: JsonObject) =>
  stringAt(
    listAt(node, 'status', 'addresses').find(one => stringAt(one, 'type') === type),
    'address',
  ) || '<none>'

function kernel(node: JsonObject): string {
  const architecture = stringAt(node, 'status', 'nodeInfo', 'architecture')
  const version = stringAt(node, 'status', 'nodeInfo', 'kernelVersion') || '<unknown>'
  return architecture === '' ? version : `${version} (${architecture})`
}

export const NODE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Status', nodeStatus, 'Whether the node is ready, and whether pods may be scheduled to it.'),
  column('Roles', nodeRoles, 'Roles the labels of the node say.'),
  AGE,
  column('Version', text('status.nodeInfo.kubeletVersion'), 'Version of the kubelet.'),
  wide('Internal-IP', nodeAddress('InternalIP'), 'Address inside the cluster.'),
  wide('External-IP', nodeAddress('ExternalIP'), 'Address outside the cluster.'),
  wide('OS-Image', text('status.nodeInfo.osImage', '<unknown>'), 'Operating system.'),
  wide('Kernel-Version', kernel, 'Kernel and architecture.'),
  wide(
    'Container-Runtime',
    text('status.nodeInfo.containerRuntimeVersion', '<unknown>'),
    'Container runtime.',
  ),
]

function externalIp(service: JsonObject): string {
  const external = listAt(service, 'spec', 'externalIPs').map(String)
  switch (stringAt(service, 'spec', 'type')) {
    case 'ExternalName':
      return stringAt(service, 'spec', 'externalName')
    case 'LoadBalancer': {
      const ingress = listAt(service, 'status', 'loadBalancer', 'ingress')
      const all = [
        ...ingress.map(one => stringAt(one, 'ip') || stringAt(one, 'hostname')).sort(),
        ...external,
      ]
      return all.join(',') || '<pending>'
    }
    default:
      return external.join(',') || '<none>'
  }
}

function portsText(service: JsonObject): string {
  const ports = listAt(service, 'spec', 'ports').map(port => {
    const nodePort = count(port as JsonObject, 'nodePort')
    const number = String(at(port, 'port') ?? '')
    return `${number}${nodePort > 0 ? `:${nodePort}` : ''}/${stringAt(port, 'protocol')}`
  })
  return ports.join(',') || '<none>'
}

export const SERVICE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Type', text('spec.type'), 'How the service is exposed.'),
  column(
    'Cluster-IP',
    object => stringAt(object, 'spec', 'clusterIP') || '<none>',
    'Address inside the cluster.',
  ),
  column('External-IP', externalIp, 'Addresses outside the cluster.'),
  column('Port(s)', portsText, 'Ports the service offers.'),
  AGE,
  wide('Selector', labelsOf('spec.selector'), 'Labels of the pods behind the service.'),
]

function endpointsText(endpoints: JsonObject): string {
  const all = listAt(endpoints, 'subsets').flatMap(subset => {
    const addresses = listAt(subset, 'addresses').map(one => stringAt(one, 'ip'))
    const ports = listAt(subset, 'ports')
    return ports.length === 0
      ? addresses
      : ports.flatMap(port => addresses.map(ip => hostPort(ip, at(port, 'port'))))
  })
  if (all.length === 0) return '<none>'
  return all.length > 3 ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...` : all.join(',')
}

const hostPort = (ip: string, port: Json | undefined): string =>
  `${ip.includes(':') ? `[${ip}]` : ip}:${String(port ?? '')}`

export const ENDPOINTS_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Endpoints', endpointsText, 'Addresses and ports.'),
  AGE,
]

function atMost(items: readonly string[], maximum: number): string {
  if (items.length === 0) return '<unset>'
  return items.length > maximum
    ? `${items.slice(0, maximum).join(',')} + ${items.length - maximum} more...`
    : items.join(',')
}

export const ENDPOINT_SLICE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('AddressType', text('addressType'), 'IPv4, IPv6 or FQDN.'),
  column(
    'Ports',
    object =>
      atMost(
        listAt(object, 'ports').map(port => String(at(port, 'port') ?? '*')),
        3,
      ),
    'Ports of the endpoints.',
  ),
  column(
    'Endpoints',
    object =>
      atMost(
        listAt(object, 'endpoints').flatMap(one => listAt(one, 'addresses').map(String)),
        3,
      ),
    'Addresses of the endpoints.',
  ),
  AGE,
]

const lastSeen = (event: JsonObject, now: Date): string => {
  const series = at(event, 'series', 'lastObservedTime')
  const last = at(event, 'lastTimestamp') ?? at(event, 'deprecatedLastTimestamp')
  return timeSince(series ?? last ?? firstSeenTime(event), now)
}
const firstSeenTime = (event: JsonObject): Json | undefined =>
  at(event, 'firstTimestamp') ?? at(event, 'deprecatedFirstTimestamp') ?? at(event, 'eventTime')

/** core/v1 says involvedObject, events.k8s.io/v1 says regarding. */
const regarding = (event: JsonObject): JsonObject =>
  Object.keys(objectAt(event, 'involvedObject')).length > 0
    ? objectAt(event, 'involvedObject')
    : objectAt(event, 'regarding')

function eventTarget(event: JsonObject): string {
  const { kind, name } = regarding(event)
  const lower = typeof kind === 'string' ? kind.toLowerCase() : ''
  return typeof name === 'string' && name !== '' ? `${lower}/${name}` : lower
}

function eventSource(event: JsonObject): string {
  const source =
    Object.keys(objectAt(event, 'source')).length > 0
      ? objectAt(event, 'source')
      : objectAt(event, 'deprecatedSource')
  const component =
    stringAt(source, 'component') ||
    stringAt(event, 'reportingComponent') ||
    stringAt(event, 'reportingController')
  const host = stringAt(source, 'host') || stringAt(event, 'reportingInstance')
  return host === '' ? component : `${component}, ${host}`
}

export const EVENT_COLUMNS: readonly PrinterColumn[] = [
  column('Last Seen', lastSeen, 'When it happened last.'),
  column('Type', text('type'), 'Normal or Warning.'),
  column('Reason', text('reason'), 'Why, for machines.'),
  column('Object', eventTarget, 'What it is about.'),
  wide('Subobject', event => stringAt(regarding(event), 'fieldPath'), 'Part of the object it is about.'),
  wide('Source', eventSource, 'Who reported it.'),
  column(
    'Message',
    event => (stringAt(event, 'message') || stringAt(event, 'note')).trim(),
    'What happened, for people.',
  ),
  wide('First Seen', (event, now) => timeSince(firstSeenTime(event), now), 'When it happened first.'),
  wide(
    'Count',
    event => count(event, 'series.count') || count(event, 'count') || count(event, 'deprecatedCount') || 1,
    'How often it happened.',
  ),
  { ...wide('Name', text('metadata.name'), 'Name of the event.'), format: 'name' },
]

function quotaText(quota: JsonObject, limits: boolean): string {
  const hard = objectAt(quota, 'status', 'hard')
  return Object.keys(hard)
    .sort()
    .filter(name => name.startsWith('limits.') === limits)
    .map(name => `${name}: ${stringAt(quota, 'status', 'used', name) || '0'}/${String(hard[name])}`)
    .join(', ')
}

export const RESOURCE_QUOTA_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Request', quota => quotaText(quota, false), 'Used and allowed requests.'),
  column('Limit', quota => quotaText(quota, true), 'Used and allowed limits.'),
  AGE,
]

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}
const modesText = (modes: readonly Json[]): string =>
  modes.map(mode => MODES[String(mode)] ?? String(mode)).join(',')
const phaseText = (object: JsonObject): string =>
  at(object, 'metadata', 'deletionTimestamp') === undefined
    ? stringAt(object, 'status', 'phase')
    : 'Terminating'
const storageColumns = (bound: PrinterColumn): readonly PrinterColumn[] => [
  column('StorageClass', text('spec.storageClassName'), 'Storage class.'),
  column(
    'VolumeAttributesClass',
    text('spec.volumeAttributesClassName', '<unset>'),
    'Volume attributes class.',
  ),
  bound,
]
const VOLUME_MODE = wide('VolumeMode', text('spec.volumeMode', '<unset>'), 'Filesystem or Block.')

export const CLAIM_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Status', phaseText, 'Pending, Bound or Lost.'),
  column('Volume', text('spec.volumeName'), 'The bound volume.'),
  column(
    'Capacity',
    object =>
      stringAt(object, 'spec', 'volumeName') === '' ? '' : stringAt(object, 'status', 'capacity', 'storage'),
    'Size of the bound volume.',
  ),
  column(
    'Access Modes',
    object =>
      stringAt(object, 'spec', 'volumeName') === '' ? '' : modesText(listAt(object, 'status', 'accessModes')),
    'How the volume may be mounted.',
  ),
  ...storageColumns(AGE),
  VOLUME_MODE,
]

function claimText(volume: JsonObject): string {
  const claim = objectAt(volume, 'spec', 'claimRef')
  return Object.keys(claim).length === 0 ? '' : `${stringAt(claim, 'namespace')}/${stringAt(claim, 'name')}`
}

export const VOLUME_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Capacity', text('spec.capacity.storage'), 'Size of the volume.'),
  column(
    'Access Modes',
    object => modesText(listAt(object, 'spec', 'accessModes')),
    'How the volume may be mounted.',
  ),
  column('Reclaim Policy', text('spec.persistentVolumeReclaimPolicy'), 'What happens when the claim goes.'),
  column('Status', phaseText, 'Available, Bound, Released or Failed.'),
  column('Claim', claimText, 'The bound claim.'),
  ...storageColumns(column('Reason', text('status.reason'), 'Why it is in this state.')),
  AGE,
  VOLUME_MODE,
]
