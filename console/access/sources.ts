import { serviceClient } from '../../client/service-client.js'
import { AccessReviewService } from '../../proto/gen/kairship/access_review_pb.js'
import { type AccessLock, AccessLockService } from '../../proto/gen/kairship/accesslock_pb.js'
import { type AuditEvent, type AuditOutcome, AuditService } from '../../proto/gen/kairship/audit_pb.js'
import { RoleBindingService } from '../../proto/gen/kairship/rolebinding_pb.js'
import { type WorkspaceInstance, WorkspaceService } from '../../proto/gen/kairship/workspace_pb.js'
import { rest } from '../connection/rest.js'
import { changesOf } from '../live/changes.js'
import type { Source } from '../live/source.js'
import type { Subject } from './subjects.js'

export const reviews = serviceClient(AccessReviewService, rest)
export const bindings = serviceClient(RoleBindingService, rest)
export const locks = serviceClient(AccessLockService, rest)
const audit = serviceClient(AuditService, rest)
export const workspaces = serviceClient(WorkspaceService, rest)

/** A role binding of an instance or a workspace, as the screen shows it. */
export interface Binding {
  readonly name: string
  /** The name of the instance or workspace. */
  readonly on: string
  readonly namespaces: readonly string[]
  readonly role: string
  readonly subjects: readonly Subject[]
  readonly expiresAt: string
  readonly reason: string
  readonly delivered: boolean
}

/** The kinds of objects on which roles are given. */
export const bindingKinds = ['instances', 'workspaces'] as const
export type BindingKind = (typeof bindingKinds)[number]

export const roleBindings = (kind: BindingKind): Source<Binding> =>
  kind === 'instances'
    ? {
        async list(page, signal) {
          const { items, pagination } = await bindings.listInstanceRoleBindings(page, { signal })
          return {
            items: items.map(({ instance, ...rest }) => ({ ...rest, on: instance })),
            total: pagination?.total ?? items.length,
          }
        },
        watch: (resumeToken, signal) =>
          changesOf(
            bindings.watchInstanceRoleBindings({ resumeToken }, { signal }),
            ({ binding }) => binding && { ...binding, on: binding.instance },
          ),
        keyOf: ({ name }) => name,
      }
    : {
        async list(page, signal) {
          const { items, pagination } = await bindings.listWorkspaceRoleBindings(page, { signal })
          return {
            items: items.map(({ workspace, ...rest }) => ({ ...rest, namespaces: [], on: workspace })),
            total: pagination?.total ?? items.length,
          }
        },
        watch: (resumeToken, signal) =>
          changesOf(
            bindings.watchWorkspaceRoleBindings({ resumeToken }, { signal }),
            ({ binding }) => binding && { ...binding, namespaces: [], on: binding.workspace },
          ),
        keyOf: ({ name }) => name,
      }

export const accessLocks = (): Source<AccessLock> => ({
  async list(page, signal) {
    const { items, pagination } = await locks.listAccessLocks(page, { signal })
    return { items, total: pagination?.total ?? items.length }
  },
  watch: (resumeToken, signal) =>
    changesOf(locks.watchAccessLocks({ resumeToken }, { signal }), ({ lock }) => lock),
  keyOf: ({ name }) => name,
})

/** Instances and their workspaces. */
export const workspaceInstances = (): Source<WorkspaceInstance> => ({
  async list(page, signal) {
    const { items, pagination } = await workspaces.listInstances(page, { signal })
    return { items, total: pagination?.total ?? items.length }
  },
  watch: (resumeToken, signal) =>
    changesOf(workspaces.watchInstances({ resumeToken }, { signal }), ({ instance }) => instance),
  keyOf: ({ instance }) => instance,
})

/** The filters of audit events; each matches whole values. */
export interface AuditFilter {
  readonly user: string
  readonly instance: string
  readonly outcome: AuditOutcome
}

export const auditEvents = (filter: AuditFilter): Source<AuditEvent> => ({
  async list(page, signal) {
    const { items, pagination } = await audit.listAuditEvents({ ...filter, ...page }, { signal })
    return { items, total: pagination?.total ?? items.length }
  },
  watch: (resumeToken, signal) =>
    changesOf(audit.watchAuditEvents({ ...filter, resumeToken }, { signal }), ({ event }) => event),
  keyOf: ({ id, stage }) => `${id} ${stage}`,
})
