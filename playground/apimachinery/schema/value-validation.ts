import {
  type FieldError,
  fieldError,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../field-error.js'
import { canonical, equal, has, isArray, isObject, type Json, type JsonObject } from '../json.js'
import { stringFormat } from './formats.js'
import type { Schema } from './schema.js'
import { propertySchema } from './walk.js'

/**
 * What a value did against a schema. `checks` counts how far it got: of several failed alternatives of an anyOf or oneOf, the
 * one that got furthest explains itself.
 */
interface Outcome {
  errors: FieldError[]
  checks: number
}

/**
 * Checks a value against types, bounds, patterns, formats, enums and junctors, in the order and the words of Kubernetes'
 * validator (kube-openapi pkg/validation).
 *
 * @param old the value it replaces: what an update leaves as it was is not complained about again ("ratcheting"), so that
 * a schema that became stricter does not lock its objects
 */
export function validateValues(schema: Schema, value: Json, path = '', old?: Json): FieldError[] {
  return visit(schema, value, path, old).errors
}

function visit(schema: Schema, value: Json, path: string, old: Json | undefined): Outcome {
  const outcome: Outcome = { errors: [], checks: 1 }
  if (old !== undefined && equal(value, old)) return outcome
  checkType(schema, value, path, outcome)
  if (value !== null) {
    checkJunctors(schema, value, path, outcome)
    if (typeof value === 'string') checkString(schema, value, path, outcome)
    else if (typeof value === 'number') checkNumber(schema, value, path, outcome)
    else if (isArray(value)) checkArray(schema, value, path, old, outcome)
  }
  if (schema.enum && !schema.enum.some(allowed => equal(allowed, value))) {
    outcome.errors.push(
      notSupported(
        path,
        value,
        schema.enum.map(one => (typeof one === 'string' ? one : canonical(one))),
      ),
    )
  }
  if (isObject(value)) checkObject(schema, value, path, old, outcome)
  return outcome
}

function merge(into: Outcome, from: Outcome): void {
  into.errors.push(...from.errors)
  into.checks += from.checks
}

const dotted = (path: string): string => (path.startsWith('.') ? path.slice(1) : path)
const inBody = (path: string): string => `${path} in body`

/** [JSON type, OpenAPI format of the type] of a value. */
function typeOf(value: Json): readonly [string, string] {
  if (isArray(value)) return ['array', '']
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'int64'] : ['number', 'double']
  return [value === null ? 'null' : typeof value, '']
}

function checkType(schema: Schema, value: Json, path: string, outcome: Outcome): void {
  const intOrString = schema['x-kubernetes-int-or-string'] === true
  const types = intOrString ? ['integer', 'string'] : schema.type === undefined ? [] : [schema.type]
  if (types.length === 0 || (value === null && schema.nullable)) return
  const [type, format] = typeOf(value)
  const fits = types.includes(type as never) || (type === 'integer' && types.includes('number' as never))
  if (fits) return
  const byFormat = typeof value !== 'string' && !isArray(value) && value !== null && schema.format
  const expected = byFormat ? schema.format : types.join(',')
  const found = byFormat ? format : type
  outcome.errors.push(
    typeInvalid(
      dotted(path),
      found,
      `${inBody(dotted(path))} must be of type ${expected}: ${JSON.stringify(found)}`,
    ),
  )
}

function checkString(schema: Schema, value: string, path: string, outcome: Outcome): void {
  const length = schema.maxLength === undefined && schema.minLength === undefined ? 0 : [...value].length
  const { errors } = outcome
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    errors.push(tooLong(path, schema.maxLength))
  } else if (schema.minLength !== undefined && length < schema.minLength) {
    errors.push(invalid(path, value, `${inBody(path)} should be at least ${schema.minLength} chars long`))
  } else if (
    schema.pattern !== undefined &&
    schema.pattern !== '' &&
    !patternOf(schema.pattern).test(value)
  ) {
    errors.push(invalid(path, value, `${inBody(path)} should match '${schema.pattern}'`))
  }
  const format = schema.format === undefined ? undefined : stringFormat(schema.format)
  if (format && !format(value)) {
    errors.push(
      typeInvalid(path, value, `${inBody(path)} must be of type ${schema.format}: ${JSON.stringify(value)}`),
    )
  }
}

function checkNumber(schema: Schema, value: number, path: string, outcome: Outcome): void {
  const fail = (detail: string) =>
    outcome.errors.push(invalid(path, value, `${inBody(path)} should be ${detail}`))
  const { multipleOf, maximum, minimum } = schema
  const unfit = integerRange(schema, value)
  if (unfit !== undefined) {
    outcome.errors.push(
      fieldError('FieldValueInvalid', '', '', `Checked value must be of type ${unfit} in ${path}`),
    )
  }
  if (multipleOf !== undefined) {
    const quotient = multipleOf < 1 ? (1 / multipleOf) * value : value / multipleOf
    if (Math.abs(quotient - Math.round(quotient)) > 1e-9) fail(`a multiple of ${multipleOf}`)
  }
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum)) {
    fail(schema.exclusiveMaximum ? `less than ${maximum}` : `less than or equal to ${maximum}`)
  }
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum)) {
    fail(schema.exclusiveMinimum ? `greater than ${minimum}` : `greater than or equal to ${minimum}`)
  }
}

/** The integer type and format that a number does not fit, in words; undefined when it fits or may be any number. */
function integerRange({ type, format }: Schema, value: number): string | undefined {
  if (type !== 'integer') return undefined
  const bits = format === 'int32' ? 31 : 63
  const fits = Number.isInteger(value) && value >= -(2 ** bits) && value < 2 ** bits
  if (fits) return undefined
  return format === 'int32' || format === 'int64'
    ? `integer with format ${format}`
    : 'integer (default format)'
}

function checkArray(
  schema: Schema,
  value: readonly Json[],
  path: string,
  old: Json | undefined,
  outcome: Outcome,
): void {
  const { items } = schema
  if (items) {
    const before = correlatedItems(schema, value, old)
    value.forEach((item, index) => {
      merge(outcome, visit(items, item, `${path}[${index}]`, before[index]))
    })
  }
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    outcome.errors.push(
      invalid(path, value.length, `${inBody(path)} should have at least ${schema.minItems} items`),
    )
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    outcome.errors.push(tooMany(path, value.length, schema.maxItems))
  }
  if (schema.uniqueItems && new Set(value.map(canonical)).size < value.length) {
    outcome.errors.push(invalid(path, '', `${inBody(path)} shouldn't contain duplicates`))
  }
}

/** For each item the old item it replaces, where list keys say which that is. */
export function correlatedItems(
  schema: Schema,
  items: readonly Json[],
  old: Json | undefined,
): readonly (Json | undefined)[] {
  const keys = schema['x-kubernetes-list-map-keys']
  if (!isArray(old) || schema['x-kubernetes-list-type'] !== 'map' || !keys) return []
  const keyOf = (item: Json): string =>
    canonical(keys.map(key => (isObject(item) && has(item, key) ? (item[key] as Json) : null)))
  const byKey = new Map(old.map(item => [keyOf(item), item]))
  return items.map(item => byKey.get(keyOf(item)))
}

function checkObject(
  schema: Schema,
  value: JsonObject,
  path: string,
  old: Json | undefined,
  outcome: Outcome,
): void {
  const keys = Object.keys(value)
  const { errors } = outcome
  if (schema.minProperties !== undefined && keys.length < schema.minProperties) {
    errors.push(
      invalid(path, keys.length, `${inBody(path)} should have at least ${schema.minProperties} properties`),
    )
  }
  if (schema.maxProperties !== undefined && keys.length > schema.maxProperties) {
    errors.push(tooMany(path, keys.length, schema.maxProperties))
  }
  for (const key of keys) {
    const member = propertySchema(schema, key)
    if (!member) {
      if (schema.additionalProperties === false) {
        errors.push(invalid(path, key, `${path}.${key} in body is a forbidden property`))
      }
      continue
    }
    const before = isObject(old) && has(old, key) ? old[key] : undefined
    merge(outcome, visit(member, value[key] as Json, path === '' ? key : `${path}.${key}`, before))
  }
  for (const key of schema.required ?? []) {
    if (!has(value, key)) errors.push(required(path === '' ? key : `${path}.${key}`))
  }
}

function checkJunctors(schema: Schema, value: Json, path: string, outcome: Outcome): void {
  const { anyOf, oneOf, allOf, not } = schema
  const fail = (detail: string) =>
    outcome.errors.push(fieldError('FieldValueInvalid', '', '', `${JSON.stringify(path)} must ${detail}`))
  if (anyOf) {
    const outcomes = anyOf.map(one => visit(one, value, path, undefined))
    if (outcomes.every(failed)) {
      fail('validate at least one schema (anyOf)')
      merge(outcome, furthest(outcomes))
    }
  }
  if (oneOf) {
    const outcomes = oneOf.map(one => visit(one, value, path, undefined))
    const valid = outcomes.filter(one => !failed(one)).length
    if (valid !== 1) {
      fail(
        `validate one and only one schema (oneOf). ${valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`}`,
      )
      if (valid === 0) merge(outcome, furthest(outcomes))
    }
  }
  if (allOf) {
    const outcomes = allOf.map(one => visit(one, value, path, undefined))
    for (const one of outcomes) merge(outcome, one)
    if (outcomes.some(failed)) {
      fail(`validate all the schemas (allOf)${outcomes.every(failed) ? '. None validated' : ''}`)
    }
  }
  if (not && !failed(visit(not, value, path, undefined))) fail('not validate the schema (not)')
}

const failed = ({ errors }: Outcome): boolean => errors.length > 0
const furthest = (outcomes: readonly Outcome[]): Outcome =>
  outcomes.reduce((best, one) => (one.checks > best.checks ? one : best))

const patterns = new Map<string, RegExp>()

/** A pattern as RE2 reads it: unanchored, and without the meaning that `u` gives to escapes where that would not compile. */
export function patternOf(source: string): RegExp {
  let pattern = patterns.get(source)
  if (!pattern) {
    pattern = compile(source)
    if (patterns.size < 4096) patterns.set(source, pattern)
  }
  return pattern
}

function compile(source: string): RegExp {
  const [, flags = '', body = source] = /^\(\?([ims]+)\)(.*)$/s.exec(source) ?? []
  const translated = body.replaceAll('\\A', '^').replaceAll('\\z', '$').replaceAll('(?P<', '(?<')
  try {
    return new RegExp(translated, `u${flags}`)
  } catch {
    return new RegExp(translated, flags)
  }
}
