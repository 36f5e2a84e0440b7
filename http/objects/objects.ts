import type { GroupVersionResource, KubeObject } from '../../manifests/kube.js'
import type { PatchType } from '../../ports/kube-api.js'
import type { Call } from '../call/call.js'
import type { ListMark } from './list-mark.js'
import type { AcrossPage, AcrossRequest, ListQuery, ObjectPage } from './list-query.js'
import type { ObjectKey, ObjectType, Place, Subresource } from './object-type.js'

/** The part of a call that a request to an instance needs. */
export type ObjectCall = Pick<Call, 'caller' | 'signal' | 'answered' | 'answers'> &
  Partial<Pick<Call, 'requestId'>>

/** How a PATCH changes an object. */
export interface Patch {
  readonly type: PatchType
  readonly body: unknown
  /** Absent for the object itself. */
  readonly subresource?: Subresource
  /** Everything is checked and nothing is stored. */
  readonly dryRun?: boolean
}

/** Which part of a container's log is read. */
export interface LogQuery {
  readonly container: string
  readonly follow?: boolean
  readonly previous?: boolean
  readonly tailLines?: number
  readonly sinceSeconds?: number
  /** RFC 3339. */
  readonly sinceTime?: string
}

/** How an object is created or replaced. */
export interface WriteOptions {
  /** Everything is checked and nothing is stored. */
  readonly dryRun?: boolean
}

/** Preconditions of a deletion, and what becomes of the objects that belong to the deleted one. */
export interface RemoveOptions {
  readonly resourceVersion?: string
  readonly uid?: string
  /** Background unless something else is given, as kubectl does it. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  /** Everything is checked and nothing is deleted. */
  readonly dryRun?: boolean
}

/**
 * The objects of instances and of their members, as a caller may see and change them: every request is made as the caller,
 * and passes the limits, circuits and the ledger of writes that a request to the proxy passes.
 *
 * All of it throws a Failure or a StatusError: the instance's own refusal, INVALID_ARGUMENT for a name that is none,
 * NOT_FOUND and UNAVAILABLE for an instance that is not there or cannot be reached, RESOURCE_EXHAUSTED at the limits, and the
 * reason of the call's signal when that aborts. Nothing is ever sent twice, but reads.
 */
export interface Objects {
  /** Which type a kind is there, by discovery. @throws Failure INVALID_ARGUMENT for what the instance does not serve */
  typeOf(call: ObjectCall, place: Place, apiVersion: string, kind: string): Promise<ObjectType>
  /** The same of a resource. */
  typeOfResource(call: ObjectCall, place: Place, resource: GroupVersionResource): Promise<ObjectType>
  get<T extends KubeObject>(call: ObjectCall, place: Place, type: ObjectType, key: ObjectKey): Promise<T>
  /** One page of what matches, with how many match. */
  list<T extends KubeObject>(
    call: ObjectCall,
    place: Place,
    type: ObjectType,
    query: ListQuery<T>,
  ): Promise<ObjectPage<T>>
  /**
   * Part of one list over several instances, from the index that they share; undefined where they share none, or it did not answer with
   * exactly such a list.
   */
  listAcross<T extends KubeObject>(
    call: ObjectCall,
    request: AcrossRequest,
  ): Promise<AcrossPage<T> | undefined>
  /** Creates an object in the namespace of its metadata, and returns it as it was stored. */
  create<T extends KubeObject>(
    call: ObjectCall,
    place: Place,
    type: ObjectType,
    object: T,
    options?: WriteOptions,
  ): Promise<T>
  /**
   * Replaces an object by another whole one. Its `metadata.resourceVersion` is a precondition; without one the newest object
   * is replaced, whatever it is.
   */
  update<T extends KubeObject>(
    call: ObjectCall,
    place: Place,
    type: ObjectType,
    object: T,
    options?: WriteOptions,
  ): Promise<T>
  /** Of a `scale` the answer is the Scale. */
  patch<T extends KubeObject>(
    call: ObjectCall,
    place: Place,
    type: ObjectType,
    key: ObjectKey,
    patch: Patch,
  ): Promise<T>
  /** Deletes one object; never more. */
  remove(
    call: ObjectCall,
    place: Place,
    type: ObjectType,
    key: ObjectKey,
    options?: RemoveOptions,
  ): Promise<void>
  /**
   * The bytes of a container's log, each line with its time before it. Read as they are wanted: the member is held back meanwhile.
   * Ends with the call's signal, whose reason it throws.
   */
  log(call: ObjectCall, place: Place, pod: ObjectKey, query: LogQuery): AsyncIterable<Uint8Array>
  /**
   * Follows the list of a query; pages do not count. Ends with the call's signal, whose reason it throws.
   * @param since the mark of an earlier event of the same list, to go on after
   */
  watch<T extends KubeObject>(
    call: ObjectCall,
    place: Place,
    type: ObjectType,
    query: ListQuery<T>,
    since?: ListMark,
  ): AsyncIterable<ObjectEvent<T>>
  /**
   * Follows what changes in the list of a query from now on, whatever its length: RESET and BOOKMARK come at the start, and again where changes
   * may have been missed. Totals are 0 and there are no marks; DELETED may mean that a selector no longer selects the object. It ends as
   * `watch` does.
   */
  changes<T extends KubeObject>(
    call: ObjectCall,
    place: Place,
    type: ObjectType,
    query: ChangesQuery,
  ): AsyncIterable<ObjectEvent<T>>
}

/** By what a list is chosen whose changes are followed. */
export type ChangesQuery = Pick<ListQuery, 'namespace' | 'labelSelector' | 'fieldSelector' | 'nameContains'>

/** One step of a list that is followed. */
export type ObjectEvent<T extends KubeObject> = ListStep<T> & {
  /** The state after the step; absent until the first BOOKMARK after a RESET, and where the instance's versions are no numbers. */
  readonly mark?: ListMark
  /** The reader who goes on after a mark has received it, or what amounts to it, before. */
  readonly known?: true
}

/** What a step does to the list, with how many objects match after it. */
export type ListStep<T extends KubeObject> =
  /** RESET: forget all so far, what follows up to the BOOKMARK is all there is. A BOOKMARK may come again. */
  | { readonly type: 'RESET' | 'BOOKMARK'; readonly total: number }
  /** LEFT: it is still there, and no longer matches. */
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'LEFT'
      readonly object: T
      readonly total: number
    }
