import type { KubeObject } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'

/**
 * Whether an object could be created now: everything is checked and nothing is stored. Where a webhook of the instance cannot be
 * tried dry, nothing is known, and that is no refusal.
 * @throws what refuses the object
 */
export async function dryRun(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  type: ObjectType,
  object: KubeObject,
): Promise<void> {
  try {
    await objects.create(call, place, type, object, { dryRun: true })
  } catch (error) {
    // The words of kube-apiserver, which gives it no reason of its own (`webhookerrors.NewDryRunUnsupportedErr`).
    if (!(error instanceof StatusError && error.message.includes('does not support dry run'))) throw error
  }
}
