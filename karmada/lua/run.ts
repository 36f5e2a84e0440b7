import { bytesOf, textOfBytes } from './bytes.js'
import { compileChunk } from './compile.js'
import { type Body, functionOf, library } from './library/arguments.js'
import { baseFunctions, packageLibrary, requireFrom } from './library/base.js'
import { mathFunctions } from './library/math-library.js'
import { osFunctions } from './library/os-library.js'
import { stringFunctions } from './library/string-library.js'
import { tableFunctions } from './library/table-library.js'
import { parse } from './parser.js'
import { LuaState } from './state.js'
import { LuaSyntaxError } from './syntax.js'
import { LuaLimitError, type LuaTable, type Value } from './table.js'
import { isFunction, LuaError, typeName } from './value.js'

/** A script that failed; the message is that of Karmada's Lua, without the trace of its stack. */
export class ScriptError extends Error {
  override readonly name: string = 'ScriptError'
}

/** A script that took more steps, or more memory, than it may. */
export class ScriptLimitError extends ScriptError {
  override readonly name = 'ScriptLimitError'
}

/** What a script gets beside Lua's own libraries. */
export interface ScriptWorld {
  /** Seconds since 1970. */
  readonly now: () => number
  /** Steps that it may take; by default as many as about Karmada's second allows. */
  readonly steps?: number
  /** Libraries that a script can `require`. */
  readonly modules: Readonly<Record<string, (state: LuaState) => Readonly<Record<string, Body>>>>
}

/**
 * Runs a script, and then a function that it defines, with no more than a script may use.
 * @param count of results
 * @throws ScriptError
 */
export function runScript(
  script: string,
  name: string,
  count: number,
  args: readonly Value[],
  world: ScriptWorld,
): readonly Value[] {
  const state = new LuaState(world.now, world.steps)
  open(state, world)
  return translated(() => {
    // What the script itself returns stays before what its function returns.
    const before = state.call(compileChunk(state, parse(bytesOf(script))), [])
    const callee = state.globals.get(name)
    if (callee === undefined) throw new ScriptError(`not found function ${name}`)
    if (!isFunction(callee)) throw new ScriptError(`${name} is not a function: ${typeName(callee)}`)
    const results = [...before, ...state.call(callee, args)]
    return Array.from({ length: count }, (_, at) => results[at])
  })
}

/** What is wrong with a script that cannot be compiled. */
export function syntaxProblem(script: string): string | undefined {
  try {
    const state = new LuaState(() => 0)
    compileChunk(state, parse(bytesOf(script)))
    return undefined
  } catch (error) {
    if (error instanceof LuaSyntaxError) return error.message
    throw error
  }
}

function translated<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof LuaLimitError) throw new ScriptLimitError(textOfBytes(error.message))
    if (error instanceof LuaError || error instanceof LuaSyntaxError)
      throw new ScriptError(textOfBytes(error.message))
    // Functions that call functions of libraries that call functions: the stack of JavaScript ends first.
    if (error instanceof RangeError) throw new ScriptError('stack overflow')
    throw error
  }
}

function open(state: LuaState, { modules }: ScriptWorld): void {
  const { globals } = state
  const loaded = new Map<string, LuaTable>([['_G', globals]])
  const register = (name: string, table: LuaTable) => {
    globals.set(name, table)
    loaded.set(name, table)
  }
  for (const [name, body] of Object.entries(baseFunctions(state))) globals.set(name, functionOf(state, body))
  globals.set('_G', globals)
  globals.set('_VERSION', 'Lua 5.1')
  globals.set('_GOPHER_LUA_VERSION', 'GopherLua 0.1')
  register('package', packageLibrary(state))
  register('table', library(state, tableFunctions(state)))
  register('string', library(state, stringFunctions(state)))
  register('math', library(state, mathFunctions(state)))
  register('os', library(state, osFunctions(state)))
  state.strings = loaded.get('string')
  loaded.get('math')?.set('pi', Math.PI)
  loaded.get('math')?.set('huge', Number.MAX_VALUE)
  for (const [name, make] of Object.entries(modules)) loaded.set(name, library(state, make(state)))
  globals.set('require', functionOf(state, requireFrom(state, loaded)))
}
