import type { Stage } from '../../machines/failure.js'
import type { GroupVersionResource, KubeObject, ObjectMeta } from '../../manifests/kube.js'
import { resourcePath } from '../../manifests/kube.js'
import { FIELD_MANAGER, isMadeFor } from '../../manifests/names.js'
import { isNotFound } from '../../manifests/status-error.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { fail } from './failure.js'

type At = { readonly namespace?: string; readonly name: string }

const at = ({ namespace, name }: At) => (namespace === undefined ? { name } : { namespace, name })

/**
 * Server-side apply under our field manager: creates or updates in one request, changes nothing when nothing differs, and
 * may run twice. Takes over fields that others changed, because what Kairship keeps is Kairship's to say.
 */
export const apply = <T extends KubeObject>(
  api: KubeApi,
  resource: GroupVersionResource,
  object: T,
  signal: AbortSignal,
): Promise<T> =>
  api.request<T>({
    method: 'PATCH',
    path: resourcePath(resource, at(object.metadata)),
    query: { fieldManager: FIELD_MANAGER, force: true },
    contentType: 'application/apply-patch+yaml',
    body: object,
    signal,
  })

/**
 * Merges a change into an object's status, over the version that was seen and no other.
 * @throws StatusError 409 when it changed meanwhile; 404 when it is gone
 */
export const patchStatus = <T extends KubeObject>(
  api: KubeApi,
  resource: GroupVersionResource,
  { metadata: { resourceVersion, ...seen } }: T,
  change: unknown,
  signal: AbortSignal,
): Promise<T> =>
  api.request<T>({
    method: 'PATCH',
    path: resourcePath(resource, { ...at(seen), subresource: 'status' }),
    contentType: 'application/merge-patch+json',
    body: { metadata: { resourceVersion }, status: change },
    signal,
  })

/** The object, or undefined if there is none. */
export async function find<T extends KubeObject>(
  api: KubeApi,
  resource: GroupVersionResource,
  where: At,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await api.request<T>({ method: 'GET', path: resourcePath(resource, at(where)), signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/**
 * Deletes an object; gone already is as good. `uid` guards against deleting a successor of the same name, `resourceVersion`
 * against deleting what changed since it was seen.
 * @throws StatusError 409 when it is not the one that was seen
 */
export async function remove(
  api: KubeApi,
  resource: GroupVersionResource,
  { uid, resourceVersion, ...where }: At & Pick<ObjectMeta, 'uid' | 'resourceVersion'>,
  signal: AbortSignal,
): Promise<void> {
  try {
    const preconditions = {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    }
    const body = uid === undefined ? {} : { preconditions }
    await api.request({ method: 'DELETE', path: resourcePath(resource, at(where)), body, signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/**
 * Deletes what Kairship made for an instance, and succeeds only when it is gone. An object of that name of
 * another owner is kept.
 */
export async function removeWhole(
  api: KubeApi,
  resource: GroupVersionResource,
  where: At,
  {
    instance,
    stage,
    signal,
  }: { readonly instance: string; readonly stage: Stage; readonly signal: AbortSignal },
): Promise<void> {
  const found = await find<KubeObject>(api, resource, where, signal)
  if (!found || !isMadeFor(found, instance)) return
  if (!found.metadata.deletionTimestamp)
    await remove(
      api,
      resource,
      { ...at(where), ...(found.metadata.uid !== undefined && { uid: found.metadata.uid }) },
      signal,
    )
  const left = await find<KubeObject>(api, resource, where, signal)
  if (!left || left.metadata.uid !== found.metadata.uid) return
  const finalizers = left.metadata.finalizers?.join(', ') || 'none'
  fail('StillThere', stage, `${left.kind} ${where.name} is being deleted; finalizers: ${finalizers}`)
}
