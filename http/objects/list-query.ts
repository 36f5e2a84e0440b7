import type { KubeObject } from '../../manifests/kube.js'
import type { SharedIndex } from '../../ports/instance-index.js'
import type { AnsweredFrom } from '../call/answered-from.js'
import type { ObjectType } from './object-type.js'
import type { Page, PageRequest } from './paging.js'

/** What a list is to show. Every condition must hold. */
export interface ListQuery<T extends KubeObject = KubeObject> extends PageRequest {
  /** Absent or empty for all namespaces. */
  readonly namespace?: string
  /** Of a list over all namespaces, those that it is about; absent for all. */
  readonly namespaces?: readonly string[]
  /** As kubectl writes it. */
  readonly labelSelector?: string
  /** As kubectl writes it; the instance knows which fields there are. */
  readonly fieldSelector?: string
  /** Texts that the name contains, each of them; empty ones are left out. */
  readonly nameContains?: readonly string[]
  /** Only objects of these names; absent or empty for any. */
  readonly names?: readonly string[]
  /** Only objects that the owner of this uid controls. */
  readonly ownerUid?: string
  /** What only we can tell of an object, such as its state. */
  readonly where?: (object: T) => boolean
  /** Where the list is followed, called with each object before `where`: reads what `where` does not know yet. */
  readonly learn?: (object: T) => Promise<void>
  /** By name, ascending, where it is absent. */
  readonly sort?: Sort<T>
  /**
   * Where an index makes the first page, it has no more objects than this, 1 at least: who lists several instances reads them of all in one
   * list. Else it has all its objects.
   */
  readonly mostOfIndex?: number
}

/** An order of objects. Of equal ones those with the smaller namespace and then name come first, whatever the direction. */
export interface Sort<T extends KubeObject = KubeObject> {
  readonly key: SortColumn | ((object: T) => string)
  readonly descending: boolean
}

/** What objects of every type can be sorted by, here and by an index. */
export type SortColumn = 'name' | 'namespace' | 'createdAt'

/** A page of objects, and where it was read. */
export interface ObjectPage<T extends KubeObject> extends Page<T> {
  readonly answered: AnsweredFrom
  /** Where an index made the page: the list may be part of one over several instances. */
  readonly indexed?: IndexedList
}

/** A list of one instance that its index answered to a caller, and so the right to read the same again. */
export interface IndexedList {
  readonly index: SharedIndex
  readonly instance: string
  readonly type: ObjectType
  /** Absent or empty for all. */
  readonly namespace?: string
  /** What else selects objects at the index: parameters of its query. */
  readonly selection: Readonly<Record<string, string>>
}

/** An order of the objects of several instances. Of equal ones the instance, the namespace and the name decide, ascending. */
export interface AcrossOrder {
  readonly key: SortColumn | 'cluster'
  readonly descending: boolean
}

/** Which part of a list over several instances is wanted. */
export interface AcrossRequest {
  /** Those of the instances, which select the same. */
  readonly lists: readonly IndexedList[]
  readonly order: AcrossOrder
  readonly offset: number
  readonly limit: number
}

/** The part, and how many objects the whole list has. */
export interface AcrossPage<T extends KubeObject> {
  readonly items: readonly { readonly instance: string; readonly object: T }[]
  readonly total: number
}
