import { bytesOf, textOfBytes } from '../../lua/bytes.js'
import { ScriptError } from '../../lua/run.js'
import { LuaTable, type Value } from '../../lua/table.js'
import { typeName } from '../../lua/value.js'

/** What JSON says. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A value of JSON in Lua. There is no null: fields lack it, and lists close up. */
export function luaOf(value: unknown): Value {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return bytesOf(value)
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const table = new LuaTable()
  if (Array.isArray(value)) for (const item of value) table.append(luaOf(item))
  else for (const [key, item] of Object.entries(value)) table.set(bytesOf(key), luaOf(item))
  return table
}

/** Why a value has no JSON. Go says where it was at each level. */
class EncodingError extends Error {
  constructor(
    readonly reason: string,
    readonly levels = 1,
  ) {
    super('json: error calling MarshalJSON for type json.jsonValue: '.repeat(levels) + reason)
  }
}

/**
 * The JSON of a table. Empty tables are empty lists; no table may occur twice.
 * @throws ScriptError
 */
export function jsonOf(table: LuaTable): Json {
  try {
    return encoded(table, new Set())
  } catch (error) {
    if (error instanceof EncodingError)
      throw new ScriptError(`encode lua result to json failed: ${error.message}`)
    throw error
  }
}

function encoded(value: Value, visited: Set<LuaTable>): Json {
  switch (typeof value) {
    case 'undefined':
      return null
    case 'boolean':
      return value
    case 'string':
      return textOfBytes(value)
    case 'number':
      if (Number.isFinite(value)) return value
      throw new EncodingError(
        `json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`,
      )
  }
  if (!(value instanceof LuaTable)) throw new EncodingError(`cannot encode ${typeName(value)} to JSON`)
  if (visited.has(value)) throw new EncodingError('cannot encode recursively nested tables to JSON')
  visited.add(value)
  const first = value.next(undefined)
  if (!first) return []
  if (typeof first[0] === 'number') return encodedList(value, visited)
  if (typeof first[0] === 'string') return encodedFields(value, visited)
  throw new EncodingError('cannot encode mixed or invalid key types')
}

function encodedList(table: LuaTable, visited: Set<LuaTable>): readonly Json[] {
  const items: Value[] = []
  for (let entry = table.next(undefined); entry; entry = table.next(entry[0])) {
    if (typeof entry[0] !== 'number') throw new EncodingError('cannot encode mixed or invalid key types')
    if (entry[0] !== items.length + 1) throw new EncodingError('cannot encode sparse array')
    items.push(entry[1])
  }
  return items.map(item => inside(() => encoded(item, visited)))
}

function encodedFields(table: LuaTable, visited: Set<LuaTable>): Json {
  const fields: [string, Value][] = []
  for (let entry = table.next(undefined); entry; entry = table.next(entry[0])) {
    if (typeof entry[0] !== 'string') throw new EncodingError('cannot encode mixed or invalid key types')
    fields.push([textOfBytes(entry[0]), entry[1]])
  }
  // Go writes fields by name, and fails at the first that it cannot write.
  fields.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([key, item]) => [key, inside(() => encoded(item, visited))]))
}

function inside<T>(encode: () => T): T {
  try {
    return encode()
  } catch (error) {
    throw error instanceof EncodingError ? new EncodingError(error.reason, error.levels + 1) : error
  }
}
