import { has, isArray, isObject, type Json, type JsonObject } from '../json.js'
import type { Schema } from './schema.js'

/** Words of the CEL language itself: as property names they are written `__word__`. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

/** Names of properties are few and every object of a type has the same. */
const names = new Map<string, string | undefined>()
const MOST_NAMES = 10_000

/**
 * The name a property has inside a rule: `__` → `__underscores__`, `.` → `__dot__`, `-` → `__dash__`, `/` → `__slash__`, reserved
 * words between double underscores. Undefined for names that no rule can reach.
 */
function celName(property: string): string | undefined {
  if (names.has(property)) return names.get(property)
  const name = inRules(property)
  if (names.size < MOST_NAMES) names.set(property, name)
  return name
}

function inRules(property: string): string | undefined {
  if (RESERVED.has(property)) return `__${property}__`
  if (!/^[A-Za-z_.\-/][A-Za-z0-9_.\-/]*$/.test(property)) return undefined
  return property
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__')
}

const TIME_FORMATS = new Set(['date-time', 'datetime', 'date'])

/**
 * A JSON value as CEL sees it: integers are 64-bit ints, `date-time` strings are timestamps, properties have their CEL names.
 * Keys of maps (additionalProperties) stay as they are.
 */
export function celValue(schema: Schema, value: Json): unknown {
  if (typeof value === 'number') return celNumber(schema, value)
  if (isArray(value)) return value.map(item => celValue(schema.items ?? {}, item))
  if (isObject(value)) return celObject(schema, value)
  if (typeof value === 'string' && schema.type === 'string') return celString(schema, value)
  return value
}

function celNumber(schema: Schema, value: number): unknown {
  return schema.type === 'number' || !Number.isSafeInteger(value) ? value : BigInt(value)
}

function celString({ format }: Schema, value: string): unknown {
  if (format === undefined) return value
  if (!TIME_FORMATS.has(format)) return value
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? value : time
}

function celObject(schema: Schema, object: JsonObject): Record<string, unknown> {
  const converted: Record<string, unknown> = Object.create(null)
  for (const [key, value] of Object.entries(object)) {
    if (schema.properties && has(schema.properties, key)) {
      const name = celName(key)
      if (name !== undefined) converted[name] = celValue(schema.properties[key] as Schema, value)
    } else {
      converted[key] = celValue(
        typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {},
        value,
      )
    }
  }
  return converted
}
