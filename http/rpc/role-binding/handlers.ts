import type { StoredBinding } from '../../../manifests/delivered-binding.js'
import { INSTANCE_ROLE_BINDINGS, type InstanceRoleBinding } from '../../../manifests/instance-role-binding.js'
import {
  WORKSPACE_ROLE_BINDINGS,
  type WorkspaceRoleBinding,
} from '../../../manifests/workspace-role-binding.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { RoleBindingService } from '../../../proto/gen/kairship/rolebinding_pb.js'
import { ListChange_Type } from '../../../proto/gen/kairship/types_pb.js'
import type { Call } from '../../call/call.js'
import { type Authorizer, requireRight } from '../../identity/authorize.js'
import type { RolePlaces } from '../../identity/role-places.js'
import type { Order } from '../../objects/cursor.js'
import { pageOf } from '../../objects/paging.js'
import { watchHost } from '../../objects/watch/watch-host.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { afterFirstItem } from '../concurrency/after-first-item.js'
import { type PageFields, PageTokens } from '../kind/page-token.js'
import { marksOf, resumeTokenOf, streamDigest } from '../kind/resume-token.js'
import { bindingOf, HostBindings } from './host-bindings.js'
import {
  changeOf,
  instanceBindingOf,
  instanceMessageOf,
  workspaceBindingOf,
  workspaceMessageOf,
} from './messages.js'

/** What the handlers of the RoleBinding service depend on. */
export interface RoleBindingDependencies {
  /** The host cluster under Kairship's own credential. */
  readonly host: KubeApi
  readonly authorizer: Authorizer
  readonly places: RolePlaces
}

/** Who has which role, on instances and in workspaces. */
export function roleBindingHandlers({
  host,
  authorizer,
  places,
}: RoleBindingDependencies): ServiceHandlers<typeof RoleBindingService> {
  const instanceMessage = (binding: InstanceRoleBinding) => instanceMessageOf(binding, places)
  const workspaceMessage = (binding: WorkspaceRoleBinding) => workspaceMessageOf(binding, places)
  const instances = new HostBindings<InstanceRoleBinding>(host, INSTANCE_ROLE_BINDINGS)
  const workspaces = new HostBindings<WorkspaceRoleBinding>(host, WORKSPACE_ROLE_BINDINGS)
  return {
    async listInstanceRoleBindings(request, call) {
      const page = await pageOfAll(instances, request, call, ofInstance(request.instance))
      return { items: page.items.map(instanceMessage), pagination: page.pagination }
    },
    watchInstanceRoleBindings: (request, call) =>
      afterFirstItem(
        followed(
          { bindings: instances, authorizer, messageOf: instanceMessage },
          request,
          call,
          ofInstance(request.instance),
        ),
      ),
    getInstanceRoleBinding: async ({ name }, call) => instanceMessage(await instances.get(name, call.signal)),
    async createInstanceRoleBinding({ binding }, call) {
      return instanceMessage(await instances.create(instanceBindingOf(bindingOf(binding)), call.signal))
    },
    async updateInstanceRoleBinding({ name, binding }, call) {
      const wanted = bindingOf(binding)
      const change = changeOf(wanted)
      return instanceMessage(await instances.update(name, change, wanted.resourceVersion, call.signal))
    },
    async deleteInstanceRoleBinding({ name }, call) {
      await instances.delete(name, call.signal)
      return {}
    },

    async listWorkspaceRoleBindings(request, call) {
      const page = await pageOfAll(workspaces, request, call, ofWorkspace(request.workspace))
      return { items: page.items.map(workspaceMessage), pagination: page.pagination }
    },
    watchWorkspaceRoleBindings: (request, call) =>
      afterFirstItem(
        followed(
          { bindings: workspaces, authorizer, messageOf: workspaceMessage },
          request,
          call,
          ofWorkspace(request.workspace),
        ),
      ),
    getWorkspaceRoleBinding: async ({ name }, call) =>
      workspaceMessage(await workspaces.get(name, call.signal)),
    async createWorkspaceRoleBinding({ binding }, call) {
      return workspaceMessage(await workspaces.create(workspaceBindingOf(bindingOf(binding)), call.signal))
    },
    async updateWorkspaceRoleBinding({ name, binding }, call) {
      const wanted = bindingOf(binding)
      const change = changeOf(wanted)
      return workspaceMessage(await workspaces.update(name, change, wanted.resourceVersion, call.signal))
    },
    async deleteWorkspaceRoleBinding({ name }, call) {
      await workspaces.delete(name, call.signal)
      return {}
    },
  }
}

const ofInstance =
  (instance: string) =>
  ({ spec }: InstanceRoleBinding): boolean =>
    instance === '' || spec.instance === instance
const ofWorkspace =
  (workspace: string) =>
  ({ spec }: WorkspaceRoleBinding): boolean =>
    workspace === '' || spec.workspace === workspace

async function pageOfAll<T extends StoredBinding>(
  bindings: HostBindings<T>,
  request: PageFields,
  call: Call,
  matches: (binding: T) => boolean,
) {
  const tokens = new PageTokens(request, call)
  const byName: Order<T> = { keysOf: ({ metadata }) => [metadata.name], descending: 0 }
  const found = (await bindings.all(call.signal))
    .filter(matches)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const page = pageOf(found, tokens.request, byName)
  return { items: [...page.items], pagination: tokens.pagination(page) }
}

interface Followed<T extends StoredBinding, M> {
  readonly bindings: HostBindings<T>
  readonly authorizer: Authorizer
  readonly messageOf: (binding: T) => M
}

/**
 * Bindings as the host changes them. Kairship reads them under its own credential, so each message is sent only while its caller may list and
 * watch them.
 */
async function* followed<T extends StoredBinding, M>(
  { bindings, authorizer, messageOf }: Followed<T, M>,
  request: { readonly resumeToken: string },
  call: Call,
  matches: (binding: T) => boolean,
) {
  const { resource } = bindings.resource
  const requireRights = async () => {
    for (const verb of ['list', 'watch']) await requireRight(authorizer, call, { verb, resource })
  }
  await requireRights()
  const stream = streamDigest([bindings.resource, request, call.caller.user])
  const since = marksOf(request.resumeToken, stream)?.[0] ?? undefined
  for await (const { type, total, mark, known, ...step } of watchHost(
    bindings.followed(matches, call.signal),
    since,
  )) {
    if (known) continue
    await requireRights()
    yield {
      ...{ type: ListChange_Type[type], total },
      ...('object' in step && { binding: messageOf(step.object) }),
      resumeToken: mark ? resumeTokenOf(stream, [mark]) : '',
    }
  }
}
