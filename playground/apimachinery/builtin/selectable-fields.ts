import { at, type JsonObject, stringAt } from '../json.js'

type Fields = Readonly<Record<string, string>>

const show = (object: JsonObject, path: string): string => {
  const value = at(object, ...path.split('.'))
  return value === undefined || value === null ? '' : String(value)
}

const fields =
  (...paths: readonly string[]) =>
  (object: JsonObject): Fields =>
    Object.fromEntries(paths.map(path => [path, show(object, path)]))

/** Like `fields`, but an absent boolean reads `false` and an absent number `0`, as Go prints their zero values. */
const withZeros =
  (zeros: Fields, ...paths: readonly string[]) =>
  (object: JsonObject): Fields => ({
    ...fields(...paths)(object),
    ...Object.fromEntries(Object.entries(zeros).map(([path, zero]) => [path, show(object, path) || zero])),
  })

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

function coreEvent(event: JsonObject): Fields {
  const involved = INVOLVED.map(name => [`involvedObject.${name}`, stringAt(event, 'involvedObject', name)])
  return {
    ...Object.fromEntries(involved),
    ...fields('reason', 'type', 'reportingComponent')(event),
    source: stringAt(event, 'source', 'component') || stringAt(event, 'reportingComponent'),
  }
}

function newEvent(event: JsonObject): Fields {
  const regarding = INVOLVED.map(name => [`regarding.${name}`, stringAt(event, 'regarding', name)])
  return { ...Object.fromEntries(regarding), ...fields('reason', 'type', 'reportingController')(event) }
}

/** The fields a field selector may name, by group and kind (the field label conversions of Kubernetes). */
export const SELECTABLE_FIELDS: Readonly<Record<string, (object: JsonObject) => Fields>> = {
  '/Event': coreEvent,
  '/Namespace': fields('status.phase'),
  '/Node': withZeros({ 'spec.unschedulable': 'false' }),
  '/Pod': withZeros(
    { 'spec.hostNetwork': 'false' },
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ),
  '/ReplicationController': withZeros({ 'status.replicas': '0' }),
  '/Secret': fields('type'),
  '/Service': fields('spec.clusterIP', 'spec.type'),
  'apps/ReplicaSet': withZeros({ 'status.replicas': '0' }),
  'batch/Job': withZeros({ 'status.successful': '0' }),
  'certificates.k8s.io/CertificateSigningRequest': fields('spec.signerName'),
  'events.k8s.io/Event': newEvent,
}
