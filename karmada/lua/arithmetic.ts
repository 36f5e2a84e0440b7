import { numberIn } from './numbers.js'
import type { LuaState } from './state.js'
import type { BinaryOperator } from './syntax.js'
import { LuaTable, type Value } from './table.js'
import { asString, typeName } from './value.js'

/** What an operator makes of two values. */
export type Operation = (state: LuaState, left: Value, right: Value) => Value

const NAMES = { '+': 'add', '-': 'sub', '*': 'mul', '/': 'div', '%': 'mod', '^': 'pow' } as const

const compute: Readonly<Record<keyof typeof NAMES, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': modulo,
  '^': (left, right) => left ** right,
}

/** The remainder with the sign of the divisor. */
export function modulo(left: number, right: number): number {
  const rest = left % right
  return (right > 0 && rest < 0) || (right < 0 && rest > 0) ? rest + right : rest
}

function arithmetic(operator: keyof typeof NAMES): Operation {
  const made = compute[operator]
  return (state, left, right) => {
    if (typeof left === 'number' && typeof right === 'number') return made(left, right)
    const [a, b] = [numeric(state, left), numeric(state, right)]
    if (typeof a === 'number' && typeof b === 'number') return made(a, b)
    throw state.error(`cannot perform ${NAMES[operator]} operation between ${typeName(a)} and ${typeName(b)}`)
  }
}

/** A string that is a number counts as one. */
function numeric(state: LuaState, value: Value): Value {
  if (typeof value !== 'string') return value
  state.spend(value.length)
  return numberIn(value) ?? value
}

/** Texts are compared letter by letter, as far as they are alike. */
function spendOnTexts(state: LuaState, left: string, right: string): void {
  state.spend(Math.min(left.length, right.length) >> 4)
}

function isBefore(state: LuaState, left: Value, right: Value): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right
  if (typeof left === 'string' && typeof right === 'string') {
    spendOnTexts(state, left, right)
    return left < right
  }
  throw notComparable(state, left, right)
}

function isSame(state: LuaState, left: Value, right: Value): boolean {
  if (typeof left === 'string' && typeof right === 'string') spendOnTexts(state, left, right)
  return left === right
}

function isNotAfter(state: LuaState, left: Value, right: Value): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left <= right
  if (typeof left === 'string' && typeof right === 'string') {
    spendOnTexts(state, left, right)
    return left <= right
  }
  // Karmada's Lua asks the other way round where there are neither numbers nor strings.
  if (typeof left !== 'number' && typeName(left) === typeName(right)) throw notComparable(state, right, left)
  throw notComparable(state, left, right)
}

const notComparable = (state: LuaState, left: Value, right: Value) =>
  state.error(`attempt to compare ${typeName(left)} with ${typeName(right)}`)

/** `left < right`, for `table.sort`. */
export const lessThan = isBefore

function concat(state: LuaState, left: Value, right: Value): Value {
  const [a, b] = [asString(left), asString(right)]
  if (a === undefined || b === undefined)
    throw state.error(`cannot perform concat operation between ${typeName(left)} and ${typeName(right)}`)
  state.spend((a.length + b.length) >> 4)
  return a + b
}

/** Every operator with two operands but `and` and `or`, which may leave out the second. */
export const operations: Readonly<Record<Exclude<BinaryOperator, 'and' | 'or'>, Operation>> = {
  '+': arithmetic('+'),
  '-': arithmetic('-'),
  '*': arithmetic('*'),
  '/': arithmetic('/'),
  '%': arithmetic('%'),
  '^': arithmetic('^'),
  '..': concat,
  '==': isSame,
  '~=': (state, left, right) => !isSame(state, left, right),
  '<': isBefore,
  '<=': isNotAfter,
  '>': (state, left, right) => isBefore(state, right, left),
  '>=': (state, left, right) => isNotAfter(state, right, left),
}

/** `-value`. */
export function negated(state: LuaState, value: Value): number {
  const number = numeric(state, value)
  if (typeof number !== 'number') throw state.error('__unm undefined')
  return -number
}

/** `#value`. */
export function lengthOf(state: LuaState, value: Value): number {
  if (typeof value === 'string') return value.length
  if (value instanceof LuaTable) return value.length
  throw state.error('__len undefined')
}
