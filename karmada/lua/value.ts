import { numberText } from './numbers.js'
import type { LuaTable } from './table.js'

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

/** An error that a script can catch. */
export class LuaError extends Error {
  override readonly name = 'LuaError'

  constructor(readonly value: Value) {
    super(textOf(value))
  }
}

/** A script used up what it may use; it cannot catch this. */
export class LuaLimitError extends Error {
  override readonly name = 'LuaLimitError'
}

/** A value's type in Lua's words. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'undefined':
      return 'nil'
    case 'object':
      return 'call' in value ? 'function' : 'table'
    default:
      return typeof value
  }
}

export const isFunction = (value: Value): value is LuaFunction => typeof value === 'object' && 'call' in value

export const isTable = (value: Value): value is LuaTable => typeof value === 'object' && !('call' in value)

export const isTrue = (value: Value): boolean => value !== undefined && value !== false

/** A value as `tostring` prints it. Karmada prints addresses of tables and functions. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberText(value)
  if (value === undefined) return 'nil'
  if (typeof value === 'boolean') return String(value)
  return `${typeName(value)}: 0x0`
}

/** A string or a number as a string. */
export const asString = (value: Value): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? textOf(value) : undefined
