import { type KubeList, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isAlreadyExists, isNotFound, StatusError } from '../../../manifests/status-error.js'
import {
  type Bindable,
  bindingNameOf,
  WORKSPACE_BINDINGS,
  WORKSPACES,
  type Workspace,
  type WorkspaceBinding,
} from '../../../manifests/workspace.js'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'
import { Code } from '../../../transcoding/code.js'
import { WRITE_QUERY } from '../../call/write-query.js'
import { badGateway, Failure, failedPrecondition, notFound } from '../../errors/failure.js'
import type { HostList } from '../../objects/watch/watch-host.js'

/** Workspaces and what belongs to them, as the host has them now. */
export class Workspaces {
  /** @param host the host cluster under Kairship's own credential */
  constructor(private readonly host: Pick<KubeApi, 'request' | 'watch'>) {}

  all(signal: AbortSignal): Promise<readonly Workspace[]> {
    return this.#list(resourcePath(WORKSPACES), signal)
  }

  /**
   * The workspaces, or the bindings, as one stream follows them.
   * @param matches which of them
   */
  followed<T extends Workspace | WorkspaceBinding>(
    type: typeof WORKSPACES | typeof WORKSPACE_BINDINGS,
    signal: AbortSignal,
    matches: (object: T) => boolean = () => true,
  ): HostList<T> {
    const path = resourcePath(type)
    return {
      ...{ signal, matches },
      read: async version => {
        const query = version === undefined ? {} : { resourceVersion: version, resourceVersionMatch: 'Exact' }
        const { items, metadata } = await this.#send<KubeList<T>>({ method: 'GET', path, query, signal })
        const { resourceVersion } = metadata
        if (!resourceVersion)
          throw badGateway(`the host’s list of ${type.resource} has no version to follow it from`)
        return { objects: items ?? [], version: resourceVersion }
      },
      watch: (resourceVersion, signal) =>
        this.host.watch({ path, query: { resourceVersion, allowWatchBookmarks: true }, signal }),
    }
  }

  bindings(signal: AbortSignal): Promise<readonly WorkspaceBinding[]> {
    return this.#list(resourcePath(WORKSPACE_BINDINGS), signal)
  }

  /**
   * Stores a binding; one that is there already for the same workspace is fine.
   * @throws Failure FAILED_PRECONDITION Bound for what belongs to another workspace
   */
  async bind(binding: WorkspaceBinding, signal: AbortSignal): Promise<void> {
    const path = resourcePath(WORKSPACE_BINDINGS)
    try {
      await this.#send({ method: 'POST', path, query: WRITE_QUERY, body: binding, signal })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      const { name } = binding.metadata
      const found = await this.#find(name, signal)
      if (found?.spec.workspace === binding.spec.workspace) return
      if (!found)
        throw new Failure(Code.ABORTED, `the binding ${name} was taken away meanwhile: bind again`, {
          reason: 'Conflict',
        })
      throw failedPrecondition(
        `${what(binding.spec)} belongs to workspace ${found.spec.workspace}: release it from that one first`,
        { reason: 'Bound' },
      )
    }
  }

  /** Deletes a binding to a workspace. @throws Failure FAILED_PRECONDITION NotBound for what does not belong to it */
  async release(bound: Bindable, workspace: string, signal: AbortSignal): Promise<void> {
    const name = bindingNameOf(bound)
    const found = await this.#find(name, signal)
    if (found?.spec.workspace !== workspace)
      throw failedPrecondition(
        `${what(bound)} belongs to ${found ? `workspace ${found.spec.workspace}` : 'no workspace'}, and not to ${workspace}`,
        { reason: 'NotBound' },
      )
    const { uid } = found.metadata
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...(uid && { preconditions: { uid } }) }
    await this.#send({ method: 'DELETE', path: resourcePath(WORKSPACE_BINDINGS, { name }), body, signal })
  }

  async #find(name: string, signal: AbortSignal): Promise<WorkspaceBinding | undefined> {
    try {
      const path = resourcePath(WORKSPACE_BINDINGS, { name })
      return await this.#send<WorkspaceBinding>({ method: 'GET', path, signal })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  async #list<T extends KubeObject>(path: string, signal: AbortSignal): Promise<readonly T[]> {
    const { items } = await this.#send<KubeList<T>>({ method: 'GET', path, signal })
    return items ?? []
  }

  async #send<T>(request: KubeRequest): Promise<T> {
    try {
      return await this.host.request<T>(request)
    } catch (error) {
      // A path that is not served has no Status.
      if (error instanceof StatusError && error.code === 404 && error.reason === '')
        throw failedPrecondition(
          'the host has no workspaces: apply manifests/crds to it, and have Global Management write Workspaces',
          { reason: 'NoWorkspaces' },
        )
      throw error
    }
  }
}

/** A workspace as messages have it. */
export const workspaceInfoOf = ({ metadata, spec }: Workspace) => ({
  workspace: metadata.name,
  workspaceId: spec.id,
})

/** Whether the name of a workspace contains a text, for the list and its watch. */
export const isNamedLike =
  (part: string) =>
  ({ metadata }: Workspace): boolean =>
    metadata.name.includes(part)

/** The workspace that a request names, by its name, its id, or both. @throws Failure NOT_FOUND */
export function workspaceNamed(
  all: readonly Workspace[],
  { workspace, workspaceId }: { readonly workspace: string; readonly workspaceId: number },
): Workspace {
  const found = all.find(
    ({ metadata, spec }) =>
      (workspace === '' || metadata.name === workspace) && (workspaceId === 0 || spec.id === workspaceId),
  )
  if (found) return found
  const named = [
    ...(workspace ? [JSON.stringify(workspace)] : []),
    ...(workspaceId ? [`id ${workspaceId}`] : []),
  ]
  throw notFound(`there is no workspace ${named.join(' with ')}`, { reason: 'NotFound' })
}

const what = ({ instance, namespace }: Bindable): string =>
  namespace === undefined ? `instance ${instance}` : `namespace ${namespace} of ${instance}`
