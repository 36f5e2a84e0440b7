import type { KubeObject } from '../../manifests/kube.js'
import { type GroupVersionResource, resourcePath } from '../../manifests/kube.js'
import { isAlreadyExists, isConflict, isNotFound } from '../../manifests/status-error.js'
import type { KubeApi } from '../../ports/kube-api.js'

/** Where an object is; `subresource` for its status. */
export interface Place {
  readonly namespace?: string
  readonly name: string
  readonly subresource?: string
}

/** Attempts to write an object that others write too, before giving up. */
const MAX_CONFLICTS = 5

/** The object, or undefined when there is none. */
export async function read<T extends KubeObject>(
  api: KubeApi,
  type: GroupVersionResource,
  place: Place,
): Promise<T | undefined> {
  return orUndefined(isNotFound, api.request<T>({ method: 'GET', path: resourcePath(type, place) }))
}

/** Creates the object unless its name is taken; returns what is there afterwards. */
export async function ensure<T extends KubeObject>(
  api: KubeApi,
  type: GroupVersionResource,
  object: T,
): Promise<T> {
  const { namespace, name } = object.metadata
  const at = namespace === undefined ? {} : { namespace }
  const request = { method: 'POST', path: resourcePath(type, at), body: object } as const
  const created = await orUndefined(isAlreadyExists, api.request<T>(request))
  return created ?? api.request<T>({ method: 'GET', path: resourcePath(type, { ...at, name }) })
}

/**
 * Reads, changes and writes an object, again after another client wrote in between. Writes nothing when `change` returns the
 * object it was given. Undefined when the object does not exist.
 */
export async function update<T extends KubeObject>(
  api: KubeApi,
  type: GroupVersionResource,
  place: Place,
  change: (object: T) => T | Promise<T>,
): Promise<T | undefined> {
  const { namespace, name } = place
  for (let attempt = 1; ; attempt++) {
    const object = await read<T>(api, type, { name, ...(namespace !== undefined && { namespace }) })
    if (!object) return undefined
    const next = await change(object)
    if (next === object) return object
    try {
      return await api.request<T>({ method: 'PUT', path: resourcePath(type, place), body: next })
    } catch (error) {
      if (isNotFound(error)) return undefined
      if (!isConflict(error) || attempt === MAX_CONFLICTS) throw error
    }
  }
}

/** Deletes the object; no error when it is gone already. */
export async function remove(api: KubeApi, type: GroupVersionResource, place: Place): Promise<void> {
  await orUndefined(isNotFound, api.request({ method: 'DELETE', path: resourcePath(type, place) }))
}

async function orUndefined<T>(
  isExpected: (error: unknown) => boolean,
  work: Promise<T>,
): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isExpected(error)) return undefined
    throw error
  }
}

/** With the finalizer; the same object when it has it. */
export const withFinalizer = <T extends KubeObject>(object: T, finalizer: string): T => {
  const finalizers = object.metadata.finalizers ?? []
  if (finalizers.includes(finalizer)) return object
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } }
}

/** Without the finalizer; the same object when it has it not. */
export const withoutFinalizer = <T extends KubeObject>(object: T, finalizer: string): T => {
  const finalizers = object.metadata.finalizers ?? []
  if (!finalizers.includes(finalizer)) return object
  return {
    ...object,
    metadata: { ...object.metadata, finalizers: finalizers.filter(one => one !== finalizer) },
  }
}
