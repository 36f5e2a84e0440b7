import type { JsonObject } from '../../apimachinery/json.js'
import type { Cluster } from '../cluster.js'
import { remove } from '../operations/delete.js'
import { DELETE_NOW, type DeleteOptions } from '../operations/delete-options.js'
import { INTERNAL_WRITE } from '../operations/internal-options.js'
import { quietly } from '../operations/quietly.js'
import { type Answer, type Target, targetOf } from '../operations/target.js'
import { write } from '../operations/update.js'
import type { StoredObject } from '../store/stored-object.js'

/** The target of an object in a collection that may no longer be served; undefined then. */
function targetIn(
  cluster: Cluster,
  collection: string,
  at: { readonly namespace?: string; readonly name?: string; readonly subresource?: string },
): Target | undefined {
  const type = cluster.catalogue.ofCollection(collection)
  return type && targetOf(cluster, type, at)
}

/** Changes an object; undefined when it is gone. */
export async function change(
  cluster: Cluster,
  collection: string,
  at: { readonly namespace?: string; readonly name: string; readonly subresource?: string },
  make: (current: JsonObject) => JsonObject,
): Promise<Answer | undefined> {
  const target = targetIn(cluster, collection, at)
  return target && quietly('NotFound', write(target, INTERNAL_WRITE, make))
}

/** Deletes this very object; an object of the same name that came after it stays. */
export async function removeObject(
  cluster: Cluster,
  collection: string,
  { namespace, name, uid }: StoredObject,
  options: Pick<DeleteOptions, 'propagationPolicy'> = {},
): Promise<void> {
  const target = targetIn(cluster, collection, { namespace, name })
  if (!target) return
  const deletion = remove(target, { ...DELETE_NOW, ...options, preconditions: { uid } })
  await quietly('Conflict', quietly('NotFound', deletion))
}
