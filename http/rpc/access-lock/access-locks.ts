import { ACCESS_LOCKS, type AccessLock, appliedLock, LOCK_TARGET } from '../../../manifests/access-lock.js'
import { type KubeList, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'
import { WRITE_QUERY } from '../../call/write-query.js'
import { badGateway, failedPrecondition } from '../../errors/failure.js'
import type { HostList, HostState } from '../../objects/watch/watch-host.js'

/** By which locks are chosen; an empty field chooses all. */
export interface LockFilter {
  readonly user: string
  readonly group: string
  readonly tokenId: string
  readonly instance: string
}

/** Which locks a request chooses. One that is not applied, because it names nobody, is none. */
export const isChosenBy =
  (filter: LockFilter) =>
  (object: KubeObject): boolean => {
    const lock = appliedLock(object)
    return (
      lock !== undefined && LOCK_TARGET.every(field => !filter[field] || lock.spec[field] === filter[field])
    )
  }

/** The locks of the host, as it has them now. */
export class StoredLocks {
  /** @param host the host cluster under Kairship's own credential */
  constructor(private readonly host: Pick<KubeApi, 'request' | 'watch'>) {}

  async all(signal: AbortSignal): Promise<readonly KubeObject[]> {
    return (await this.#read({}, signal)).objects
  }

  /** The locks as one stream follows them. */
  followed(matches: (object: KubeObject) => boolean, signal: AbortSignal): HostList<KubeObject> {
    const path = resourcePath(ACCESS_LOCKS)
    return {
      ...{ signal, matches },
      read: version =>
        this.#read(
          version === undefined ? {} : { resourceVersion: version, resourceVersionMatch: 'Exact' },
          signal,
        ),
      watch: (resourceVersion, signal) =>
        this.host.watch({ path, query: { resourceVersion, allowWatchBookmarks: true }, signal }),
    }
  }

  create(lock: AccessLock, signal: AbortSignal): Promise<KubeObject> {
    const path = resourcePath(ACCESS_LOCKS)
    return this.#send({ method: 'POST', path, query: WRITE_QUERY, body: lock, signal })
  }

  async delete(name: string, signal: AbortSignal): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions' }
    await this.#send({ method: 'DELETE', path: resourcePath(ACCESS_LOCKS, { name }), body, signal })
  }

  async #read(query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HostState<KubeObject>> {
    const path = resourcePath(ACCESS_LOCKS)
    const { items, metadata } = await this.#send<KubeList<KubeObject>>({ method: 'GET', path, query, signal })
    if (!metadata.resourceVersion)
      throw badGateway('the host’s list of access locks has no version to follow it from')
    return { objects: items ?? [], version: metadata.resourceVersion }
  }

  async #send<T>(request: KubeRequest): Promise<T> {
    try {
      return await this.host.request<T>(request)
    } catch (error) {
      // A path that is not served has no Status.
      if (error instanceof StatusError && error.code === 404 && error.reason === '')
        throw failedPrecondition('the host has no AccessLocks: apply manifests/crds to it')
      throw error
    }
  }
}
