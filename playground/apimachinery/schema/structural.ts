import { child, type FieldError, forbidden, index, invalid, notSupported, required } from '../field-error.js'
import { has, isArray, isObject, type Json, type JsonObject, listAt, objectAt } from '../json.js'
import { boundedValidation } from './bounded-validation.js'
import { prune } from './prune.js'
import { compileExpression, RuleError, usesOldSelf } from './rules.js'
import type { Schema } from './schema.js'
import { patternOf, validateValues } from './value-validation.js'

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref']
const REASONS = ['FieldValueRequired', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueDuplicate']
/** Words that structure and that a junctor may therefore not use. */
const STRUCTURAL_ONLY: readonly (readonly [string, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
]

type Level = 'root' | 'item' | 'field'

/** What is wrong with a schema as the schema of a CustomResourceDefinition: structure, extensions, defaults, rules. */
export function structuralErrors(schema: Json | undefined, path: string): FieldError[] {
  if (!isObject(schema)) return []
  return visit(schema, path, 'root')
}

function visit(schema: JsonObject, path: string, level: Level): FieldError[] {
  return [
    ...unsupportedWords(schema, path),
    ...typeErrors(schema, path, level),
    ...extensionErrors(schema as Schema & JsonObject, path),
    ...junctorErrors(schema, path),
    ...defaultErrors(schema as Schema & JsonObject, path),
    ...ruleErrors(schema, path),
    ...childErrors(schema, path, level),
  ]
}

function unsupportedWords(schema: JsonObject, path: string): FieldError[] {
  const errors = UNSUPPORTED.filter(word => has(schema, word)).map(word =>
    forbidden(child(path, word), `${word} is not supported`),
  )
  if (schema.uniqueItems === true) {
    errors.push(
      forbidden(
        child(path, 'uniqueItems'),
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    )
  }
  if (isArray(schema.items)) {
    errors.push(forbidden(child(path, 'items'), 'items must be a schema object and not an array'))
  }
  if (
    isObject(schema.properties) &&
    has(schema, 'additionalProperties') &&
    schema.additionalProperties !== false
  ) {
    errors.push(
      forbidden(
        child(path, 'additionalProperties'),
        'additionalProperties and properties are mutual exclusive',
      ),
    )
  }
  return errors
}

function typeErrors(schema: JsonObject, path: string, level: Level): FieldError[] {
  const { type } = schema
  const field = child(path, 'type')
  if (type !== undefined && (typeof type !== 'string' || !TYPES.includes(type))) {
    return type === 'null'
      ? [forbidden(field, 'type cannot be set to null, use nullable as an alternative')]
      : [notSupported(field, type, TYPES)]
  }
  if (level === 'root' && type !== undefined && type !== 'object')
    return [invalid(field, type, 'must be object at the root')]
  const free =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true
  if (type === undefined && (level === 'root' || !free)) {
    const where = {
      root: 'at the root',
      item: 'for specified array items',
      field: 'for specified object fields',
    }
    return [required(field, `must not be empty ${where[level]}`)]
  }
  if (type === 'array' && !isObject(schema.items))
    return [required(child(path, 'items'), 'must be specified')]
  return []
}

function extensionErrors(schema: Schema & JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = []
  const say = (word: string) => child(path, word)
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(say('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'))
  }
  if (schema['x-kubernetes-embedded-resource'] && schema.type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true'
    errors.push(schema.type ? invalid(say('type'), schema.type, detail) : required(say('type'), detail))
  }
  if (
    schema['x-kubernetes-embedded-resource'] &&
    !schema['x-kubernetes-preserve-unknown-fields'] &&
    Object.keys(schema.properties ?? {}).length === 0
  ) {
    errors.push(
      required(
        say('properties'),
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    )
  }
  if (schema.pattern !== undefined) {
    try {
      patternOf(schema.pattern)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      errors.push(
        invalid(say('pattern'), schema.pattern, `must be a valid regular expression, but isn't: ${reason}`),
      )
    }
  }
  return [...errors, ...listErrors(schema, path), ...mapErrors(schema, path)]
}

function mapErrors(schema: Schema, path: string): FieldError[] {
  const type = schema['x-kubernetes-map-type']
  if (type === undefined) return []
  if (type !== 'atomic' && type !== 'granular') {
    return [notSupported(child(path, 'x-kubernetes-map-type'), type, ['atomic', 'granular'])]
  }
  if (schema.type === 'object') return []
  return [
    invalid(child(path, 'type'), schema.type ?? '', 'must be object if x-kubernetes-map-type is specified'),
  ]
}

function listErrors(schema: Schema, path: string): FieldError[] {
  const type = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const field = child(path, 'x-kubernetes-list-map-keys')
  if (type === undefined) {
    return keys.length === 0
      ? []
      : [
          required(
            child(path, 'x-kubernetes-list-type'),
            'must be map if x-kubernetes-list-map-keys is non-empty',
          ),
        ]
  }
  if (type !== 'atomic' && type !== 'set' && type !== 'map') {
    return [notSupported(child(path, 'x-kubernetes-list-type'), type, ['atomic', 'set', 'map'])]
  }
  const errors: FieldError[] = []
  if (schema.type !== 'array') {
    errors.push(
      invalid(child(path, 'type'), schema.type ?? '', 'must be array if x-kubernetes-list-type is specified'),
    )
  }
  if (type !== 'map') return errors
  if (keys.length === 0) errors.push(required(field, 'must not be empty if x-kubernetes-list-type is map'))
  const properties = schema.items?.properties ?? {}
  if (keys.some(key => !has(properties, key))) {
    errors.push(invalid(field, keys, 'entries must all be names of item properties'))
  }
  for (const key of keys) {
    const property = has(properties, key) ? properties[key] : undefined
    if (!property || property.default !== undefined || schema.items?.required?.includes(key)) continue
    errors.push(
      required(
        child(`${child(path, 'items.properties')}[${key}]`, 'default'),
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ),
    )
  }
  return errors
}

function junctorErrors(schema: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const) {
    listAt(schema, word).forEach((one, at) => {
      if (!isIntOrStringJunctor(schema, word, one))
        errors.push(...nestedErrors(one, index(child(path, word), at)))
    })
  }
  if (isObject(schema.not)) errors.push(...nestedErrors(schema.not, child(path, 'not')))
  return errors
}

/** `anyOf: [{type: integer}, {type: string}]` is the one place where a junctor may name types. */
const isIntOrStringJunctor = (schema: JsonObject, word: string, one: Json): boolean =>
  schema['x-kubernetes-int-or-string'] === true &&
  (word === 'anyOf' || word === 'allOf') &&
  isObject(one) &&
  (one.type === 'integer' || one.type === 'string' || isArray(one.anyOf))

function nestedErrors(schema: Json, path: string): FieldError[] {
  if (!isObject(schema)) return []
  const errors = STRUCTURAL_ONLY.filter(
    ([word]) => has(schema, word) && schema[word] !== false && schema[word] !== '',
  ).map(([word, detail]) => forbidden(child(path, word), detail))
  if (isObject(schema.properties)) {
    for (const [key, one] of Object.entries(schema.properties)) {
      errors.push(...nestedErrors(one, `${child(path, 'properties')}[${key}]`))
    }
  }
  if (isObject(schema.items)) errors.push(...nestedErrors(schema.items, child(path, 'items')))
  return [...errors, ...junctorErrors({ ...schema, 'x-kubernetes-int-or-string': false }, path)]
}

/** Defaults of all schemas are bounded together: one schema may have thousands, and each CRD that is refused can come again. */
const DEFAULTS = {}

function defaultErrors(schema: Schema & JsonObject, path: string): FieldError[] {
  if (schema.default === undefined) return []
  const field = child(path, 'default')
  const value = schema.default
  if (isObject(value) && prune({ ...schema, type: 'object' }, value).unknownFields.length > 0) {
    return [invalid(field, value, 'must not have unknown fields')]
  }
  return boundedValidation(schema, () => validateValues(schema, value), DEFAULTS).map(error => ({
    ...error,
    field: error.field === '<nil>' ? field : child(field, error.field),
  }))
}

function ruleErrors(schema: JsonObject, path: string): FieldError[] {
  return listAt(schema, 'x-kubernetes-validations').flatMap((rule, at) => {
    const field = index(child(path, 'x-kubernetes-validations'), at)
    return isObject(rule) ? oneRuleErrors(rule, field) : []
  })
}

function oneRuleErrors(rule: JsonObject, path: string): FieldError[] {
  const { rule: expression, message, messageExpression, reason } = rule
  const errors: FieldError[] = []
  if (typeof expression !== 'string' || expression.trim() === '') {
    return [required(child(path, 'rule'), 'rule is not specified')]
  }
  if (typeof message === 'string') {
    if (message.trim() === '')
      errors.push(invalid(child(path, 'message'), message, 'must be non-empty if specified'))
    else if (message.includes('\n'))
      errors.push(invalid(child(path, 'message'), message, 'must not contain line breaks'))
  } else if (expression.trim().includes('\n')) {
    errors.push(required(child(path, 'message'), 'message must be specified if rule contains line breaks'))
  }
  if (typeof reason === 'string' && !REASONS.includes(reason)) {
    errors.push(notSupported(child(path, 'reason'), reason, REASONS))
  }
  if (rule.optionalOldSelf === true && !usesOldSelf(expression)) {
    errors.push(
      invalid(child(path, 'optionalOldSelf'), true, 'may not be set if oldSelf is not used in rule'),
    )
  }
  for (const [key, text] of Object.entries({ rule: expression, messageExpression })) {
    if (typeof text !== 'string') continue
    try {
      compileExpression(text)
    } catch (error) {
      if (!(error instanceof RuleError)) throw error
      errors.push(invalid(child(path, key), rule, `compilation failed: ERROR: ${error.message}`))
    }
  }
  return errors
}

function childErrors(schema: JsonObject, path: string, level: Level): FieldError[] {
  const errors: FieldError[] = []
  for (const [key, one] of Object.entries(objectAt(schema, 'properties'))) {
    if (!isObject(one)) continue
    const field = `${child(path, 'properties')}[${key}]`
    if (level === 'root' && key === 'metadata') errors.push(...metadataErrors(one, field))
    else errors.push(...visit(one, field, 'field'))
  }
  if (isObject(schema.items)) errors.push(...visit(schema.items, child(path, 'items'), 'item'))
  if (isObject(schema.additionalProperties)) {
    const field = child(path, 'additionalProperties')
    if (level === 'root') errors.push(forbidden(field, 'must not be used at the root'))
    errors.push(...visit(schema.additionalProperties, field, 'field'))
  }
  return errors
}

/** A CRD may narrow the name of its objects, and nothing else of their metadata. */
function metadataErrors(schema: JsonObject, path: string): FieldError[] {
  const allowed = new Set(['name', 'generateName'])
  if (schema.type !== undefined && schema.type !== 'object') {
    return [invalid(child(path, 'type'), schema.type, 'must be object')]
  }
  return Object.keys(objectAt(schema, 'properties')).every(key => allowed.has(key))
    ? []
    : [
        forbidden(
          path,
          'must not specify anything other than name and generateName, but metadata is implicitly specified',
        ),
      ]
}
