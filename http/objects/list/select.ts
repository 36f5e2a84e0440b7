import type { KubeObject } from '../../../manifests/kube.js'
import { compareTexts } from '../../../ports/compare-texts.js'
import type { Order } from '../cursor.js'
import type { ListQuery, Sort, SortColumn } from '../list-query.js'
import { type Page, pageOf } from '../paging.js'

/** What is sorted and counted here at most: as many objects, and as many bytes. */
export const MOST_OBJECTS = 10_000
export const MOST_BYTES = 64 << 20

/** Whether an object is among those that are wanted, as far as its selectors do not say it. */
export function selects<T extends KubeObject>({
  names,
  nameContains = [],
  ownerUid,
  where,
}: Pick<ListQuery<T>, 'names' | 'nameContains' | 'ownerUid' | 'where'>): (object: T) => boolean {
  const wanted = names && names.length > 0 ? new Set(names) : undefined
  return object => {
    const { name, ownerReferences = [] } = object.metadata
    return (
      (!wanted || wanted.has(name)) &&
      nameContains.every(part => name.includes(part)) &&
      (!ownerUid || ownerReferences.some(({ uid, controller }) => controller && uid === ownerUid)) &&
      (!where || where(object))
    )
  }
}

/** Sorts objects and cuts out the page. @throws Failure INVALID_ARGUMENT for a page that is none */
export const pageOfObjects = <T extends KubeObject>(objects: readonly T[], query: ListQuery<T>): Page<T> =>
  pageOf([...objects].sort(comparison(query.sort ?? BY_NAME)), query, orderOf(query.sort ?? BY_NAME))

/** The order of lists that ask for none. */
export const BY_NAME = { key: 'name', descending: false } as const satisfies Sort

/** A total order: no two objects of a type have the same namespace and name. */
export function comparison<T extends KubeObject>({ key, descending }: Sort<T>): (a: T, b: T) => number {
  const read = typeof key === 'function' ? key : KEYS[key]
  const sign = descending ? -1 : 1
  return (a, b) =>
    sign * compareTexts(read(a), read(b)) ||
    compareTexts(KEYS.namespace(a), KEYS.namespace(b)) ||
    compareTexts(KEYS.name(a), KEYS.name(b))
}

/** The same order by its keys. */
export function orderOf<T extends KubeObject>({ key, descending }: Sort<T>): Order<T> {
  const read = typeof key === 'function' ? key : KEYS[key]
  return {
    keysOf: object => [read(object), KEYS.namespace(object), KEYS.name(object)],
    descending: descending ? 1 : 0,
  }
}

const KEYS: Readonly<Record<SortColumn, (object: KubeObject) => string>> = {
  name: ({ metadata }) => metadata.name,
  namespace: ({ metadata }) => metadata.namespace ?? '',
  // RFC 3339 in UTC and whole seconds, as API servers write it, sorts as text.
  createdAt: ({ metadata }) => metadata.creationTimestamp ?? '',
}
