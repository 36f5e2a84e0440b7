import { LuaSyntaxError, SOURCE } from './syntax.js'
import type { Value } from './table.js'

/** A local variable while a function runs; functions made in its scope share it. */
export interface Cell {
  value: Value
}

/** A function while it runs. */
export interface Frame {
  readonly cells: (Cell | undefined)[]
  readonly outer: readonly (Cell | undefined)[]
  readonly varargs: readonly Value[]
}

/** Where a variable is: in the function itself, or among those that it took along from functions around it. */
export interface Place {
  readonly in: 'cells' | 'outer'
  readonly at: number
}

/** The local variables of one function of a script, while it is compiled. */
export class FunctionScope {
  /** From which places of the function around this one its outer variables are taken when it is made. */
  readonly taken: Place[] = []
  readonly #takenNames = new Map<string, number>()
  readonly #blocks: Map<string, number>[] = [new Map()]
  readonly #labels: Set<string>[] = []
  #count = 0
  loops = 0

  constructor(
    readonly parent: FunctionScope | undefined,
    readonly hasVarargs: boolean,
  ) {}

  /** Compiles what is inside a block. @param labels that the block has */
  block<T>(labels: readonly string[], compile: () => T): T {
    this.#blocks.push(new Map())
    this.#labels.push(new Set(labels))
    try {
      return compile()
    } finally {
      this.#blocks.pop()
      this.#labels.pop()
    }
  }

  /** A new variable. @returns its place among the cells of the function */
  declare(name: string): number {
    this.#blocks.at(-1)?.set(name, this.#count)
    return this.#count++
  }

  hasLabel(name: string): boolean {
    return this.#labels.some(labels => labels.has(name))
  }

  /** Undefined for global variables. */
  find(name: string): Place | undefined {
    const own = this.#blocks.findLast(block => block.has(name))?.get(name)
    if (own !== undefined) return { in: 'cells', at: own }
    const known = this.#takenNames.get(name)
    if (known !== undefined) return { in: 'outer', at: known }
    const outer = this.parent?.find(name)
    if (!outer) return undefined
    const at = this.taken.push(outer) - 1
    this.#takenNames.set(name, at)
    return { in: 'outer', at }
  }
}

/** What gopher-lua says of a script that can be read and not be compiled. */
export const compileError = (line: number, message: string): LuaSyntaxError =>
  new LuaSyntaxError(`compile error near line(${line}) ${SOURCE}: ${message}`)
