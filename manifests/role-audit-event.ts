import type { AuditEvent } from './audit-event.js'
import { DELIVERED_LABEL, type StoredBinding } from './delivered-binding.js'
import { INSTANCE_ROLE_BINDINGS } from './instance-role-binding.js'
import { resourcePath } from './kube.js'
import { WORKSPACE_ROLE_BINDINGS } from './workspace-role-binding.js'

const VERBS: Readonly<Record<RoleOutcome, string>> = {
  ...{ given: 'bind', began: 'bind', changed: 'update' },
  ...{ withdrawn: 'unbind', ended: 'unbind' },
}

/** Characters of a value: the longest that a reason can have. Subjects may be many. */
const LONGEST_VALUE = 512

/**
 * What became of a role. One that has an end began and ended, whether it was withdrawn or its time was over. Others were given, changed and
 * withdrawn, as a watch shows it.
 */
export type RoleOutcome = 'began' | 'ended' | 'given' | 'changed' | 'withdrawn'

/**
 * The audit event of what became of a role. No request stands for it: the event is of the controllers, and who wrote the binding is in the
 * audit log of the host, or in that of the request by which it was written through Kairship. Its id is the same each time that it is
 * written, and on every replica.
 * @param now milliseconds since 1970
 */
export function roleAuditEvent(binding: StoredBinding, what: RoleOutcome, now: number): AuditEvent {
  const { kind, metadata, spec } = binding
  const resource = kind === 'WorkspaceRoleBinding' ? WORKSPACE_ROLE_BINDINGS : INSTANCE_ROLE_BINDINGS
  const { name, uid = '', resourceVersion = '', labels = {} } = metadata
  const hasEnd = what === 'began' || what === 'ended'
  const time = new Date(now).toISOString().replace('Z', '000Z')
  const on =
    'workspace' in spec
      ? { 'kairship.io/workspace': spec.workspace }
      : { 'kairship.io/instance': spec.instance }
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: `${uid}/${what}/${hasEnd ? (spec.expiresAt ?? '') : resourceVersion}`,
    stage: 'ResponseComplete',
    requestURI: resourcePath(resource, { name }),
    verb: VERBS[what],
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
      ...(spec.expiresAt !== undefined && { 'kairship.io/expires-at': spec.expiresAt }),
      ...(labels[DELIVERED_LABEL] !== undefined && { [DELIVERED_LABEL]: labels[DELIVERED_LABEL] }),
      ...(spec.reason !== undefined && { 'kairship.io/reason': spec.reason.slice(0, LONGEST_VALUE) }),
    },
  }
}
