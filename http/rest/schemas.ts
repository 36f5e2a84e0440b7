import {
  type DescEnum,
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  ScalarType,
} from '@bufbuild/protobuf'
import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { FieldBehavior, field_behavior } from '../../proto/gen/google/api/field_behavior_pb.js'
import { comments } from './comments.js'

type Registry = OpenAPIHono['openAPIRegistry']

/**
 * zod schemas of messages, each registered once under its name. They only describe: the protobuf JSON reader, which uses the
 * same descriptors and is several times faster, decides what is accepted.
 */
export class SchemaBook {
  readonly #messages = new Map<string, z.ZodType>()
  readonly #enums = new Map<string, z.ZodType>()
  /** Full names of the types by the names of their components. */
  readonly #owners = new Map<string, string>()

  constructor(readonly registry: Registry) {}

  /** The registered schema of a message; well-known types as proto3 JSON writes them. */
  message(message: DescMessage): z.ZodType {
    const wellKnown = wellKnownTypes[message.typeName]
    if (wellKnown) return wellKnown
    const known = this.#messages.get(message.typeName)
    if (known) return known
    // Registered before its fields are looked at, so that messages may contain themselves.
    this.#messages.set(
      message.typeName,
      z.lazy(() => this.#messages.get(message.typeName) ?? z.unknown()),
    )
    const shape = Object.fromEntries(message.fields.map(field => [field.jsonName, this.field(field)]))
    const text = comments[message.typeName]
    const schema = z.object(shape).openapi(text ? { description: text } : {})
    const registered = this.registry.register(this.#nameOf(message), schema)
    this.#messages.set(message.typeName, registered)
    return registered
  }

  /** A field's schema, optional unless its proto has REQUIRED. */
  field(field: DescField): z.ZodType {
    const behavior = hasOption(field, field_behavior) ? getOption(field, field_behavior) : []
    const description = comments[`${field.parent.typeName}.${field.name}`]
    const described = this.#value(field).openapi({
      ...(description ? { description } : {}),
      ...(behavior.includes(FieldBehavior.OUTPUT_ONLY) ? { readOnly: true } : {}),
    })
    return behavior.includes(FieldBehavior.REQUIRED) ? described : described.optional()
  }

  /** Path parameters by field name. */
  parameters(message: DescMessage, names: readonly string[]) {
    const fields = message.fields.filter(({ name }) => names.includes(name))
    return z.object(
      Object.fromEntries(
        fields.map(field => [
          field.name,
          this.#value(field).openapi({ param: { in: 'path', required: true } }),
        ]),
      ),
    )
  }

  /**
   * The name of a type's component: its short name, or if a type of another package has that already, the package's subject and
   * the short name. A new service must therefore stand after the older ones, so that their components keep their names.
   */
  #nameOf(item: DescMessage | DescEnum): string {
    const short = shortName(item)
    const name = this.#owners.has(short) ? subjectOf(item) + short : short
    const owner = this.#owners.get(name)
    if (owner)
      throw new Error(`${owner} and ${item.typeName} are both called ${name} in the OpenAPI document`)
    this.#owners.set(name, item.typeName)
    return name
  }

  #value(field: DescField): z.ZodType {
    if (field.fieldKind === 'list') return z.array(this.#single(field))
    if (field.fieldKind === 'map') return z.record(z.string(), this.#single(field))
    return this.#single(field)
  }

  #single(field: DescField): z.ZodType {
    if ('message' in field && field.message) return this.message(field.message)
    if ('enum' in field && field.enum) return this.#enumeration(field.enum)
    return scalarOf(field.scalar)
  }

  #enumeration(enumeration: DescEnum): z.ZodType {
    const known = this.#enums.get(enumeration.typeName)
    if (known) return known
    const text = [
      comments[enumeration.typeName],
      ...enumeration.values.map(({ name }) => valueText(enumeration, name)),
    ]
    const schema = z
      .enum(enumeration.values.map(({ name }) => name) as [string, ...string[]])
      .openapi({ description: text.filter(Boolean).join('\n') })
    const registered = this.registry.register(this.#nameOf(enumeration), schema)
    this.#enums.set(enumeration.typeName, registered)
    return registered
  }
}

function valueText(enumeration: DescEnum, name: string): string {
  const text =
    comments[`${enumeration.typeName}.${name}`] ??
    // Values of a top-level enum stand next to it in protobuf's scoping.
    comments[`${enumeration.file.proto.package}.${name}`]
  return text ? `- ${name}: ${text}` : ''
}

/** Query parameters: every plain field, in lists too, that neither the path nor the body holds; messages are dotted. */
export function queryParameters(
  book: SchemaBook,
  message: DescMessage,
  bound: readonly string[],
  prefix = '',
): z.ZodObject {
  const shape: Record<string, z.ZodType> = {}
  for (const field of message.fields) {
    if (prefix === '' && bound.includes(field.name)) continue
    const key = `${prefix}${field.jsonName}`
    if (field.fieldKind === 'message' && !wellKnownTypes[field.message.typeName]) {
      // One level: deeper requests have bodies.
      if (prefix === '') Object.assign(shape, queryParameters(book, field.message, [], `${key}.`).shape)
    } else if (field.fieldKind !== 'map' && !(field.fieldKind === 'list' && field.listKind === 'message')) {
      shape[key] = book.field(field)
    }
  }
  return z.object(shape)
}

/** The body: one field's message, or all fields that the path does not hold. */
export function bodySchema(
  book: SchemaBook,
  message: DescMessage,
  body: string,
  bound: readonly string[],
): z.ZodType {
  const field = message.fields.find(({ name }) => name === body)
  if (field) return book.field(field)
  if (bound.length === 0) return book.message(message)
  const rest = message.fields.filter(({ name }) => !bound.includes(name))
  return z.object(Object.fromEntries(rest.map(item => [item.jsonName, book.field(item)])))
}

/** `InstanceStatus.State` of kairship.io.api.instance.v1alpha1 is `InstanceStatusState`, as in the contract. */
const shortName = (item: DescMessage | DescEnum): string =>
  item.typeName.slice(item.file.proto.package.length + 1).replaceAll('.', '')

/** `Policy` for the package kairship.io.api.policy.v1alpha1. */
function subjectOf({ file }: DescMessage | DescEnum): string {
  const subject =
    file.proto.package
      .replace(/\.v\d\w*$/, '')
      .split('.')
      .pop() ?? ''
  return subject.charAt(0).toUpperCase() + subject.slice(1)
}

const int64 = () => z.string().openapi({ format: 'int64' })

function scalarOf(scalar: ScalarType): z.ZodType {
  switch (scalar) {
    case ScalarType.BOOL:
      return z.boolean()
    case ScalarType.STRING:
      return z.string()
    case ScalarType.BYTES:
      return z.string().openapi({ format: 'byte' })
    case ScalarType.DOUBLE:
      return z.number().openapi({ format: 'double' })
    case ScalarType.FLOAT:
      return z.number().openapi({ format: 'float' })
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return int64()
    default:
      return z.int().openapi({ format: 'int32' })
  }
}

/** As proto3 JSON writes them. */
const wellKnownTypes: Readonly<Record<string, z.ZodType>> = {
  'google.protobuf.Empty': z.object({}),
  'google.protobuf.Struct': z.record(z.string(), z.unknown()),
  'google.protobuf.Value': z.unknown(),
  'google.protobuf.Any': z.object({ '@type': z.string() }).loose(),
  'google.protobuf.Timestamp': z.string().openapi({ format: 'date-time' }),
  'google.protobuf.Duration': z.string().openapi({ example: '1.5s' }),
  'google.protobuf.FieldMask': z.string(),
}
