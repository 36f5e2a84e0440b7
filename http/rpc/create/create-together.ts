import type { KubeObject, ObjectMeta } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { Call } from '../../call/call.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { dryRun } from '../kind/dry-run.js'
import { inFieldOf } from '../kind/in-field.js'
import { Undo } from './undo.js'

/** An object that is to be made together with others. */
export interface Planned<T extends KubeObject = KubeObject> {
  readonly type: ObjectType
  readonly object: T
  /** The request's field in which the caller sent it; absent for what Kairship makes of its own. */
  readonly field?: string
}

/**
 * Creates objects in their order: all of them, or none. All are tried dry first, so that what is refused is refused before Karmada
 * has seen any; what then fails all the same, or ends because the caller hung up, has everything before it taken back.
 * @param then a last step, which the objects do not outlive either
 * @returns the objects as they were stored, in the same order
 * @throws Failure with what could not be taken back
 */
export async function createTogether(
  objects: Objects,
  call: Call,
  place: Place,
  planned: readonly Planned[],
  then: () => Promise<unknown> = async () => undefined,
): Promise<readonly KubeObject[]> {
  await tryTogether(objects, call, place, planned)
  const undo = new Undo()
  const made: KubeObject[] = []
  try {
    for (const { type, object, field } of planned) {
      const { name, generateName } = object.metadata
      const stored = await undo.make(
        `${type.kind} ${name ?? `${generateName}…`}`,
        () => named(field, objects.create(call, place, type, object)),
        (signal, stored) => takeBack(objects, { ...call, signal }, place, type, stored ?? object.metadata),
      )
      if (stored) made.push(stored)
    }
    await then()
    return made
  } catch (error) {
    throw await undo.after(error, call)
  }
}

/** Tries objects dry, in their order: nothing is stored. @throws what refuses one of them */
export async function tryTogether(
  objects: Objects,
  call: Call,
  place: Place,
  planned: readonly Planned[],
): Promise<void> {
  for (const { type, object, field } of planned)
    await named(
      field,
      dryRun(objects, call, place, type, object).catch((error: unknown) => {
        // What it belongs to may be made before it: a namespace, the definition of its type.
        if (!isNotFound(error)) throw error
      }),
    )
}

/** Deletes what was made here, as long as it is still that; what is gone is no failure. */
export async function takeBack(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  type: ObjectType,
  { namespace, name, uid }: ObjectMeta,
): Promise<void> {
  const key = { name, ...(namespace && { namespace }) }
  try {
    await objects.remove(call, place, type, key, uid ? { uid } : {})
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

const named = <T>(field: string | undefined, written: Promise<T>): Promise<T> =>
  field === undefined ? written : inFieldOf(field, written)
