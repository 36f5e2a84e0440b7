import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { has, isArray, isObject, type Json, type JsonObject } from '../json.js'

/** The content type under which clients ask for `/openapi/v2` in binary; kubectl before 1.27 asks for nothing else. */
export const OPENAPI_V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'

/** Encodes a Swagger document as `openapi.v2.Document` (OpenAPIv2.proto of gnostic), the messages Kubernetes uses of it. */
export const encodeOpenApiV2 = (document: JsonObject): Uint8Array => encode(DOCUMENT, document)

/** Writes one field of a message from the member's value. */
type Field = (writer: BinaryWriter, value: Json) => void
/** JSON member → field; members that are not here and start with `x-` become vendor extensions. */
interface Message {
  readonly fields: Readonly<Record<string, Field>>
  /** Number of the repeated NamedAny that holds `x-` members. */
  readonly extensions?: number
}

function encode(message: Message, object: JsonObject): Uint8Array {
  const writer = new BinaryWriter()
  writeMembers(writer, message, object)
  return writer.finish()
}

function writeMembers(writer: BinaryWriter, { fields, extensions }: Message, object: JsonObject): void {
  for (const [key, value] of Object.entries(object)) {
    const field = has(fields, key) ? fields[key] : undefined
    if (field) field(writer, value)
    else if (extensions !== undefined && key.startsWith('x-')) {
      nested(writer, extensions, named(key, any(value)))
    }
  }
}

const nested = (writer: BinaryWriter, number: number, bytes: Uint8Array): BinaryWriter =>
  writer.tag(number, WireType.LengthDelimited).bytes(bytes)

/** `NamedAny`, `NamedSchema` and their like: a name and an encoded value. */
function named(name: string, value: Uint8Array): Uint8Array {
  const writer = new BinaryWriter()
  writer.tag(1, WireType.LengthDelimited).string(name)
  return nested(writer, 2, value).finish()
}

/** `Any`: a value as YAML text, which JSON is. */
const any = (value: Json): Uint8Array =>
  new BinaryWriter().tag(2, WireType.LengthDelimited).string(JSON.stringify(value)).finish()

const text =
  (number: number): Field =>
  (writer, value) => {
    writer.tag(number, WireType.LengthDelimited).string(String(value))
  }
const texts =
  (number: number): Field =>
  (writer, value) => {
    for (const one of isArray(value) ? value : [value]) text(number)(writer, one)
  }
const flag =
  (number: number): Field =>
  (writer, value) => {
    writer.tag(number, WireType.Varint).bool(value === true)
  }
const integer =
  (number: number): Field =>
  (writer, value) => {
    writer.tag(number, WireType.Varint).int64(Math.trunc(Number(value)))
  }
const double =
  (number: number): Field =>
  (writer, value) => {
    writer.tag(number, WireType.Bit64).double(Number(value))
  }
const anything =
  (number: number): Field =>
  (writer, value) => {
    nested(writer, number, any(value))
  }
const anythings =
  (number: number): Field =>
  (writer, value) => {
    for (const one of isArray(value) ? value : []) anything(number)(writer, one)
  }
const message =
  (number: number, of: () => Message): Field =>
  (writer, value) => {
    if (isObject(value)) nested(writer, number, encode(of(), value))
  }
/** A map that is a message holding repeated name-value pairs under `pair`. */
const map =
  (number: number, pair: number, entry: (value: JsonObject) => Uint8Array): Field =>
  (writer, value) => {
    const inner = new BinaryWriter()
    for (const [name, member] of Object.entries(isObject(value) ? value : {})) {
      if (isObject(member)) nested(inner, pair, named(name, entry(member)))
    }
    nested(writer, number, inner.finish())
  }

/** A message with one field, itself a message. */
const wrap = (number: number, bytes: Uint8Array): Uint8Array =>
  nested(new BinaryWriter(), number, bytes).finish()

const schemas = (object: JsonObject): Uint8Array => encode(SCHEMA, object)

const additional: Field = (writer, value) => {
  const item = isObject(value)
    ? wrap(1, schemas(value))
    : new BinaryWriter()
        .tag(2, WireType.Varint)
        .bool(value === true)
        .finish()
  nested(writer, 21, item)
}
const type: Field = (writer, value) => {
  const item = new BinaryWriter()
  texts(1)(item, value)
  nested(writer, 22, item.finish())
}

const SCHEMA: Message = {
  fields: {
    $ref: text(1),
    format: text(2),
    title: text(3),
    description: text(4),
    default: anything(5),
    multipleOf: double(6),
    maximum: double(7),
    exclusiveMaximum: flag(8),
    minimum: double(9),
    exclusiveMinimum: flag(10),
    maxLength: integer(11),
    minLength: integer(12),
    pattern: text(13),
    maxItems: integer(14),
    minItems: integer(15),
    uniqueItems: flag(16),
    maxProperties: integer(17),
    minProperties: integer(18),
    required: texts(19),
    enum: anythings(20),
    additionalProperties: additional,
    type,
    items: (writer, value) => {
      if (isObject(value)) nested(writer, 23, wrap(1, schemas(value)))
    },
    properties: map(25, 1, schemas),
    example: anything(30),
  },
  extensions: 31,
}

const PARAMETER_FIELDS = { in: text(2), description: text(3), name: text(4) }
/** QueryParameterSubSchema has `allow_empty_value` at 5, so that its later fields stand one further than a path's. */
const QUERY_PARAMETER: Message = {
  fields: { ...PARAMETER_FIELDS, required: flag(1), type: text(6), uniqueItems: flag(20) },
}
const PATH_PARAMETER: Message = {
  fields: { ...PARAMETER_FIELDS, required: flag(1), type: text(5), uniqueItems: flag(19) },
}
const BODY_PARAMETER: Message = {
  fields: {
    description: text(1),
    name: text(2),
    in: text(3),
    required: flag(4),
    schema: message(5, () => SCHEMA),
  },
}

/** ParametersItem → Parameter → body or non-body parameter → query or path. */
function parameter(object: JsonObject): Uint8Array {
  if (object.in === 'body') return wrap(1, wrap(1, encode(BODY_PARAMETER, object)))
  const one =
    object.in === 'query' ? wrap(3, encode(QUERY_PARAMETER, object)) : wrap(4, encode(PATH_PARAMETER, object))
  return wrap(1, wrap(2, one))
}
const parameters =
  (number: number): Field =>
  (writer, value) => {
    for (const one of isArray(value) ? value : []) if (isObject(one)) nested(writer, number, parameter(one))
  }

const RESPONSE: Message = {
  fields: {
    description: text(1),
    schema: (writer, value) => {
      if (isObject(value)) nested(writer, 2, wrap(1, schemas(value)))
    },
  },
}

const OPERATION: Message = {
  fields: {
    description: text(3),
    operationId: text(5),
    produces: texts(6),
    consumes: texts(7),
    parameters: parameters(8),
    responses: map(9, 1, response => wrap(1, encode(RESPONSE, response))),
    schemes: texts(10),
  },
  extensions: 13,
}

const operation = (number: number): Field => message(number, () => OPERATION)
const PATH_ITEM: Message = {
  fields: {
    get: operation(2),
    put: operation(3),
    post: operation(4),
    delete: operation(5),
    patch: operation(8),
    parameters: parameters(9),
  },
}

const DOCUMENT: Message = {
  fields: {
    swagger: text(1),
    info: message(2, () => ({ fields: { title: text(1), version: text(2) } })),
    paths: map(8, 2, item => encode(PATH_ITEM, item)),
    definitions: map(9, 1, schemas),
  },
  extensions: 16,
}
