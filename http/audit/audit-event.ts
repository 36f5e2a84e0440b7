import type { AuditEvent } from '../../manifests/audit-event.js'
import { Code, codeName, httpStatus } from '../../transcoding/code.js'
import type { Action } from '../identity/authorize.js'
import { type AuditRecord, type AuditTarget, outcomeOf } from './record.js'

/** kube-apiserver's name for callers who were not authenticated. */
const ANONYMOUS = 'system:anonymous'

/** A record as the line that tools for Kubernetes' audit logs read. What they have no field for stands in the annotations. */
export function auditEventOf(record: AuditRecord): AuditEvent {
  const { requestId, uri, userAgent, caller, action, target, remote, code, endedAt, durationMs } = record
  const status = record.status ?? (code === Code.OK ? 200 : httpStatus[code])
  const object = target ? objectOf(target) : action && hostObjectOf(action)
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: requestId,
    stage: 'ResponseComplete',
    requestURI: uri,
    verb: target?.verb ?? action?.verb ?? '',
    user: {
      username: caller?.user ?? ANONYMOUS,
      ...(caller?.uid && { uid: caller.uid }),
      groups: caller ? caller.groups : ['system:unauthenticated'],
      ...(caller && Object.keys(caller.extra).length > 0 && { extra: caller.extra }),
    },
    ...(remote && { sourceIPs: [remote] }),
    ...(userAgent && { userAgent }),
    ...(object && { objectRef: object }),
    responseStatus: { metadata: {}, ...(status >= 400 && { status: 'Failure' }), code: status },
    requestReceivedTimestamp: microTime(endedAt - durationMs),
    stageTimestamp: microTime(endedAt),
    annotations: annotationsOf(record),
  }
}

/** metav1.MicroTime: six digits of a second. */
const microTime = (ms: number): string => {
  const micros = Math.floor((ms % 1) * 1_000)
  return new Date(Math.floor(ms)).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`)
}

const objectOf = ({ group, version, resource, subresource, namespace, name }: AuditTarget) =>
  resource === undefined
    ? undefined
    : {
        resource,
        ...(namespace && { namespace }),
        ...(name && { name }),
        ...(group && { apiGroup: group }),
        ...(version && { apiVersion: version }),
        ...(subresource && { subresource }),
      }

function hostObjectOf(action: Action): AuditEvent['objectRef'] {
  if ('path' in action) return undefined
  const [resource = '', subresource] = action.resource.split('/')
  return {
    resource,
    ...(action.name && { name: action.name }),
    apiGroup: 'kairship.io',
    apiVersion: 'v1alpha1',
    ...(subresource && { subresource }),
  }
}

function annotationsOf(record: AuditRecord): Record<string, string> {
  const { wire, operation, caller, action, target, source, code, isDecided } = record
  const instance = target?.instance ?? (action && 'resource' in action ? instanceOf(action) : undefined)
  return {
    // A call that was refused before may be of a caller who would not have been allowed.
    ...(caller &&
      (isDecided || code === Code.PERMISSION_DENIED) && {
        'authorization.k8s.io/decision': code === Code.PERMISSION_DENIED ? 'forbid' : 'allow',
      }),
    'kairship.io/wire': wire,
    'kairship.io/operation': operation,
    'kairship.io/outcome': outcomeOf(code),
    'kairship.io/code': codeName(code),
    ...(instance && { 'kairship.io/instance': instance }),
    ...(target?.cluster && { 'kairship.io/cluster': target.cluster }),
    ...(source && { 'kairship.io/source': source }),
  }
}

const instanceOf = ({
  resource,
  name,
}: Extract<Action, { readonly resource: string }>): string | undefined =>
  resource.split('/')[0] === 'instances' ? name : undefined
