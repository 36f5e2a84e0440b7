import { type DescMessage, getOption, hasOption, type Message } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { FieldBehavior, field_behavior } from '../proto/gen/google/api/field_behavior_pb.js'
import { type FieldViolation, invalidFields } from './failure.js'

/** The text at a field path in proto names (`metadata.name`); '' where any part is absent. For the proto's `name_field`. */
export function fieldValue(message: Message, path: string): string {
  let value: unknown = message
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null) return ''
    const camel = part.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    value = (value as Readonly<Record<string, unknown>>)[camel]
  }
  return typeof value === 'string' ? value : ''
}

/**
 * Holds a request to the fields its proto calls REQUIRED, in messages that are present at any depth.
 * @throws Failure INVALID_ARGUMENT naming every one that is missing
 */
export function requireFields(schema: DescMessage, message: Message): void {
  const violations = missingFields(schema, message, '')
  if (violations.length > 0) throw invalidFields(violations)
}

function missingFields(schema: DescMessage, message: Message, prefix: string): FieldViolation[] {
  const view = reflect(schema, message)
  return schema.fields.flatMap(field => {
    const path = `${prefix}${field.jsonName}`
    if (!view.isSet(field)) {
      const required = hasOption(field, field_behavior)
        ? getOption(field, field_behavior).includes(FieldBehavior.REQUIRED)
        : false
      return required ? [{ field: path, description: 'is required' }] : []
    }
    return field.fieldKind === 'message'
      ? missingFields(field.message, view.get(field).message, `${path}.`)
      : []
  })
}
