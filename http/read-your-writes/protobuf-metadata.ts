import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

/** What Kubernetes' protobuf begins with; a `runtime.Unknown` follows: 1 what it is, 2 the object. */
const MAGIC = Buffer.from('k8s\0')

/** Called with each field of a message, the reader standing before its value; says whether it read it. */
type Take = (field: number, reader: BinaryReader) => boolean

/**
 * What an outcome is made of, from an object or Status in Kubernetes' protobuf; of all else nothing is decoded. Every
 * built-in object has its ObjectMeta in field 1. Field numbers: k8s.io/apimachinery, `meta/v1/generated.proto`.
 * @throws Error when it is no protobuf
 */
export function readProtobufMetadata(bytes: Uint8Array): object | undefined {
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.length))) return undefined
  let kind = ''
  let raw: Uint8Array = new Uint8Array()
  each(bytes.subarray(MAGIC.length), (field, reader) => {
    if (field === 1)
      each(reader.bytes(), (part, type) => part === 2 && text(type.string(), value => (kind = value)))
    else if (field === 2) raw = reader.bytes()
    else return false
    return true
  })
  return kind === 'Status' ? { kind, details: detailsOf(raw) } : { kind, metadata: metadataOf(raw) }
}

function metadataOf(object: Uint8Array): object {
  const metadata: Record<string, unknown> = {}
  const finalizers: string[] = []
  const texts: Readonly<Record<number, string>> = {
    1: 'name',
    3: 'namespace',
    5: 'uid',
    6: 'resourceVersion',
  }
  within(object, 1, (field, reader) => {
    const name = texts[field]
    if (name !== undefined) metadata[name] = reader.string()
    else if (field === 9) metadata.deletionTimestamp = String(reader.bytes().length)
    else if (field === 10) metadata.deletionGracePeriodSeconds = Number(reader.int64())
    else if (field === 14) finalizers.push(reader.string())
    else return false
    return true
  })
  return { ...metadata, finalizers }
}

function detailsOf(status: Uint8Array): object {
  let uid: string | undefined
  within(status, 5, (field, reader) => field === 6 && text(reader.string(), value => (uid = value)))
  return { uid }
}

function text(value: string, keep: (value: string) => void): true {
  keep(value)
  return true
}

/** The fields of the message in one field of another. */
function within(message: Uint8Array, wanted: number, take: Take): void {
  each(message, (field, reader) => {
    if (field !== wanted) return false
    each(reader.bytes(), take)
    return true
  })
}

function each(message: Uint8Array, take: Take): void {
  const reader = new BinaryReader(message)
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    const expectsBytes = type === WireType.LengthDelimited || type === WireType.Varint
    if (!expectsBytes || !take(field, reader)) reader.skip(type, field)
  }
}
