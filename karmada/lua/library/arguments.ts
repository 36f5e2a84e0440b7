import { numberIn, truncated } from '../numbers.js'
import type { LuaState } from '../state.js'
import { type LuaFunction, LuaTable, type Value } from '../table.js'
import { asString, isFunction, typeName } from '../value.js'

/** The arguments of a library's function, checked as Karmada's Lua checks them. Positions count from 1. */
export class Arguments {
  constructor(
    private readonly state: LuaState,
    readonly values: readonly Value[],
    private readonly name: string,
  ) {}

  get count(): number {
    return this.values.length
  }

  at(position: number): Value {
    return this.values[position - 1]
  }

  /** A value that must be given; nil is one. */
  any(position: number): Value {
    if (position > this.values.length) throw this.wrong(position, 'value expected')
    return this.at(position)
  }

  string(position: number): string {
    const text = asString(this.at(position))
    if (text === undefined) throw this.#wrongType(position, 'string')
    return text
  }

  /** A string that is given as one, or a default. */
  optionalString(position: number, otherwise: string): string {
    const value = this.at(position)
    if (value === undefined) return otherwise
    if (typeof value !== 'string') throw this.#wrongType(position, 'string')
    return value
  }

  /** A number; text that is a number counts as one. */
  number(position: number): number {
    const value = this.at(position)
    if (typeof value === 'string') this.state.spend(value.length)
    const number = typeof value === 'string' ? numberIn(value) : value
    if (typeof number !== 'number') throw this.#wrongType(position, 'number')
    return number
  }

  /** A number without its fraction. */
  whole(position: number): number {
    const value = this.at(position)
    if (typeof value !== 'number') throw this.#wrongType(position, 'number')
    return Number(truncated(value))
  }

  optionalWhole(position: number, otherwise: number): number {
    return this.at(position) === undefined ? otherwise : this.whole(position)
  }

  table(position: number): LuaTable {
    const value = this.at(position)
    if (!(value instanceof LuaTable)) throw this.#wrongType(position, 'table')
    return value
  }

  function(position: number): LuaFunction {
    const value = this.at(position)
    if (!isFunction(value)) throw this.#wrongType(position, 'function')
    return value
  }

  /** The error for an argument. */
  wrong(position: number, message: string): Error {
    return this.state.error(`bad argument #${position} to ${this.name} (${message})`)
  }

  #wrongType(position: number, expected: string): Error {
    return this.wrong(position, `${expected} expected, got ${typeName(this.at(position))}`)
  }
}

/** What a library's function does. */
export type Body = (args: Arguments) => readonly Value[]

/** A table of functions. */
export function library(state: LuaState, bodies: Readonly<Record<string, Body>>): LuaTable {
  const table = new LuaTable()
  for (const [name, body] of Object.entries(bodies)) table.set(name, functionOf(state, body))
  return table
}

/** A function of a library. */
export const functionOf = (state: LuaState, body: Body): LuaFunction => ({
  call: (args, name) => {
    state.spend(1 + (args.length >> 2))
    return body(new Arguments(state, args, name))
  },
})
