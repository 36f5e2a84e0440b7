import { type GroupVersionResource, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isAlreadyExists, isNotFound, StatusError } from '../../../manifests/status-error.js'
import { type KubeApi, type KubeRequest, UnreachableError } from '../../../ports/kube-api.js'
import { deadlineExceeded, failedPrecondition, unavailable } from '../../errors/failure.js'

/** How long a cluster may take for one answer, milliseconds. */
const ANSWER_MS = 10_000

/** Types that a member's side of a join consists of. */
export const TYPES = {
  namespaces: { group: '', version: 'v1', resource: 'namespaces' },
  serviceAccounts: { group: '', version: 'v1', resource: 'serviceaccounts' },
  secrets: { group: '', version: 'v1', resource: 'secrets' },
  clusterRoles: { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' },
  clusterRoleBindings: { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterrolebindings' },
} as const satisfies Record<string, GroupVersionResource>

/** Where an object of the cluster is. */
interface Key {
  readonly namespace?: string
  readonly name: string
}

/**
 * The API of a cluster that joins or leaves, under a credential of its own. Its refusals name the cluster, so that
 * they are not taken for those of the instance: FAILED_PRECONDITION ClusterRefused, UNAVAILABLE ClusterUnreachable.
 */
export class ClusterApi {
  constructor(
    private readonly api: Pick<KubeApi, 'request'>,
    private readonly cluster: string,
    private readonly signal: AbortSignal,
  ) {}

  /** The same cluster, until another signal aborts. */
  until(signal: AbortSignal): ClusterApi {
    return new ClusterApi(this.api, this.cluster, signal)
  }

  /** The object, or undefined where there is none. */
  async find<T extends KubeObject>(type: GroupVersionResource, key: Key): Promise<T | undefined> {
    return this.#unless(isNotFound, { method: 'GET', path: resourcePath(type, key) })
  }

  async list<T extends KubeObject>(type: GroupVersionResource, namespace: string): Promise<readonly T[]> {
    const path = resourcePath(type, { namespace })
    const { items } = await this.#send<{ readonly items?: readonly T[] | null }>({ method: 'GET', path })
    return items ?? []
  }

  /** Creates an object; undefined where its name is taken. */
  async create<T extends KubeObject>(type: GroupVersionResource, body: T): Promise<T | undefined> {
    const { namespace } = body.metadata
    const path = resourcePath(type, namespace === undefined ? {} : { namespace })
    return this.#unless(isAlreadyExists, { method: 'POST', path, body })
  }

  /** Changes some fields; undefined where there is no such object. */
  async merge(type: GroupVersionResource, key: Key, body: object): Promise<KubeObject | undefined> {
    const contentType = 'application/merge-patch+json'
    return this.#unless(isNotFound, { method: 'PATCH', path: resourcePath(type, key), contentType, body })
  }

  /** Deletes an object, in the background, as long as it is that of this uid; nothing where it is gone. */
  async remove(type: GroupVersionResource, key: Key, uid?: string): Promise<void> {
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      ...(uid && { preconditions: { uid } }),
    }
    await this.#unless(isNotFound, { method: 'DELETE', path: resourcePath(type, key), body })
  }

  async #unless<T>(isFine: (error: unknown) => boolean, request: KubeRequest): Promise<T | undefined> {
    try {
      return await this.#send<T>(request)
    } catch (error) {
      if (isFine((error as Error).cause)) return undefined
      throw error
    }
  }

  async #send<T>(request: KubeRequest): Promise<T> {
    try {
      return await this.api.request<T>({ ...request, signal: this.signal, timeoutMs: ANSWER_MS })
    } catch (error) {
      throw this.#explained(error, `${request.method} ${request.path}`)
    }
  }

  #explained(error: unknown, request: string): unknown {
    const { cluster } = this
    if (error instanceof UnreachableError) {
      const build = error.code === 'DEADLINE' ? deadlineExceeded : unavailable
      return build(`cluster ${cluster} cannot be reached by Kairship: ${error.message}`, {
        reason: 'ClusterUnreachable',
        cause: error,
      })
    }
    if (!(error instanceof StatusError)) return error
    // Whatever listens there: only the text of an API server is shown to the caller.
    const said = error.reason === '' ? `answered ${error.code}, and not as an API server does` : error.message
    const what = error.code === 401 ? 'does not accept the credential' : `refuses ${request}`
    return failedPrecondition(`cluster ${cluster} ${what}: ${said}`, {
      reason: 'ClusterRefused',
      cause: error,
    })
  }
}
