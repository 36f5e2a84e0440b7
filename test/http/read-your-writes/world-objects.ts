import type { ObjectSource } from '../../../http/read-your-writes/catch-up.js'
import type { WrittenType } from '../../../http/read-your-writes/expected-write.js'
import type { ShownItem } from '../../../http/read-your-writes/shown-list.js'
import { type Kind, keyOf, SHIPS, types } from './world-types.js'

/** The longest that anything takes to be shown by an index that does not say how far it is. */
const LONGEST_DELAY_MS = 3_000

/** What an object was from one version to the next. */
export interface State {
  /** The version at which the object became so. */
  readonly at: number
  readonly time: number
  readonly item: ShownItem | undefined
}

/** The objects of an instance in every state that they ever had, and which of these states its index has taken in. */
export class WorldObjects {
  clock = 1_000_000
  version = 7
  readonly history = new Map<string, State[]>()
  /** The version up to which an ordered index shows everything; undefined while it has not listed. */
  cursor: number | undefined = 7
  /** How many states of each object the index has taken in. */
  readonly #taken = new Map<string, number>()

  constructor(readonly kind: Kind) {
    for (const [type, name] of [
      ['namespaces', 'a'],
      ['namespaces', 'b'],
      ['definitions', SHIPS],
    ] as const) {
      const key = keyOf(types[type], '', name)
      const item = { namespace: '', name, uid: `uid-${name}`, resourceVersion: '5', deleting: false }
      this.history.set(key, [{ at: 5, time: 0, item }])
      this.#taken.set(key, 1)
    }
  }

  /** Whether an index that does not say how far it is has taken in what was written at this time. */
  hasCaughtUp(time: number): boolean {
    return this.kind === 'unordered' && this.clock - time >= LONGEST_DELAY_MS
  }

  /** Time passes. By what is known of an unordered index's delays, no object waits for longer than they are. */
  pass(milliseconds: number): void {
    this.clock += milliseconds
    if (this.kind === 'unordered')
      for (const [key, states] of this.history) {
        const old = states.filter(({ time }) => time <= this.clock - LONGEST_DELAY_MS).length
        this.#taken.set(key, Math.max(old, this.#taken.get(key) ?? 0))
      }
  }

  /** The index takes in the next change, or one object's next or latest. */
  advance(which: number): void {
    if (this.kind === 'unordered') {
      const keys = [...this.history.keys()]
      const key = keys[which % Math.max(1, keys.length)]
      const states = (key !== undefined && this.history.get(key)) || []
      const taken = this.#taken.get(key ?? '') ?? 0
      // Its next state or, where several wait, its last.
      if (key !== undefined && taken < states.length)
        this.#taken.set(key, which % 2 === 0 ? taken + 1 : states.length)
      return
    }
    if (this.cursor === undefined) return
    const next = [...this.history]
      .flatMap(([key, states]) => states.map((state, at) => ({ key, at, state })))
      .filter(({ state }) => state.at > (this.cursor ?? 0))
      .sort((a, b) => a.state.at - b.state.at)[0]
    if (!next) return
    this.#taken.set(next.key, next.at + 1)
    this.cursor = next.state.at
  }

  /** An ordered index starts again with nothing, and lists later; the other keeps what it has and takes everything in. */
  restart(): void {
    if (this.kind === 'ordered') {
      this.#taken.clear()
      this.cursor = undefined
    } else this.#takeAll()
  }

  relist(): void {
    if (this.kind !== 'ordered' || this.cursor !== undefined) return
    this.#takeAll()
    this.cursor = this.version
  }

  /** The newest state of an object. */
  now(key: string): State {
    return this.history.get(key)?.at(-1) ?? { at: 0, time: 0, item: undefined }
  }

  /** The state that the index shows. */
  shown(key: string): State {
    const taken = this.#taken.get(key) ?? 0
    return this.history.get(key)?.[taken - 1] ?? { at: 0, time: 0, item: undefined }
  }

  #takeAll(): void {
    for (const [key, states] of this.history) this.#taken.set(key, states.length)
  }

  /** The keys of the objects that a list selects. */
  places(of: WrittenType, where: Parameters<ObjectSource['list']>[1]): Set<string> {
    const keys = [...this.history.keys()].filter(key => key.startsWith(`${of.resource} `))
    if (where.names) {
      const names = new Set(where.names.map(({ name }) => name))
      return new Set(keys.filter(key => names.has(key.slice(key.lastIndexOf('/') + 1))))
    }
    const inside = where.namespace && `${of.resource} ${where.namespace}/`
    return new Set(keys.filter(key => !inside || key.startsWith(inside)))
  }

  /** Whether the instance serves a type now. */
  isServed({ resource }: WrittenType): boolean {
    return resource !== 'ships' || this.now(keyOf(types.definitions, '', SHIPS)).item !== undefined
  }

  /** An object becomes another at the newest version, or is gone. */
  push(key: string, item: ShownItem | undefined): void {
    const states = this.history.get(key) ?? []
    this.history.set(key, states)
    states.push({ at: this.version, time: this.clock, item })
  }

  /** Nothing is made in a namespace that is not there or on its way out, nor of a type on its way out. */
  isClosed({ resource }: WrittenType, namespace: string): boolean {
    const inside = namespace === '' ? undefined : this.now(keyOf(types.namespaces, '', namespace)).item
    if (namespace !== '' && (!inside || inside.deleting)) return true
    return resource === 'ships' && this.now(keyOf(types.definitions, '', SHIPS)).item?.deleting === true
  }
}
