import { type DescField, type DescMessage, getOption, hasOption, type Message } from '@bufbuild/protobuf'
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { FieldBehavior, field_behavior } from '../../proto/gen/google/api/field_behavior_pb.js'
import { type FieldViolation, invalidFields } from '../errors/failure.js'
import { mustBeOneOf } from './must-be-one-of.js'
import { isPathSegment, noPathSegment } from './path-segment.js'

/** The text at a field path in proto names (`metadata.name`); '' where any part is absent. For the proto's `name_field`. */
export function fieldValue(message: Message, path: string): string {
  let value: unknown = message
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null) return ''
    value = (value as Readonly<Record<string, unknown>>)[jsonPath(part)]
  }
  return typeof value === 'string' ? value : ''
}

/** A path in proto names in JSON names: `my_field` is `myField`. */
const jsonPath = (path: string): string =>
  path.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/**
 * Holds a request to the fields its proto calls REQUIRED and to the values of its enums, in messages that are present at any depth.
 * @param naming further ones that name what the call is about, by their paths in proto names
 * @throws Failure INVALID_ARGUMENT naming every one that is missing, every number that is no value of its enum, and every name that is
 * no segment of a path
 */
export function requireFields(schema: DescMessage, message: Message, naming: readonly string[] = []): void {
  const wrong = problemsOf(schema, message, '')
  const unnamed = naming
    .flatMap(path => problemOfName(jsonPath(path), fieldValue(message, path)))
    .filter(({ field }) => !wrong.some(one => one.field === field))
  const violations = [...wrong, ...unnamed]
  if (violations.length > 0) throw invalidFields(violations)
}

/** Whether a request names what is to be authorized. @param path the proto's `name_field`; none where nothing has to be named */
export const isNamed = (message: Message, path: string | undefined): boolean =>
  !path || problemOfName(jsonPath(path), fieldValue(message, path)).length === 0

/**
 * Fields of paths that name no Kubernetes object: what a registry holds may have slashes (`shop/web`), and the resource of a type
 * is looked up among the types that are served. Their handlers check them.
 */
const NO_OBJECTS: ReadonlySet<string> = new Set(['registry', 'project', 'repository', 'resource'])

function problemOfName(field: string, name: string): FieldViolation[] {
  if (name === '') return [{ field, description: 'is required' }]
  return NO_OBJECTS.has(field) || isPathSegment(name) ? [] : [{ field, description: noPathSegment(name) }]
}

function problemsOf(schema: DescMessage, message: Message, prefix: string): FieldViolation[] {
  const view = reflect(schema, message)
  return schema.fields.flatMap(field => {
    const path = `${prefix}${field.jsonName}`
    if (!view.isSet(field)) {
      const required = hasOption(field, field_behavior)
        ? getOption(field, field_behavior).includes(FieldBehavior.REQUIRED)
        : false
      return required ? [{ field: path, description: 'is required' }] : []
    }
    if (field.enum) return unknownValues(view, field, path)
    return field.fieldKind === 'message' ? problemsOf(field.message, view.get(field).message, `${path}.`) : []
  })
}

/** Proto3 keeps numbers that its enum does not have: a filter by one would find nothing, and a scope would be another. */
function unknownValues(view: ReflectMessage, field: DescField, path: string): FieldViolation[] {
  if (field.fieldKind !== 'enum' && !(field.fieldKind === 'list' && field.listKind === 'enum')) return []
  const values: readonly number[] =
    field.fieldKind === 'enum' ? [view.get(field)] : [...(view.get(field) as Iterable<number>)]
  return values
    .filter(value => !field.enum.value[value])
    .slice(0, 1)
    .map(value => ({ field: path, description: mustBeOneOf(field.enum, value) }))
}
