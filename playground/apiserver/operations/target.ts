import type { JsonObject } from '../../apimachinery/json.js'
import { apiVersionOf, type ResourceDefinition } from '../../apimachinery/resource-definition.js'
import type { User } from '../access/user.js'
import type { QualifiedResource } from '../api-status.js'
import type { ServedType } from '../catalogue/catalogue.js'
import { convertEvent, EVENTS } from '../catalogue/event-conversion.js'
import type { Cluster } from '../cluster.js'
import type { Collection } from '../store/collection.js'
import type { StoredObject } from '../store/stored-object.js'

/** What an operation works on: a served type in one logical cluster, and where in it. */
export interface Target {
  readonly cluster: Cluster
  readonly type: ServedType
  readonly definition: ResourceDefinition
  readonly collection: Collection
  /** How errors name the type. */
  readonly qualified: QualifiedResource
  /** '' for cluster-scoped types and for all namespaces. */
  readonly namespace: string
  /** '' for the whole collection. */
  readonly name: string
  /** '', `status`, `scale`, … */
  readonly subresource: string
}

export function targetOf(
  cluster: Cluster,
  type: ServedType,
  at: { readonly namespace?: string; readonly name?: string; readonly subresource?: string } = {},
): Target {
  const { definition } = type
  return {
    cluster,
    type,
    definition,
    collection: cluster.collection(type.collection),
    qualified: { group: definition.group, resource: definition.plural },
    namespace: definition.namespaced ? (at.namespace ?? '') : '',
    name: at.name ?? '',
    subresource: at.subresource ?? '',
  }
}

/** The key of an object in its collection. */
export const keyOf = (namespace: string, name: string): string =>
  namespace === '' ? name : `${namespace}/${name}`

/** The options of every write besides its body (meta/v1 CreateOptions, UpdateOptions, PatchOptions). */
export interface WriteOptions {
  readonly user: User
  readonly dryRun: boolean
  readonly fieldManager: string
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore'
  /** Takes fields over from other managers; server-side apply only. */
  readonly force: boolean
  /** Receives sentences for `Warning` headers. */
  readonly warn: (sentence: string) => void
}

/** What a read or write answers with: an object in the requested version, and the stored one if it is that very one. */
export interface Answer {
  readonly code: number
  readonly object: JsonObject
  readonly stored?: StoredObject
}

/** A stored object in the version that was requested. Conversion between versions is None: only apiVersion differs. */
export function inVersion(type: ServedType, object: JsonObject): JsonObject {
  return converted(type, object, apiVersionOf(type.definition))
}

/** The object as it is stored. */
export function inStorageVersion(type: ServedType, object: JsonObject): JsonObject {
  return converted(type, object, type.storageApiVersion)
}

function converted(type: ServedType, object: JsonObject, apiVersion: string): JsonObject {
  if (object.apiVersion === apiVersion) return object
  return type.collection === EVENTS ? convertEvent(object, apiVersion) : { ...object, apiVersion }
}

export function answerWith(type: ServedType, code: number, stored: StoredObject): Answer {
  const object = inVersion(type, stored.object)
  return object === stored.object ? { code, object, stored } : { code, object }
}
