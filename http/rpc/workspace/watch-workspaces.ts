import { WORKSPACES, type Workspace } from '../../../manifests/workspace.js'
import { ListChange_Type } from '../../../proto/gen/kairship/types_pb.js'
import type { WatchWorkspacesRequest, WorkspaceService } from '../../../proto/gen/kairship/workspace_pb.js'
import type { Call } from '../../call/call.js'
import { type Authorizer, requireRight } from '../../identity/authorize.js'
import { watchHost } from '../../objects/watch/watch-host.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { afterFirstItem } from '../concurrency/after-first-item.js'
import { marksOf, resumeTokenOf, streamDigest } from '../kind/resume-token.js'
import { isNamedLike, type Workspaces, workspaceInfoOf } from './workspaces.js'

/** What a watch of workspaces depends on. */
export interface WatchDependencies {
  readonly workspaces: Workspaces
  readonly authorizer: Authorizer
}

type Handler = ServiceHandlers<typeof WorkspaceService>['watchWorkspaces']

/**
 * The workspaces that a request chooses, as the host changes them. Kairship reads them under its own credential, so each message
 * is sent only while its caller may list and watch workspaces.
 */
export const watchWorkspaces =
  ({ workspaces, authorizer }: WatchDependencies): Handler =>
  (request, call) => {
    const requireRights = async () => {
      for (const verb of ['list', 'watch'])
        await requireRight(authorizer, call, { verb, resource: WORKSPACES.resource })
    }
    async function* messages() {
      await requireRights()
      const stream = streamOf(request, call)
      const since = marksOf(request.resumeToken, stream)?.[0] ?? undefined
      const list = workspaces.followed<Workspace>(WORKSPACES, call.signal, isNamedLike(request.workspace))
      for await (const { type, total, mark, known, ...step } of watchHost(list, since)) {
        if (known) continue
        await requireRights()
        yield {
          ...{ type: ListChange_Type[type], total },
          ...('object' in step && { workspace: workspaceInfoOf(step.object) }),
          resumeToken: mark ? resumeTokenOf(stream, [mark]) : '',
        }
      }
    }
    return afterFirstItem(messages())
  }

const streamOf = (request: WatchWorkspacesRequest, { caller }: Call): string =>
  streamDigest([WORKSPACES, request, caller.user])
