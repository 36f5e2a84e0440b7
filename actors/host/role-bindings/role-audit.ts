import type { AuditEvent } from '../../../manifests/audit-event.js'
import type { StoredBinding } from '../../../manifests/delivered-binding.js'
import { INSTANCE_ROLE_BINDINGS } from '../../../manifests/instance-role-binding.js'
import { resourcePath } from '../../../manifests/kube.js'
import { WORKSPACE_ROLE_BINDINGS } from '../../../manifests/workspace-role-binding.js'

/** Characters of a value: the longest that a reason can have. Subjects may be many. */
const LONGEST_VALUE = 512

/**
 * The audit event of a role that has an end, when it begins and when it ends. No request stands for either: the event is of the
 * controllers. Its id is the same each time that it is written, since a crash between the event and the status leads to another one.
 * @param now milliseconds since 1970
 */
export function roleAuditEvent(binding: StoredBinding, what: 'began' | 'ended', now: number): AuditEvent {
  const { kind, metadata, spec } = binding
  const resource = kind === 'WorkspaceRoleBinding' ? WORKSPACE_ROLE_BINDINGS : INSTANCE_ROLE_BINDINGS
  const { name, uid = '' } = metadata
  const time = new Date(now).toISOString().replace('Z', '000Z')
  const on =
    'workspace' in spec
      ? { 'kairship.io/workspace': spec.workspace }
      : { 'kairship.io/instance': spec.instance }
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: `${uid}/${what}/${spec.expiresAt ?? ''}`,
    stage: 'ResponseComplete',
    requestURI: resourcePath(resource, { name }),
    verb: what === 'began' ? 'bind' : 'unbind',
    user: { username: 'kairship:controller-manager', groups: [] },
    objectRef: { resource: resource.resource, name, apiGroup: resource.group, apiVersion: resource.version },
    responseStatus: { metadata: {}, code: 200 },
    requestReceivedTimestamp: time,
    stageTimestamp: time,
    annotations: {
      'kairship.io/operation': `role ${what}`,
      'kairship.io/outcome': 'succeeded',
      ...on,
      'kairship.io/role': spec.role,
      'kairship.io/subjects': spec.subjects
        .map(({ kind, name }) => `${kind} ${name}`)
        .join(', ')
        .slice(0, LONGEST_VALUE),
      'kairship.io/expires-at': spec.expiresAt ?? '',
      ...(spec.reason !== undefined && { 'kairship.io/reason': spec.reason.slice(0, LONGEST_VALUE) }),
    },
  }
}
