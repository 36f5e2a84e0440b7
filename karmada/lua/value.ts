import { numberText } from './numbers.js'
import type { LuaFunction, LuaTable, Value } from './table.js'

/** An error that a script can catch. */
export class LuaError extends Error {
  override readonly name = 'LuaError'

  constructor(readonly value: Value) {
    super(textOf(value))
  }
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
