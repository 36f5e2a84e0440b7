import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { isObject, type Json, type JsonObject, type MutableJsonObject } from '../../../apimachinery/json.js'
import { badRequest } from '../../api-status.js'
import { KUBERNETES_MESSAGES } from './gen/kubernetes-messages.js'

/** The content type under which Go clients send built-in kinds; `kubectl create` among them since 1.32. */
export const KUBERNETES_PROTOBUF = 'application/vnd.kubernetes.protobuf'

/** Every body starts with this, then a runtime.Unknown that names the kind and holds the object. */
const MAGIC = Buffer.from('k8s\0')

interface Field {
  readonly name: string
  /** Go embeds it: its own fields are the holder's. */
  readonly embedded: boolean
  readonly shape: 'one' | 'list' | 'map'
  readonly type: string
}

type Message = ReadonlyMap<number, Field>

let messages: ReadonlyMap<string, Message> | undefined

/** The table is text until the first such body comes. */
function messageNamed(name: string): Message | undefined {
  messages ??= new Map(
    KUBERNETES_MESSAGES.trim()
      .split('\n')
      .map(line => {
        const [message = '', ...fields] = line.split(' ')
        return [message, new Map(fields.map(parseField))]
      }),
  )
  return messages.get(name)
}

function parseField(text: string): [number, Field] {
  const [name = '', number = '', type = ''] = text.split(':')
  const shape = type.startsWith('[') ? 'list' : type.startsWith('{') ? 'map' : 'one'
  return [
    Number(number),
    {
      name: name.replace('*', ''),
      embedded: name.startsWith('*'),
      shape,
      type: shape === 'one' ? type : type.slice(1, -1),
    },
  ]
}

/**
 * Reads a body of Kubernetes' protobuf as the JSON it stands for. Zero values that Go always writes are left in; reading
 * the object as its type drops those that mean nothing.
 * @throws StatusError 400 for anything that is not such a body, or a kind without a known message (custom types)
 */
export function readProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, 4).equals(MAGIC)) {
    throw badRequest('the body is not Kubernetes protobuf: it does not start with the bytes "k8s\\0"')
  }
  try {
    const { apiVersion, kind, raw } = readEnvelope(body.subarray(4))
    const object = readMessage(messageOf(apiVersion, kind), new BinaryReader(raw), raw.length)
    return { apiVersion, kind, ...object }
  } catch (error) {
    // The reader meets foreign bytes with errors of any class; nothing else happens in here.
    throw badRequest(
      `the protobuf body cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  readonly raw: Uint8Array
}

function readEnvelope(bytes: Uint8Array): Envelope {
  const reader = new BinaryReader(bytes)
  let [apiVersion, kind] = ['', '']
  let raw: Uint8Array = new Uint8Array()
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag()
    if (number === 1) {
      const type = new BinaryReader(reader.bytes())
      while (type.pos < type.len) {
        const [inner, innerWire] = type.tag()
        if (inner === 1) apiVersion = type.string()
        else if (inner === 2) kind = type.string()
        else type.skip(innerWire)
      }
    } else if (number === 2) raw = reader.bytes()
    else reader.skip(wire)
  }
  return { apiVersion, kind, raw }
}

/** Options travel under the group they are sent to, but are the same message everywhere. */
function messageOf(apiVersion: string, kind: string): Message {
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  const name =
    kind === 'DeleteOptions'
      ? 'meta.v1.DeleteOptions'
      : `${group === '' ? 'core' : group.split('.')[0]}.${version}.${kind}`
  return known(name, `no protobuf message is known for ${kind} in ${apiVersion}; send JSON`)
}

function known(name: string, problem: string): Message {
  const message = messageNamed(name)
  if (!message) throw new Error(problem)
  return message
}

function readMessage(message: Message, reader: BinaryReader, length: number): JsonObject {
  const object: MutableJsonObject = {}
  const end = reader.pos + length
  while (reader.pos < end) {
    const [number, wire] = reader.tag()
    const field = message.get(number)
    if (!field) reader.skip(wire)
    else if (field.embedded) Object.assign(object, readValue(field.type, reader))
    else if (field.shape === 'map')
      put(object, field.name, { ...asObject(object[field.name]), ...readEntry(field.type, reader) })
    else if (field.shape === 'list') {
      const before = (object[field.name] as readonly Json[] | undefined) ?? []
      put(object, field.name, [...before, ...readItems(field.type, reader, wire)])
    } else put(object, field.name, readValue(field.type, reader))
  }
  return object
}

const asObject = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** Sets `key` as data, also when it is `__proto__`. */
function put(object: MutableJsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

/** One entry of a map: a message with the key as 1 and the value as 2. */
function readEntry(type: string, reader: BinaryReader): JsonObject {
  const end = reader.uint32() + reader.pos
  let key = ''
  let value: Json = type === 'string' || type === 'bytes' ? '' : null
  while (reader.pos < end) {
    const [number, wire] = reader.tag()
    if (number === 1) key = reader.string()
    else if (number === 2) value = readValue(type, reader)
    else reader.skip(wire)
  }
  const entry: MutableJsonObject = {}
  put(entry, key, value)
  return entry
}

/** Numbers may come packed into one run of bytes. */
function readItems(type: string, reader: BinaryReader, wire: WireType): Json[] {
  const packed = wire === WireType.LengthDelimited && ['int32', 'int64', 'bool', 'double'].includes(type)
  if (!packed) return [readValue(type, reader)]
  const end = reader.uint32() + reader.pos
  const items: Json[] = []
  while (reader.pos < end) items.push(readValue(type, reader))
  return items
}

/** Messages that JSON shows as something else than an object of their fields. */
const SPECIAL: Readonly<Record<string, (bytes: Uint8Array) => Json>> = {
  'meta.v1.Time': bytes => time(bytes, 0),
  'meta.v1.MicroTime': bytes => time(bytes, 6),
  'meta.v1.Duration': bytes => `${Number(numbers(bytes).get(1) ?? 0n) / 1e9}s`,
  'meta.v1.FieldsV1': json,
  'meta.v1.Verbs': texts,
  'authentication.v1.ExtraValue': texts,
  'authorization.v1.ExtraValue': texts,
  'certificates.v1.ExtraValue': texts,
  'resource.Quantity': bytes => texts(bytes)[0] ?? '0',
  'runtime.RawExtension': json,
  'util.intstr.IntOrString': intOrString,
}

function readValue(type: string, reader: BinaryReader): Json {
  switch (type) {
    case 'string':
      return reader.string()
    case 'bool':
      return reader.bool()
    case 'int32':
      return reader.int32()
    case 'int64':
      return Number(reader.int64())
    case 'double':
      return reader.double()
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64')
  }
  const special = SPECIAL[type]
  if (special) return special(reader.bytes())
  const length = reader.uint32()
  const object = readMessage(known(type, `the message ${type} is not known`), reader, length)
  return type === 'meta.v1.ObjectMeta' ? withoutZeros(object) : object
}

/** The varint fields of a small message. */
function numbers(bytes: Uint8Array): ReadonlyMap<number, bigint> {
  const reader = new BinaryReader(bytes)
  const found = new Map<number, bigint>()
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag()
    if (wire === WireType.Varint) found.set(number, BigInt(reader.int64()))
    else reader.skip(wire)
  }
  return found
}

/** The string fields of a small message, in order. */
function texts(bytes: Uint8Array): string[] {
  const reader = new BinaryReader(bytes)
  const found: string[] = []
  while (reader.pos < reader.len) {
    const [, wire] = reader.tag()
    if (wire === WireType.LengthDelimited) found.push(reader.string())
    else reader.skip(wire)
  }
  return found
}

/** An empty Time is Go's zero time: null. */
function time(bytes: Uint8Array, digits: number): Json {
  const fields = numbers(bytes)
  const seconds = fields.get(1)
  if (seconds === undefined) return null
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
  if (digits === 0) return `${whole}Z`
  const micros = String((fields.get(2) ?? 0n) / 1000n).padStart(digits, '0')
  return `${whole}.${micros}Z`
}

function intOrString(bytes: Uint8Array): Json {
  const fields = numbers(bytes)
  return fields.get(1) === 1n ? (texts(bytes)[0] ?? '') : Number(fields.get(2) ?? 0n)
}

/** Free-form JSON travels as its text. */
function json(bytes: Uint8Array): Json {
  const [text = 'null'] = texts(bytes)
  return JSON.parse(text) as Json
}

/** Metadata is no type of the built-in schemas, so its zero values are dropped here. */
function withoutZeros(metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).filter(([, value]) => value !== '' && value !== 0 && value !== null),
  )
}
