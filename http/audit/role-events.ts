import type { AuditEvent } from '../../manifests/audit-event.js'
import { roleAuditEvent } from '../../manifests/role-audit-event.js'
import type { RoleBindings } from '../../ports/role-bindings.js'
import { type RecentEvent, said } from './recent-event.js'
import type { RecentEvents } from './recent-events.js'

/** Keeps what becomes of roles among the events of the last hours, on every replica that answers. Returns what ends it. */
export const keepRoleEvents = (
  events: Pick<RecentEvents, 'keep'>,
  roleBindings: Pick<RoleBindings, 'onEvent'>,
): (() => void) =>
  roleBindings.onEvent(({ what, binding, at }) =>
    events.keep(recentRoleEventOf(roleAuditEvent(binding, what, at), at)),
  )

/** What is kept of the event of a role, for which no request stands. @param at milliseconds since 1970 */
export function recentRoleEventOf({ objectRef, annotations, ...event }: AuditEvent, at: number): RecentEvent {
  const of = (key: string) => annotations[`kairship.io/${key}`] ?? ''
  return {
    ...{ id: event.auditID, stage: event.stage, endedAt: at, durationMs: 0 },
    ...{ user: event.user.username, actingAs: '', wire: '', operation: of('operation'), verb: event.verb },
    ...{ instance: of('instance'), cluster: '', namespace: '', subresource: '' },
    ...{ apiGroup: objectRef?.apiGroup ?? '', apiVersion: objectRef?.apiVersion ?? '' },
    ...{ resource: objectRef?.resource ?? '', name: objectRef?.name ?? '' },
    ...{ outcome: 'succeeded', code: 'OK', status: event.responseStatus?.code ?? 0 },
    ...{ remote: '', userAgent: '' },
    ...said({
      ...{ role: of('role'), workspace: of('workspace'), subjects: of('subjects'), reason: of('reason') },
      ...{ expiresAt: of('expires-at'), deliveredBy: of('delivered-by') },
    }),
  }
}
