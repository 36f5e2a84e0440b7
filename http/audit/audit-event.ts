import type { AuditEvent } from '../../manifests/audit-event.js'
import { Code, codeName } from '../../transcoding/code.js'
import type { Caller } from '../identity/caller.js'
import { messageOf } from './details.js'
import { type AuditRecord, outcomeOf, statusOf } from './record.js'
import { type Subject, subjectOf } from './subject.js'

/** kube-apiserver's name for callers who were not authenticated. */
export const ANONYMOUS = 'system:anonymous'

/** A record as the line that tools for Kubernetes' audit logs read. What they have no field for stands in the annotations. */
export function auditEventOf(record: AuditRecord): AuditEvent {
  const { requestId, uri, userAgent, caller, actsAs, remote, endedAt, durationMs } = record
  const status = statusOf(record)
  const subject = subjectOf(record)
  const { verb, object } = subject
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: requestId,
    stage: record.stage ?? 'ResponseComplete',
    requestURI: uri,
    verb,
    user: caller ? userInfoOf(caller) : { username: ANONYMOUS, groups: ['system:unauthenticated'] },
    ...(actsAs && { impersonatedUser: userInfoOf(actsAs) }),
    ...(remote && { sourceIPs: [remote] }),
    ...(userAgent && { userAgent }),
    ...(object && { objectRef: object }),
    responseStatus: { metadata: {}, ...(status >= 400 && { status: 'Failure' }), code: status },
    requestReceivedTimestamp: microTime(endedAt - durationMs),
    stageTimestamp: microTime(endedAt),
    annotations: annotationsOf(record, subject),
  }
}

const userInfoOf = ({ user, uid, groups, extra }: Caller): AuditEvent['user'] => ({
  username: user,
  ...(uid && { uid }),
  groups,
  ...(Object.keys(extra).length > 0 && { extra }),
})

/** metav1.MicroTime: six digits of a second. */
const microTime = (ms: number): string => {
  const micros = Math.floor((ms % 1) * 1_000)
  return new Date(Math.floor(ms)).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`)
}

function annotationsOf(record: AuditRecord, { instance, cluster }: Subject): Record<string, string> {
  const { wire, operation, caller, source, code, isDecided, details, dryRun } = record
  return {
    // A call that was refused before may be of a caller who would not have been allowed.
    ...(caller &&
      (isDecided || code === Code.PERMISSION_DENIED) && {
        'authorization.k8s.io/decision': code === Code.PERMISSION_DENIED ? 'forbid' : 'allow',
      }),
    'kairship.io/wire': wire,
    'kairship.io/operation': operation,
    // What goes on has not come to anything yet.
    ...(!record.stage && { 'kairship.io/outcome': outcomeOf(code), 'kairship.io/code': codeName(code) }),
    ...(instance && { 'kairship.io/instance': instance }),
    ...(cluster && { 'kairship.io/cluster': cluster }),
    ...(source && { 'kairship.io/source': source }),
    ...(dryRun && { 'kairship.io/dry-run': 'true' }),
    ...(details && { 'kairship.io/message': messageOf(details) }),
  }
}
