import { isWhole } from './numbers.js'

/** A value of Lua. Strings are bytes, a character each; nil is undefined. */
export type Value = undefined | boolean | number | string | LuaTable | LuaFunction

/** A function: of a script, or of a library. */
export interface LuaFunction {
  /** @param name what the caller calls it, for messages */
  readonly call: (args: readonly Value[], name: string) => Results
}

/** What a function returns: values, or another call that takes its place. */
export type Results = readonly Value[] | TailCall

/** `return f(…)`: the calling function is done, and takes no place on the stack. */
export class TailCall {
  constructor(
    readonly callee: LuaFunction,
    readonly args: readonly Value[],
    readonly name: string,
  ) {}
}

/** A script used up what it may use; it cannot catch this. */
export class LuaLimitError extends Error {
  override readonly name = 'LuaLimitError'
}

/** Keys below it, from 1 on, are in the list of a table. */
const MAX_LIST_KEY = 67_108_864
/** As many gaps as a list may have at its end, when a key far behind it is set: each takes memory. */
const MOST_GAPS = 4_000_000

/**
 * A table as Karmada's Lua keeps it: a list for keys from 1 on, with gaps, and entries in the order in which they were made. What `#`,
 * `next` and `table.insert` do with gaps follows from that.
 */
export class LuaTable {
  readonly list: Value[] = []
  #entries: Map<Value, Value> | undefined
  #keys: Value[] | undefined
  #positions: Map<Value, number> | undefined

  get(key: Value): Value {
    return isListKey(key) ? this.list[key - 1] : this.#entries?.get(key)
  }

  /** @param key neither nil nor NaN */
  set(key: Value, value: Value): void {
    if (isListKey(key)) {
      if (key - 1 - this.list.length > MOST_GAPS) throw new LuaLimitError('out of memory')
      while (this.list.length < key - 1) this.list.push(undefined)
      this.list[key - 1] = value
      return
    }
    if (value === undefined && !this.#entries?.has(key)) return
    this.#entries ??= new Map()
    if (!this.#entries.has(key)) {
      this.#keys = undefined
      this.#positions = undefined
    }
    // The key stays, so that a loop that clears entries goes on behind it.
    this.#entries.set(key, value)
  }

  /** What `#` says: up to the last value of the list. */
  get length(): number {
    let length = this.list.length
    while (length > 0 && this.list[length - 1] === undefined) length--
    return length
  }

  /** Puts a value at the end of the list; nil changes nothing. */
  append(value: Value): void {
    if (value === undefined) return
    const { list, length } = this
    list[length] = value
  }

  /** Puts a value before the one at a position. */
  insert(position: number, value: Value): void {
    if (position > this.list.length || position <= 0) this.set(position, value)
    else this.list.splice(position - 1, 0, value)
  }

  /** Takes the value at a position out of the list; the last one where the position is below 1. */
  remove(position: number): Value {
    const { list } = this
    const index = position - 1
    if (index >= list.length) return undefined
    if (index < 0) return list.pop()
    return list.splice(index, 1)[0]
  }

  /** The key and value that follow a key; the first ones for nil. Undefined at the end. */
  next(key: Value): readonly [Value, Value] | undefined {
    const isInList =
      key === undefined || (typeof key === 'number' && isWhole(key) && key >= 0 && key < MAX_LIST_KEY)
    if (isInList)
      for (let index = (key as number | undefined) ?? 0; index < this.list.length; index++)
        if (this.list[index] !== undefined) return [index + 1, this.list[index]]
    if (!this.#entries) return undefined
    this.#keys ??= [...this.#entries.keys()]
    this.#positions ??= new Map(this.#keys.map((one, position) => [one, position]))
    for (let at = (this.#positions.get(key) ?? -1) + 1; at < this.#keys.length; at++) {
      const value = this.#entries.get(this.#keys[at])
      if (value !== undefined) return [this.#keys[at], value]
    }
    return undefined
  }
}

const isListKey = (key: Value): key is number =>
  typeof key === 'number' && Number.isInteger(key) && key > 0 && key < MAX_LIST_KEY
