import { lessThan } from '../arithmetic.js'
import type { LuaState } from '../state.js'
import type { LuaFunction, LuaTable, Value } from '../table.js'
import { asString, isTrue, typeName } from '../value.js'
import type { Body } from './arguments.js'

/** Up to so many values Go sorts by insertion, and what is equal keeps its order. */
const SHORT = 12

/** `table`. */
export const tableFunctions = (state: LuaState): Readonly<Record<string, Body>> => ({
  getn: args => [args.table(1).length],
  maxn: args => [args.table(1).length],
  concat: args => {
    const table = args.table(1)
    const separator = args.optionalString(2, '')
    const [i, j] = [args.optionalWhole(3, 1), args.optionalWhole(4, table.length)]
    if (args.count === 3 && (i > table.length || i < 1)) return ['']
    const parts: string[] = []
    const first = Math.max(Math.min(i, table.length), 1)
    for (let at = first; at <= Math.min(j, table.length); at++) {
      const value = table.list[at - 1]
      const text = asString(value)
      if (text === undefined)
        throw state.error(`invalid value (${typeName(value)}) at index ${at} in table for concat`)
      state.spend(1 + (text.length >> 4) + (separator.length >> 4))
      parts.push(text)
    }
    // One value alone is not concatenated with anything: a number stays one.
    return parts.length === 1 ? [table.list[first - 1]] : [parts.join(separator)]
  },
  insert: args => {
    const table = args.table(1)
    if (args.count === 1) throw state.error('wrong number of arguments')
    if (args.count === 2) {
      table.append(args.at(2))
      return []
    }
    state.spend(1 + (table.list.length >> 4))
    table.insert(args.whole(2), args.any(3))
    return []
  },
  remove: args => {
    const table = args.table(1)
    state.spend(1 + (table.list.length >> 4))
    return [table.remove(args.count === 1 ? -1 : args.whole(2))]
  },
  sort: args => {
    const table = args.table(1)
    sort(state, table, args.count > 1 ? args.function(2) : undefined)
    return []
  },
})

function sort(state: LuaState, { list }: LuaTable, comparator: LuaFunction | undefined): void {
  const isLess = (left: Value, right: Value): boolean => {
    state.spend(3)
    return comparator ? isTrue(state.call(comparator, [left, right])[0]) : lessThan(state, left, right)
  }
  if (list.length > SHORT) {
    // `sort` of JavaScript puts undefined last without a question.
    const boxed = list.map(value => ({ value }))
    boxed.sort((a, b) => (isLess(a.value, b.value) ? -1 : isLess(b.value, a.value) ? 1 : 0))
    for (const [at, { value }] of boxed.entries()) list[at] = value
    return
  }
  for (let end = 1; end < list.length; end++)
    for (let at = end; at > 0 && isLess(list[at], list[at - 1]); at--) {
      const moved = list[at]
      list[at] = list[at - 1]
      list[at - 1] = moved
    }
}
