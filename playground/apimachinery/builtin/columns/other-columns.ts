import { humanDuration } from '../../human-duration.js'
import { at, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.js'
import type { PrinterColumn } from '../../resource-definition.js'
import { AGE, column, condition, flag, length, NAME, number, selectorText, text, wide } from './column.js'

export const LEASE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Holder', text('spec.holderIdentity'), 'Who holds the lease.'),
  AGE,
]

const named = (subjects: readonly Json[], kind: string): string =>
  subjects
    .filter(subject => stringAt(subject, 'kind') === kind)
    .map(subject =>
      kind === 'ServiceAccount'
        ? `${stringAt(subject, 'namespace')}/${stringAt(subject, 'name')}`
        : stringAt(subject, 'name'),
    )
    .join(', ')

export const BINDING_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column(
    'Role',
    object => `${stringAt(object, 'roleRef', 'kind')}/${stringAt(object, 'roleRef', 'name')}`,
    'The role that is given.',
  ),
  AGE,
  wide('Users', object => named(listAt(object, 'subjects'), 'User'), 'Users who have it.'),
  wide('Groups', object => named(listAt(object, 'subjects'), 'Group'), 'Groups who have it.'),
  wide(
    'ServiceAccounts',
    object => named(listAt(object, 'subjects'), 'ServiceAccount'),
    'Service accounts who have it.',
  ),
]

/** Kinds whose table has a name and a creation time, as a timestamp. */
export const NAME_AND_CREATED: readonly PrinterColumn[] = [
  NAME,
  column(
    'Created At',
    object => at(object, 'metadata', 'creationTimestamp') ?? null,
    'When the object was created.',
    'date',
  ),
]

function ingressAddress(ingress: JsonObject): string {
  return listAt(ingress, 'status', 'loadBalancer', 'ingress')
    .map(one => stringAt(one, 'ip') || stringAt(one, 'hostname'))
    .sort()
    .join(',')
}

function hosts(ingress: JsonObject): string {
  const names = listAt(ingress, 'spec', 'rules')
    .map(rule => stringAt(rule, 'host'))
    .filter(host => host !== '')
  if (names.length === 0) return '*'
  return names.length > 3 ? `${names.slice(0, 3).join(',')} + ${names.length - 3} more...` : names.join(',')
}

export const INGRESS_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Class', text('spec.ingressClassName', '<none>'), 'The ingress class that serves it.'),
  column('Hosts', hosts, 'Hosts that are matched.'),
  column('Address', ingressAddress, 'Where the load balancer listens.'),
  column(
    'Ports',
    object => (listAt(object, 'spec', 'tls').length > 0 ? '80, 443' : '80'),
    'Ports that are open.',
  ),
  AGE,
]

function classParameters(ingressClass: JsonObject): string {
  const parameters = objectAt(ingressClass, 'spec', 'parameters')
  if (Object.keys(parameters).length === 0) return '<none>'
  const group = stringAt(parameters, 'apiGroup')
  const kind = stringAt(parameters, 'kind')
  return `${group === '' ? kind : `${kind}.${group}`}/${stringAt(parameters, 'name')}`
}

export const INGRESS_CLASS_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Controller', text('spec.controller'), 'Who serves the class.'),
  column('Parameters', classParameters, 'More settings of the class.'),
  AGE,
]

export const NETWORK_POLICY_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column(
    'Pod-Selector',
    object => selectorText(at(object, 'spec', 'podSelector')),
    'Pods the policy is about.',
  ),
  AGE,
]

function requestState(request: JsonObject): string {
  const types = listAt(request, 'status', 'conditions').map(one => stringAt(one, 'type'))
  const states = [
    ...(types.includes('Denied') ? ['Denied'] : types.includes('Approved') ? ['Approved'] : ['Pending']),
    ...(types.includes('Failed') ? ['Failed'] : []),
    ...(stringAt(request, 'status', 'certificate') === '' ? [] : ['Issued']),
  ]
  return states.join(',')
}

export const SIGNING_REQUEST_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  AGE,
  column('SignerName', text('spec.signerName', '<none>'), 'The requested signer.'),
  column('Requestor', text('spec.username'), 'Who asks.'),
  column(
    'RequestedDuration',
    object => {
      const seconds = at(object, 'spec', 'expirationSeconds')
      return typeof seconds === 'number' ? humanDuration(seconds * 1000) : '<none>'
    },
    'For how long.',
  ),
  column('Condition', requestState, 'Pending, Approved, Denied, Failed, Issued.'),
]

export const STORAGE_CLASS_COLUMNS: readonly PrinterColumn[] = [
  {
    ...NAME,
    value: object => {
      const name = stringAt(object, 'metadata', 'name')
      const annotations = objectAt(object, 'metadata', 'annotations')
      return annotations['storageclass.kubernetes.io/is-default-class'] === 'true'
        ? `${name} (default)`
        : name
    },
  },
  column('Provisioner', text('provisioner'), 'Who makes the volumes.'),
  column('ReclaimPolicy', text('reclaimPolicy', 'Delete'), 'What happens when the claim goes.'),
  column('VolumeBindingMode', text('volumeBindingMode', 'Immediate'), 'When a volume is bound.'),
  column('AllowVolumeExpansion', flag('allowVolumeExpansion'), 'Whether volumes may grow.'),
  AGE,
]

export const PRIORITY_CLASS_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Value', number('value'), 'The priority.', 'integer'),
  column('Global-Default', flag('globalDefault'), 'Whether pods without a class get it.', 'boolean'),
  AGE,
  column('PreemptionPolicy', text('preemptionPolicy'), 'Whether other pods make room.'),
]

export const WEBHOOK_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Webhooks', length('webhooks'), 'Number of webhooks.', 'integer'),
  AGE,
]

export const ADMISSION_POLICY_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Validations', length('spec.validations'), 'Number of rules.', 'integer'),
  column(
    'ParamKind',
    object => {
      const kind = objectAt(object, 'spec', 'paramKind')
      return Object.keys(kind).length === 0
        ? '<unset>'
        : `${stringAt(kind, 'apiVersion')}/${stringAt(kind, 'kind')}`
    },
    'Kind of the parameters.',
  ),
  AGE,
]

export const ADMISSION_POLICY_BINDING_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('PolicyName', text('spec.policyName'), 'The policy that is bound.'),
  column(
    'ParamRef',
    object => {
      const { namespace, name } = objectAt(object, 'spec', 'paramRef')
      if (name === undefined) return '<unset>'
      return namespace === undefined ? String(name) : `${String(namespace)}/${String(name)}`
    },
    'The parameters.',
  ),
  AGE,
]

function availability(service: JsonObject): string {
  const available = condition(service, 'Available')
  if (available === undefined) return 'Unknown'
  const reason = stringAt(available, 'reason')
  return available.status === 'True'
    ? 'True'
    : `${String(available.status)}${reason === '' ? '' : ` (${reason})`}`
}

export const API_SERVICE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column(
    'Service',
    object => {
      const service = objectAt(object, 'spec', 'service')
      return Object.keys(service).length === 0
        ? 'Local'
        : `${stringAt(service, 'namespace')}/${stringAt(service, 'name')}`
    },
    'The service that answers, or Local.',
  ),
  column('Available', availability, 'Whether it answers.'),
  AGE,
]

export const CSI_NODE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Drivers', length('spec.drivers'), 'Number of drivers on the node.', 'integer'),
  AGE,
]

export const CSI_DRIVER_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('AttachRequired', flag('spec.attachRequired'), 'Whether volumes are attached first.', 'boolean'),
  column(
    'PodInfoOnMount',
    flag('spec.podInfoOnMount'),
    'Whether the driver gets information about the pod.',
    'boolean',
  ),
  column('StorageCapacity', flag('spec.storageCapacity'), 'Whether capacity is considered.', 'boolean'),
  column(
    'TokenRequests',
    object =>
      listAt(object, 'spec', 'tokenRequests')
        .map(one => stringAt(one, 'audience'))
        .join(',') || '<unset>',
    'Audiences of tokens.',
  ),
  column(
    'RequiresRepublish',
    flag('spec.requiresRepublish'),
    'Whether volumes are published again and again.',
    'boolean',
  ),
  column(
    'Modes',
    object => listAt(object, 'spec', 'volumeLifecycleModes').join(',') || '<none>',
    'Lifecycle modes.',
  ),
  AGE,
]

export const VOLUME_ATTACHMENT_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Attacher', text('spec.attacher'), 'Who attaches.'),
  column('PV', text('spec.source.persistentVolumeName'), 'The volume.'),
  column('Node', text('spec.nodeName'), 'The node.'),
  column('Attached', flag('status.attached'), 'Whether it is attached.', 'boolean'),
  AGE,
]
