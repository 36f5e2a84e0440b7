import { type FieldError, type FieldErrorReason, invalid } from '../field-error.js'
import type { JsonObject } from '../json.js'
import { boundedValidation } from './bounded-validation.js'
import { validateEmbeddedResources } from './embedded-resources.js'
import { validateListTypes } from './list-types.js'
import { validateRules } from './rules.js'
import type { Schema } from './schema.js'
import { validateValues } from './value-validation.js'

/** With one of these, an object is too malformed for rules to be evaluated over it. */
const BLOCKING: ReadonlySet<FieldErrorReason> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

/**
 * Everything a structural schema demands of an object: values, embedded resources, list types, and the CEL rules last.
 * Metadata has rules of its own (`object-meta.ts`) and is checked there.
 * @param old the stored object on update; absent on create
 */
export const validate = (schema: Schema, object: JsonObject, old?: JsonObject): FieldError[] =>
  boundedValidation(schema, () => errorsOf(schema, object, old))

function errorsOf(schema: Schema, object: JsonObject, old: JsonObject | undefined): FieldError[] {
  const errors = [
    ...validateValues(schema, object, '', old),
    ...validateEmbeddedResources(schema, object),
    ...validateListTypes(schema, object),
  ]
  const rules = validateRules(schema, object, old)
  if (rules === undefined) return errors
  if (errors.some(({ reason }) => BLOCKING.has(reason))) {
    return [
      ...errors,
      invalid(
        '',
        null,
        'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      ),
    ]
  }
  return [...errors, ...rules()]
}
