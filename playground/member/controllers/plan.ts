import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'

/** One write that a controller wants. */
export type Change =
  | {
      readonly create: GroupVersionResource
      readonly object: KubeObject
      /** What to say of it once it has its name. */
      readonly noted?: (made: KubeObject) => Note
    }
  /** The whole new object, with the resourceVersion that it was read at. */
  | { readonly update: GroupVersionResource; readonly object: KubeObject }
  | { readonly remove: GroupVersionResource; readonly object: KubeObject }
  /** Puts a pod on a node. */
  | { readonly bind: KubeObject; readonly node: string }

/** What an Event says of the object that is reconciled. */
export interface Note {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** What a controller decides about one object: data alone, so that a decision can be tested without a cluster. */
export interface Plan {
  /** In the order in which they are to be written. */
  readonly changes?: readonly Change[]
  /** The whole new status; written after the changes, if it differs. */
  readonly status?: object
  /** All annotations that the object should have; written together with the status. */
  readonly annotations?: Readonly<Record<string, string>>
  readonly notes?: readonly Note[]
  /** Look again after so many milliseconds, although nothing may have changed. */
  readonly again?: number
}

/** What a cluster holds at one moment. */
export interface World {
  /** Milliseconds since the epoch. */
  readonly now: number
  all<T extends KubeObject>(type: GroupVersionResource): readonly T[]
  /** @param key `namespace/name`, or the name of a cluster-scoped object */
  get<T extends KubeObject>(type: GroupVersionResource, key: string): T | undefined
  /** The objects of a type that `owner` controls. */
  owned<T extends KubeObject>(type: GroupVersionResource, owner: KubeObject): readonly T[]
}

/** The earlier of two moments to look again. */
export const sooner = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : other === undefined ? one : Math.min(one, other)
