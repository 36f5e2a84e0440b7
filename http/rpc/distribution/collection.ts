import type { KubeObject } from '../../../manifests/kube.js'
import { isForbidden, isNotFound } from '../../../manifests/status-error.js'
import type { ListMark } from '../../objects/list-mark.js'
import type { ObjectEvent } from '../../objects/objects.js'
import { keyOfObject } from './binding-of.js'

/** What a change of a collection leaves to be judged anew; neither where nothing is. */
export interface Judged<T> {
  /** All of them: any may have changed. */
  readonly items?: ReadonlyMap<string, T>
  /** The one object that has changed. */
  readonly changed?: T
}

/** The objects of a followed list that completes another. */
export class Collection<T extends KubeObject> {
  /** By `keyOfObject`; undefined where the caller may not read them, or the type is not served. */
  items: Map<string, T> | undefined
  /** The state of `items`; null where there are none. */
  mark: ListMark | null = null
  #coming = new Map<string, T>()
  #isWhole = false
  #isKnown = false

  constructor(readonly source: AsyncGenerator<ObjectEvent<T>, void>) {}

  /** Reads until the list is whole. @throws what the source throws, unless the caller may not read it or it is not served */
  async start(): Promise<void> {
    try {
      while (!this.#isWhole) {
        const { value, done } = await this.source.next()
        if (done) return
        this.#isKnown = value.known ?? false
        this.fold(value)
      }
    } catch (error) {
      if (!isForbidden(error) && !isNotFound(error)) throw error
      this.items = undefined
    }
  }

  /** Whether the collection has started at this mark, or is unreadable where there was none. */
  isAt(mark: ListMark | null | undefined): boolean {
    return mark ? this.#isKnown && this.items !== undefined : mark === null && this.items === undefined
  }

  /** Whether a stream can go on after the present state. */
  get isMarked(): boolean {
    return this.items === undefined || this.mark !== null
  }

  /** The events after the start; none of an unreadable one. */
  async *rest(): AsyncGenerator<ObjectEvent<T>, void> {
    if (this.items) yield* this.source
  }

  /** Takes an event. While a list that starts over is not whole, `items` are those before. */
  fold(event: ObjectEvent<T>): Judged<T> {
    if (!('object' in event)) return event.type === 'RESET' ? this.#startOver() : this.#whole(event.mark)
    const { type, object } = event
    if (type === 'ADDED' || type === 'MODIFIED') this.#coming.set(keyOfObject(object), object)
    else this.#coming.delete(keyOfObject(object))
    if (!this.#isWhole) return {}
    this.mark = event.mark ?? null
    return { items: this.#coming, changed: object }
  }

  #startOver(): Judged<T> {
    this.#coming = new Map()
    this.#isWhole = false
    return {}
  }

  #whole(mark: ListMark | undefined): Judged<T> {
    this.mark = mark ?? null
    if (this.#isWhole) return {}
    this.#isWhole = true
    this.items = this.#coming
    return { items: this.items }
  }
}
