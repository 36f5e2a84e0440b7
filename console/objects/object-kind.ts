import type { ClusterProviderSummary, ObjectMeta } from '../../proto/gen/kairship/types_pb.js'
import type { ObjectType } from '../kube/object.js'
import { ofAnyLength, ofVersions } from '../live/long-list.js'
import type { Source } from '../live/source.js'
import type { ListSearch } from '../tables/list-search.js'
import type { objectsEn } from '../words/objects.js'

/** A query for an instance's objects whose name contains a text, or for one object. */
export interface ObjectQuery extends ListSearch {
  readonly instance: string
  /** Only of this namespace. */
  readonly namespace?: string
  /** Only the object of this name. */
  readonly only?: string
}

/** The field selector of a query for one object; empty for other queries. */
export const nameSelector = ({ only: name }: Pick<ObjectQuery, 'only'>) =>
  name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }

/** An object of any kind, as lists show it. */
export interface ObjectRow {
  readonly metadata:
    | (Pick<ObjectMeta, 'name' | 'namespace' | 'uid' | 'creationTimestamp' | 'labels'> &
        Partial<Pick<ObjectMeta, 'resourceVersion'>>)
    | undefined
  /** Its clusters; absent where the list does not have them. */
  readonly clusters?: readonly ClusterProviderSummary[]
  /** Further cells, in the order of the kind's `facts`. */
  readonly facts: readonly string[]
}

/** The names of facts: the entries of `facts` in words/objects.ts. */
export type Fact = keyof typeof objectsEn.facts

/** A kind of objects: its source, its columns, and a sketch of a new object. */
export interface ObjectKind {
  readonly type: ObjectType
  readonly source: (wanted: ObjectQuery) => Source<ObjectRow>
  readonly facts: readonly Fact[]
  /** The first text of a new object. */
  readonly sketch: (namespace: string) => string
  /** Its values are loaded only when the user asks for them. */
  readonly isSecret?: boolean
  /** False where Karmada does not propagate it, or places it by itself. */
  readonly isPlaced: boolean
}

/** The objects of a kind, live also in a list that is too long for a Watch. Secrets are live only up to the length that a Watch follows. */
export const objectsOf = (kind: ObjectKind, wanted: ObjectQuery): Source<ObjectRow> =>
  kind.isSecret ? ofVersions(kind.source(wanted)) : ofAnyLength(kind.source(wanted), kind.type, wanted)

export const rowKey = ({ metadata }: ObjectRow): string => `${metadata?.namespace}/${metadata?.name}`
