import { floatIn, trimmed, wholeNumber } from '../numbers.js'
import type { LuaState } from '../state.js'
import { SOURCE } from '../syntax.js'
import { LuaTable, type Value } from '../table.js'
import { isFunction, isTrue, LuaError, textOf, typeName } from '../value.js'
import { type Arguments, type Body, functionOf } from './arguments.js'

/** Functions that Karmada takes away from scripts. */
const FORBIDDEN = [
  ...['collectgarbage', 'dofile', 'getfenv', 'getmetatable', 'load', 'loadfile', 'loadstring', 'rawequal'],
  ...['rawget', 'rawset', 'setfenv', 'setmetatable', 'module', 'newproxy'],
]

/** As many values as there is room for at once. */
const MOST_VALUES = 5_000

/** The functions without a library of their own. What scripts print goes nowhere. */
export function baseFunctions(state: LuaState): Readonly<Record<string, Body>> {
  const step = functionOf(state, args => {
    const [table, position] = [args.table(1), args.whole(2) + 1]
    const value = table.list[position - 1]
    return value === undefined ? [] : [position, value]
  })
  const next = functionOf(state, args => args.table(1).next(args.at(2)) ?? [])
  const forbidden = FORBIDDEN.map((name): [string, Body] => [
    name,
    () => {
      const why = `call function ${name} is not supported in karmada customized resourceinterpreter.`
      // Karmada puts a function of a script in its place.
      throw new LuaError(`${SOURCE}:1: ${why}`)
    },
  ])
  return {
    ...Object.fromEntries(forbidden),
    assert: args => {
      if (!isTrue(args.at(1))) throw state.error(args.optionalString(2, 'assertion failed!'))
      return args.values
    },
    error: args => {
      const [value, level] = [args.any(1), args.optionalWhole(2, 1)]
      if (typeof value !== 'string' || level < 1) throw new LuaError(value)
      throw new LuaError(`${state.where(level)} ${value}`)
    },
    ipairs: args => [step, args.table(1), 0],
    next: args => args.table(1).next(args.at(2)) ?? [undefined],
    pairs: args => [next, args.table(1), undefined],
    pcall: args => {
      const callee = args.any(1)
      if (!isFunction(callee)) return [false, `attempt to call a ${typeName(callee)} value`]
      return caught(() => state.call(callee, args.values.slice(1)))
    },
    xpcall: args => {
      const [callee, handler] = [args.function(1), args.function(2)]
      const results = caught(() => state.call(callee, []))
      return results[0] === false ? [false, ...state.call(handler, [results[1]])] : results
    },
    print: () => [],
    select: args => {
      const which = args.at(1)
      if (which === '#') return [args.count - 1]
      if (typeof which === 'string') throw args.wrong(1, `invalid string '${which}'`)
      if (typeof which !== 'number') throw args.wrong(1, `number or string expected, got ${typeName(which)}`)
      const position = args.whole(1)
      const from = position < 0 ? args.count + position : Math.min(position, args.count)
      if (from < 1) throw args.wrong(1, 'index out of range')
      return args.values.slice(from)
    },
    tonumber: args => tonumber(state, args),
    tostring: args => [textOf(args.any(1))],
    type: args => [typeName(args.any(1))],
    unpack: args => {
      const table = args.table(1)
      const [from, to] = [args.optionalWhole(2, 1), args.optionalWhole(3, table.length)]
      state.spend(Math.max(0, Math.min(to - from, MOST_VALUES)))
      if (to - from > MOST_VALUES) throw state.error('registry overflow')
      const values: Value[] = []
      for (let at = from; at <= to; at++) values.push(table.list[at - 1])
      return values
    },
  }
}

function caught(run: () => readonly Value[]): readonly Value[] {
  try {
    return [true, ...run()]
  } catch (error) {
    if (error instanceof LuaError) return [false, error.value]
    throw error
  }
}

/** Without a point, a text is read as a whole number: `1e3` is none. */
function tonumber(state: LuaState, args: Arguments): readonly Value[] {
  const base = args.optionalWhole(2, 10)
  const value = args.any(1)
  if (typeof value !== 'string') return [typeof value === 'number' ? value : undefined]
  state.spend(value.length)
  const text = trimmed(value)
  if (text.includes('.')) return [floatIn(text)]
  const isHex = args.at(2) === undefined && /^0x/i.test(text)
  return [isHex ? wholeNumber(text.slice(2), 16) : wholeNumber(text, base)]
}

/** `require`, for libraries that are there. */
export const requireFrom =
  (state: LuaState, modules: ReadonlyMap<string, LuaTable>): Body =>
  args => {
    const name = args.string(1)
    const found = modules.get(name)
    if (!found) throw state.error(`module ${name} not found:\n\tno field package.preload['${name}'], `)
    return [found]
  }

/** `package`, which has nothing to load. */
export function packageLibrary(state: LuaState): LuaTable {
  const table = new LuaTable()
  table.set('preload', new LuaTable())
  table.set('loaders', new LuaTable())
  table.set('loaded', new LuaTable())
  table.set(
    'loadlib',
    functionOf(state, () => {
      throw state.error('loadlib is not supported')
    }),
  )
  return table
}
