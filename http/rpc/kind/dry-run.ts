import type { KubeObject } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'

/**
 * The answer of a request that only checks. Where a webhook cannot be tried dry, nothing is known, and that is no refusal: the answer is
 * undefined.
 * @throws what refuses the request
 */
export async function tried<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    // The words of kube-apiserver, which gives it no reason of its own (`webhookerrors.NewDryRunUnsupportedErr`).
    if (error instanceof StatusError && error.message.includes('does not support dry run')) return undefined
    throw error
  }
}

/**
 * Whether an object could be created now: everything is checked and nothing is stored.
 * @throws what refuses the object
 */
export async function dryRun(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  type: ObjectType,
  object: KubeObject,
): Promise<void> {
  await tried(objects.create(call, place, type, object, { dryRun: true }))
}
