import type { ClusterProviderSummary, ObjectMeta } from '../../proto/gen/kairship/types_pb.js'
import type { ObjectType } from '../kube/object.js'
import { ofAnyLength, ofVersions } from '../live/long-list.js'
import type { Source } from '../live/source.js'
import type { ListSearch } from '../tables/list-search.js'
import type { objectsEn } from '../words/objects.js'

/** What is asked for: an instance's objects whose name contains a text, or one of them. */
export interface Wanted extends ListSearch {
  readonly instance: string
  /** Only of this namespace. */
  readonly namespace?: string
  /** Only this one. */
  readonly only?: string
}

/** An object as lists show it, whatever its kind. */
export interface ObjectRow {
  readonly metadata:
    | (Pick<ObjectMeta, 'name' | 'namespace' | 'uid' | 'creationTimestamp' | 'labels'> &
        Partial<Pick<ObjectMeta, 'resourceVersion'>>)
    | undefined
  /** Where it is placed; absent where its list does not say. */
  readonly clusters?: readonly ClusterProviderSummary[]
  /** What its kind shows beside, in the order of the kind's facts. */
  readonly facts: readonly string[]
}

/** What the facts of a kind are called: the entries of `facts` in words/objects.ts. */
export type Fact = keyof typeof objectsEn.facts

/** A kind of objects: where they are found, what a list shows of them, and what a new one begins with. */
export interface ObjectKind {
  readonly type: ObjectType
  readonly source: (wanted: Wanted) => Source<ObjectRow>
  readonly facts: readonly Fact[]
  /** A manifest to begin with. */
  readonly sketch: (namespace: string) => string
  /** Its values are loaded only when the reader asks for them. */
  readonly isSecret?: boolean
  /** Karmada does not propagate it, or places it by itself. */
  readonly isPlaced: boolean
}

/** The objects of a kind, live however many there are; Secrets up to as many as a Watch follows. */
export const objectsOf = (kind: ObjectKind, wanted: Wanted): Source<ObjectRow> =>
  kind.isSecret ? ofVersions(kind.source(wanted)) : ofAnyLength(kind.source(wanted), kind.type, wanted)

export const rowKey = ({ metadata }: ObjectRow): string => `${metadata?.namespace}/${metadata?.name}`
