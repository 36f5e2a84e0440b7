import type { KubeObject } from '../../../manifests/kube.js'
import { SortBy, SortDir } from '../../../proto/gen/kairship/types_pb.js'
import type { ListQuery, Sort } from '../../objects/list-query.js'
import type { ObjectKey, Place } from '../../objects/object-type.js'
import type { PageFields } from './page-token.js'

/** The fields by which requests name a place. */
export interface PlaceFields {
  readonly instance: string
  readonly cluster?: string | undefined
}

/** The fields by which requests name an object. */
export interface KeyFields extends PlaceFields {
  readonly namespace?: string
  readonly name: string
}

/** The fields by which requests say what a list shows; whichever a request has. */
export interface FilterFields extends PlaceFields {
  readonly namespace?: string
  readonly name?: string
  readonly fuzzyName?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** The fields by which requests say which list is followed, and from where on. */
export interface WatchFields extends FilterFields {
  /** Empty to start over. */
  readonly resumeToken: string
}

/** The fields by which requests describe a list. */
export interface ListFields extends FilterFields, PageFields {
  readonly sortBy?: SortBy
  readonly sortDir?: SortDir
  /** What ListServices calls the direction. */
  readonly orderBy?: SortDir
}

/** Where a request's objects are. */
export const placeOf = ({ instance, cluster }: PlaceFields): Place => ({
  instance,
  ...(cluster !== undefined && { cluster }),
})

/** The place of a request whose member may be left out: an empty one is none, so the control plane. */
export const inCluster = <R extends { readonly cluster?: string | undefined }>({
  cluster,
  ...request
}: R) => ({
  ...request,
  ...(cluster && { cluster }),
})

/** The object that a request names. */
export const objectKeyOf = ({ namespace, name }: KeyFields): ObjectKey => ({
  name,
  ...(namespace && { namespace }),
})

/** The list that a request describes. `name` and `fuzzyName` are parts of names, both. */
export function listQueryOf<T extends KubeObject>(
  { sort = {} }: { readonly sort?: Partial<Record<SortBy, (object: T) => string>> },
  request: ListFields,
): ListQuery<T> {
  const { namespace, name, fuzzyName, labelSelector, fieldSelector, page, pageSize } = request
  return {
    page,
    pageSize,
    ...(namespace && { namespace }),
    ...(labelSelector && { labelSelector }),
    ...(fieldSelector && { fieldSelector }),
    nameContains: [name, fuzzyName].filter((part): part is string => !!part),
    ...sortOf(sort, request),
  }
}

/** The direction counts only beside a key: its zero value would turn every list around. */
function sortOf<T extends KubeObject>(
  keys: Partial<Record<SortBy, (object: T) => string>>,
  { sortBy = SortBy.SORT_BY_UNSPECIFIED, sortDir, orderBy = sortDir }: ListFields,
): { sort?: Sort<T> } {
  if (sortBy === SortBy.SORT_BY_UNSPECIFIED) return {}
  return { sort: { key: keys[sortBy] ?? COMMON[sortBy] ?? 'name', descending: orderBy !== SortDir.asc } }
}

const COMMON: Partial<Record<SortBy, 'namespace' | 'createdAt'>> = {
  [SortBy.namespace]: 'namespace',
  [SortBy.created_at]: 'createdAt',
}
