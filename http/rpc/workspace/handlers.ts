import { isNotFound } from '../../../manifests/status-error.js'
import type { WorkspaceBinding } from '../../../manifests/workspace.js'
import { type Bindable, renderWorkspaceBinding, type Workspace } from '../../../manifests/workspace.js'
import { SortBy, SortDir } from '../../../proto/gen/kairship/types_pb.js'
import {
  Action,
  type WorkspaceInfo,
  type WorkspaceService,
} from '../../../proto/gen/kairship/workspace_pb.js'
import type { Call } from '../../call/call.js'
import { type FieldViolation, invalidFields, notFound } from '../../errors/failure.js'
import { requireRight } from '../../identity/authorize.js'
import { reaching } from '../../identity/reach.js'
import type { InstanceFeed } from '../../instances/instance-feed.js'
import type { InstanceReading } from '../../instances/instance-reading.js'
import { compareKeys, type Order } from '../../objects/cursor.js'
import type { Objects } from '../../objects/objects.js'
import { pageOf } from '../../objects/paging.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { namespaces } from '../core/namespace.js'
import { seenBy } from '../instance/seen-by.js'
import { PageTokens, type Pagination } from '../kind/page-token.js'
import { workspaceIn } from './membership.js'
import { readNamespaces } from './namespaces.js'
import { watchBoundInstances } from './watch-instances.js'
import { watchBoundNamespaces } from './watch-namespaces.js'
import { type WatchDependencies, watchWorkspaces } from './watch-workspaces.js'
import { isNamedLike, workspaceInfoOf, workspaceNamed } from './workspaces.js'

/** What the handlers of the Workspace service depend on. */
export interface WorkspaceDependencies extends WatchDependencies {
  readonly instances: InstanceReading
  readonly feed: InstanceFeed
  readonly objects: Objects
}

/** Which workspace instances and namespaces belong to. */
export function workspaceHandlers(
  dependencies: WorkspaceDependencies,
): ServiceHandlers<typeof WorkspaceService> {
  const { workspaces, instances, objects, authorizer } = dependencies

  /** The workspace of each bound instance or namespace. */
  const membership = async (call: Call) => {
    const [all, bindings] = await Promise.all([workspaces.all(call.signal), workspaces.bindings(call.signal)])
    return membershipOf(all, bindings)
  }

  const act = async (
    call: Call,
    bound: Bindable,
    { action, workspace }: { readonly action: Action; readonly workspace?: WorkspaceInfo | undefined },
  ): Promise<WorkspaceInfo> => {
    const named = checked(action, workspace)
    const { metadata, spec } = workspaceNamed(await workspaces.all(call.signal), named)
    if (action === Action.UNBIND) await workspaces.release(bound, metadata.name, call.signal)
    else {
      const instance = await instances.onHost(bound.instance, call)
      await workspaces.bind(renderWorkspaceBinding(instance, metadata.name, bound.namespace), call.signal)
    }
    return { ...named, workspace: metadata.name, workspaceId: spec.id }
  }

  const mustHaveNamespace = async (call: Call, instance: string, namespace: string) => {
    try {
      await objects.get(call, { instance }, namespaces.type, { name: namespace })
    } catch (error) {
      if (!isNotFound(error)) throw error
      throw notFound(
        `${instance} has no namespace ${JSON.stringify(namespace)}: create it there, then bind it`,
        { cause: error },
      )
    }
  }

  return {
    async listInstances(request, call) {
      const tokens = new PageTokens(request, call)
      const { instance } = request
      const seen = await seenBy(call, await instances.all(call))
      const workspaceOf = await membership(call)
      const rows = seen
        .filter(({ name }) => instance === '' || name === instance)
        .map(({ name }) => ({ instance: name, workspace: workspaceOf({ instance: name }) }))
      return page(
        rows,
        rowOrder(request, ({ instance }) => [instance]),
        tokens,
      )
    },

    async listNamespaceInstances(request, call) {
      const tokens = new PageTokens(request, call)
      const seen = await seenBy(call, await instances.all(call))
      const wanted = seen.filter(({ name }) => request.instance === '' || name === request.instance)
      const workspaceOf = await membership(call)
      const read = await readNamespaces({ objects, authorizer }, call, wanted)
      const rows = read.found
        .filter(({ namespace }) => request.namespace === '' || namespace === request.namespace)
        .map(bound => ({ ...bound, workspace: workspaceOf(bound) }))
      const order = rowOrder<(typeof rows)[number]>(request, ({ instance, namespace }) => [
        namespace,
        instance,
      ])
      return { ...page(rows, order, tokens), unreadInstances: read.unread }
    },

    async listWorkspaces(request, call) {
      const tokens = new PageTokens(request, call)
      const all = await workspaces.all(call.signal)
      const rows = all
        .filter(isNamedLike(request.workspace))
        .map(one => ({ workspace: workspaceInfoOf(one) }))
      const order = rowOrder<(typeof rows)[number]>(request, ({ workspace }) => [workspace.workspace])
      const { items, pagination } = page(rows, order, tokens)
      return { items: items.map(({ workspace }) => workspace), pagination }
    },

    watchInstances: watchBoundInstances(dependencies),
    watchNamespaceInstances: watchBoundNamespaces(dependencies),
    watchWorkspaces: watchWorkspaces(dependencies),

    async bindInstances(request, call) {
      const workspace = await act(call, { instance: request.instance }, request)
      return { ...request, workspace }
    },

    async bindNamespaceInstances(request, call) {
      const { instance, namespace, action } = request
      if (action === Action.BIND) {
        await requireRight(authorizer, call, reaching(instance))
        await mustHaveNamespace(call, instance, namespace)
      }
      return { ...request, workspace: await act(call, { instance, namespace }, request) }
    },
  }
}

/** A page as messages have it. */
function page<T>(
  rows: readonly T[],
  order: Order<T>,
  tokens: PageTokens,
): { items: T[]; pagination: Pagination } {
  const { keysOf, descending } = order
  const sorted = [...rows].sort((a, b) => compareKeys(keysOf(a), keysOf(b), descending))
  const found = pageOf(sorted, tokens.request, order)
  return { items: [...found.items], pagination: tokens.pagination(found) }
}

function membershipOf(all: readonly Workspace[], bindings: readonly WorkspaceBinding[]) {
  const known = new Map(all.map(one => [one.metadata.name, workspaceInfoOf(one)]))
  return workspaceIn(known, new Map(bindings.map(({ metadata, spec }) => [metadata.name, spec.workspace])))
}

/** @throws Failure INVALID_ARGUMENT for a request that says neither what to do nor with which workspace */
function checked(action: Action, workspace: WorkspaceInfo | undefined): WorkspaceInfo {
  const violations: FieldViolation[] = []
  if (action !== Action.BIND && action !== Action.UNBIND)
    violations.push({ field: 'action', description: 'must be BIND or UNBIND' })
  if (!workspace?.workspace && !workspace?.workspaceId)
    violations.push({ field: 'workspace', description: 'is required: give its name, its id, or both' })
  if (!workspace || violations.length > 0) throw invalidFields(violations)
  return workspace
}

/** By the keys of rows, the first of which may be replaced by the workspace, and alone is in the order of the direction. */
function rowOrder<T extends { readonly workspace: { readonly workspace: string } }>(
  { sortBy, sortDir }: { readonly sortBy: SortBy; readonly sortDir: SortDir },
  keysOf: (row: T) => readonly string[],
): Order<T> {
  const isAscending = sortBy === SortBy.SORT_BY_UNSPECIFIED || sortDir === SortDir.asc
  return {
    descending: isAscending ? 0 : 1,
    keysOf: row => {
      const keys = keysOf(row)
      return [sortBy === SortBy.workspace ? row.workspace.workspace : (keys[0] ?? ''), ...keys]
    },
  }
}
