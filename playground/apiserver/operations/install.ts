import { randomUUID } from 'node:crypto'
import { type JsonObject, objectAt, stringAt } from '../../apimachinery/json.js'
import { timestamp } from '../../objects/timestamp.js'
import type { Cluster } from '../cluster.js'
import { keyOf } from './target.js'

/**
 * Stores an object of the control plane's own unless it is there. Such objects are known to be right, so they go past
 * admission, validation and the books of ownership: a thousand clusters start in one process.
 */
export async function install(cluster: Cluster, collection: string, object: JsonObject): Promise<void> {
  const { name, namespace, ...metadata } = objectAt(object, 'metadata')
  const key = keyOf(stringAt(object, 'metadata', 'namespace'), stringAt(object, 'metadata', 'name'))
  await cluster.store.write(cluster.collection(collection), key, current =>
    current
      ? undefined
      : {
          put: {
            ...object,
            metadata: {
              name: name as string,
              ...(namespace === undefined ? {} : { namespace }),
              uid: randomUUID(),
              creationTimestamp: timestamp(cluster.now()),
              ...metadata,
            },
          },
        },
  )
}
