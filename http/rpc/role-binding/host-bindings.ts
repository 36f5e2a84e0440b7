import { isDelivered, type StoredBinding } from '../../../manifests/delivered-binding.js'
import type { GroupVersionResource, KubeList, KubeObject } from '../../../manifests/kube.js'
import { resourcePath } from '../../../manifests/kube.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { WRITE_QUERY } from '../../call/write-query.js'
import { aborted, badGateway, failedPrecondition, invalidFields } from '../../errors/failure.js'
import type { HostList } from '../../objects/watch/watch-host.js'

/** What a request changes in the spec of a binding; what is absent there is taken out. */
export type BindingChange = Partial<Pick<StoredBinding['spec'], 'subjects' | 'expiresAt' | 'reason'>> & {
  readonly namespaces?: readonly string[]
}

/**
 * Role bindings of one type on the host, read and written under Kairship's own credential. Whoever calls has checked the caller's right.
 * The host checks what is written, and its words about fields reach the caller.
 */
export class HostBindings<T extends StoredBinding> {
  constructor(
    private readonly host: Pick<KubeApi, 'request' | 'watch'>,
    readonly resource: GroupVersionResource,
  ) {}

  async all(signal: AbortSignal): Promise<readonly T[]> {
    const path = resourcePath(this.resource)
    const { items } = await this.host.request<KubeList<T>>({ method: 'GET', path, signal })
    return items ?? []
  }

  /** Those that match, as one stream follows them. */
  followed(matches: (binding: T) => boolean, signal: AbortSignal): HostList<T> {
    const path = resourcePath(this.resource)
    return {
      ...{ signal, matches },
      read: async version => {
        const query = version === undefined ? {} : { resourceVersion: version, resourceVersionMatch: 'Exact' }
        const { items, metadata } = await this.host.request<KubeList<T>>({
          method: 'GET',
          path,
          query,
          signal,
        })
        const { resourceVersion } = metadata
        if (!resourceVersion)
          throw badGateway(`the host’s list of ${this.resource.resource} has no version to follow it from`)
        return { objects: items ?? [], version: resourceVersion }
      },
      watch: (resourceVersion, signal) =>
        this.host.watch({ path, query: { resourceVersion, allowWatchBookmarks: true }, signal }),
    }
  }

  get(name: string, signal: AbortSignal): Promise<T> {
    return this.host.request<T>({ method: 'GET', path: resourcePath(this.resource, { name }), signal })
  }

  create(body: KubeObject, signal: AbortSignal): Promise<T> {
    const path = resourcePath(this.resource)
    return this.host.request<T>({ method: 'POST', path, query: WRITE_QUERY, body, signal })
  }

  /**
   * Replaces what may change in a binding.
   * @param seen the version that the caller has seen; '' for any
   * @throws Failure FAILED_PRECONDITION Delivered; ABORTED where it is at another version
   */
  async update(name: string, change: BindingChange, seen: string, signal: AbortSignal): Promise<T> {
    const stored = await this.#own(name, signal)
    const {
      namespaces: _n,
      subjects: _s,
      expiresAt: _e,
      reason: _r,
      ...about
    } = stored.spec as T['spec'] & BindingChange
    if (seen !== '' && stored.metadata.resourceVersion !== seen)
      throw aborted(`${name} was changed meanwhile: read it again`, { reason: 'Conflict' })
    return this.host.request<T>({
      method: 'PUT',
      path: resourcePath(this.resource, { name }),
      query: WRITE_QUERY,
      body: { ...stored, spec: { ...about, ...change } },
      signal,
    })
  }

  /** @throws Failure FAILED_PRECONDITION Delivered */
  async delete(name: string, signal: AbortSignal): Promise<void> {
    const { metadata } = await this.#own(name, signal)
    const preconditions = { uid: metadata.uid }
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...(metadata.uid && { preconditions }) }
    await this.host.request({ method: 'DELETE', path: resourcePath(this.resource, { name }), body, signal })
  }

  /** A binding that is not delivered: a change of one that is would be undone by the next delivery, or by the full sync. */
  async #own(name: string, signal: AbortSignal): Promise<T> {
    const stored = await this.get(name, signal)
    if (isDelivered(stored))
      throw failedPrecondition(
        `${name} is delivered by Global Management, which would undo the change: have it changed there, or lock who has it`,
        { reason: 'Delivered' },
      )
    return stored
  }
}

/** The binding of a request that must have one. @throws Failure INVALID_ARGUMENT */
export function bindingOf<B>(binding: B | undefined): B {
  if (binding === undefined) throw invalidFields([{ field: 'binding', description: 'is required' }])
  return binding
}
