import { SOURCE } from './syntax.js'
import { type LuaFunction, LuaLimitError, LuaTable, TailCall, type Value } from './table.js'
import { isFunction, LuaError, typeName } from './value.js'

/** As many steps as a script may take: some tenths of a second. Karmada ends a script after one second. */
const MOST_STEPS = 3_000_000
/** Functions that may be under way at once. */
const MOST_CALLS = 250

/** What a script that runs has: its variables, where it is, and what it may still use. */
export class LuaState {
  readonly globals = new LuaTable()
  /** The functions of strings: `("a"):upper()`. */
  strings: LuaTable | undefined
  /** The line that is being executed. */
  line = 0
  /** Lines from which the functions were called that are under way. */
  readonly #callers: number[] = []
  #steps: number

  /**
   * @param now seconds since 1970
   * @param steps that the script may take
   */
  constructor(
    readonly now: () => number,
    steps = MOST_STEPS,
  ) {
    this.#steps = steps
  }

  /** Counts what a script does. @throws LuaLimitError when it has done too much */
  spend(steps = 1): void {
    this.#steps -= steps
    if (this.#steps < 0) throw new LuaLimitError(`${this.where()} context deadline exceeded`)
  }

  /** `<string>:3:`. @param level 3 and more: where the functions around were called */
  where(level = 1): string {
    const line = level < 3 ? this.line : this.#callers.at(2 - level)
    return line === undefined ? '' : `${SOURCE}:${line}:`
  }

  /** An error with the place where it happened. */
  error(message: string): LuaError {
    return new LuaError(`${this.where()} ${message}`)
  }

  /** A function's results. @param name what the caller calls it */
  call(callee: Value, args: readonly Value[], name = '(anonymous)'): readonly Value[] {
    if (!isFunction(callee)) throw this.error('attempt to call a non-function object')
    if (this.#callers.length >= MOST_CALLS) throw this.error('stack overflow')
    const { line } = this
    const depth = this.#callers.push(line)
    try {
      let results = callee.call(args, name)
      while (results instanceof TailCall) {
        this.spend()
        results = results.callee.call(results.args, results.name)
      }
      return results
    } finally {
      this.#callers.length = depth - 1
      this.line = line
    }
  }

  /** `object[key]`. */
  index(object: Value, key: Value): Value {
    if (object instanceof LuaTable) return object.get(key)
    if (typeof object === 'string' && this.strings) return this.strings.get(key)
    throw this.#notIndexed(object, key)
  }

  /** `object[key] = value`. */
  assign(object: Value, key: Value, value: Value): void {
    if (!(object instanceof LuaTable)) throw this.#notIndexed(object, key)
    if (key === undefined) throw this.error('table index is nil')
    if (typeof key === 'number' && Number.isNaN(key)) throw this.error('table index is NaN')
    object.set(key, value)
  }

  #notIndexed(object: Value, key: Value): LuaError {
    const named = typeof key === 'object' ? `${typeName(key)}: 0x0` : keyText(key)
    return this.error(`attempt to index a non-table object(${typeName(object)}) with key '${named}'`)
  }
}

const keyText = (key: Value): string => new LuaError(key).message

/** A library's function. @param run gets the arguments, and what the caller calls it */
export const native = (run: (args: readonly Value[], name: string) => readonly Value[]): LuaFunction => ({
  call: run,
})
