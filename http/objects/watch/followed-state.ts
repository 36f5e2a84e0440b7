import type { KubeObject } from '../../../manifests/kube.js'
import type { ListMark } from '../list-mark.js'
import type { ObjectEvent } from '../objects.js'

/** What became of one object of a followed list: absent where it was not, or is not any more, among those shown. */
export interface StateChange<S> {
  readonly name: string
  readonly before?: S | undefined
  readonly after?: S | undefined
  /** It is still there, and no longer matches. */
  readonly left?: true
}

/**
 * What a followed list of objects without namespaces shows, by name, for a list that is derived from it. While the followed one starts over, the
 * last whole state stays; the new one replaces it when it is whole.
 */
export class FollowedState<T extends KubeObject, S> {
  #objects = new Map<string, S>()
  /** What is being read; undefined while changes are followed. */
  #next: Map<string, S> | undefined = new Map()
  #mark: ListMark | undefined
  #isWhole = false

  /** @param keep what is kept of an object */
  constructor(private readonly keep: (object: T) => S) {}

  get objects(): ReadonlyMap<string, S> {
    return this.#objects
  }

  /** The list was read once. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** Names this state; undefined where it cannot be named. */
  get mark(): ListMark | undefined {
    return this.#mark
  }

  /** Takes a step of the list. Returns what it changes: of a list that has started over, when that is whole. */
  take(event: ObjectEvent<T>): readonly StateChange<S>[] {
    if (!('object' in event)) {
      if (event.type === 'BOOKMARK') return this.#completed(event.mark)
      this.#next = new Map()
      return []
    }
    const { name } = event.object.metadata
    const isShown = event.type === 'ADDED' || event.type === 'MODIFIED'
    const after = isShown ? this.keep(event.object) : undefined
    const objects = this.#next ?? this.#objects
    const before = objects.get(name)
    if (after === undefined) objects.delete(name)
    else objects.set(name, after)
    if (this.#next) return []
    this.#mark = event.mark
    return [{ name, before, after, ...(event.type === 'LEFT' && { left: true as const }) }]
  }

  #completed(mark: ListMark | undefined): readonly StateChange<S>[] {
    this.#mark = mark
    const next = this.#next
    if (!next) return []
    const old = this.#objects
    this.#objects = next
    this.#next = undefined
    this.#isWhole = true
    return [
      ...[...old].filter(([name]) => !next.has(name)).map(([name, before]) => ({ name, before })),
      ...[...next].map(([name, after]) => ({ name, before: old.get(name), after })),
    ]
  }
}
