import type { KubeObject } from '../../../manifests/kube.js'
import type { Call } from '../../call/call.js'
import type { ObjectType } from '../../objects/object-type.js'
import type { Objects } from '../../objects/objects.js'
import { inField } from './in-field.js'
import { dataOf, type Kind } from './kind-handlers.js'
import { type KeyFields, objectKeyOf, placeOf } from './request-fields.js'

/** Changes some fields of an object, and returns the message of the object that was stored. */
export async function mergePatched<T extends KubeObject, M, E>(
  objects: Objects,
  kind: Kind<T, M, E>,
  request: KeyFields,
  call: Call,
  body: object,
): Promise<M> {
  const place = placeOf(request)
  const patch = { type: 'application/merge-patch+json', body } as const
  const stored = await objects.patch<T>(call, place, kind.type, objectKeyOf(request), patch)
  const extraOf = await kind.extras?.(objects, call, place, [stored])
  return kind.message(stored, place, extraOf?.(stored) as E)
}

/** Changes some fields of an object, and returns the whole object that was stored as JSON. */
export async function mergePatchedJson(
  objects: Objects,
  { type }: { readonly type: ObjectType },
  request: KeyFields,
  call: Call,
  body: object,
): Promise<{ data: string }> {
  const patch = { type: 'application/merge-patch+json', body } as const
  const key = objectKeyOf(request)
  return dataOf(await inField('data', objects.patch<KubeObject>(call, placeOf(request), type, key, patch)))
}
