import { BinaryWriter } from '@bufbuild/protobuf/wire'
import type { Status } from '../../../manifests/status-error.js'

/** The first bytes of an object in Kubernetes' protobuf, before the message `Unknown` around it. */
const MAGIC = Buffer.from('k8s\0')

/**
 * The event ERROR of a watch in Kubernetes' protobuf: four bytes of length and a WatchEvent, whose object is a whole object of its own. The
 * numbers are those of `generated.proto` in k8s.io/apimachinery (meta/v1 and runtime).
 */
export function protobufErrorEvent(status: Status): Uint8Array {
  const object = new BinaryWriter()
  object.uint32(tag(1)).fork()
  object.uint32(tag(1)).string('v1').uint32(tag(2)).string('Status').join()
  object.uint32(tag(2)).bytes(statusBytes(status))
  const event = new BinaryWriter()
  event.uint32(tag(1)).string('ERROR').uint32(tag(2)).fork()
  event
    .uint32(tag(1))
    .bytes(Buffer.concat([MAGIC, object.finish()]))
    .join()
  const bytes = event.finish()
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

function statusBytes({ status, message, reason = '', details, code }: Status): Uint8Array {
  const writer = new BinaryWriter()
  writer.uint32(tag(1)).bytes(new Uint8Array())
  writer.uint32(tag(2)).string(status).uint32(tag(3)).string(message).uint32(tag(4)).string(reason)
  writer.uint32(tag(5)).fork()
  for (const cause of details?.causes ?? []) {
    writer.uint32(tag(4)).fork()
    writer
      .uint32(tag(1))
      .string(cause.reason ?? '')
      .uint32(tag(2))
      .string(cause.message ?? '')
      .join()
  }
  writer.join()
  writer.uint32(tag(6, VARINT)).int32(code)
  return writer.finish()
}

const VARINT = 0
const LENGTH_DELIMITED = 2
const tag = (field: number, type = LENGTH_DELIMITED): number => (field << 3) | type
