import { toBinary } from '@bufbuild/protobuf'
import { Metadata } from '@grpc/grpc-js'
import { StatusSchema } from '../../proto/gen/google/rpc/status_pb.js'
import type { Failure } from '../errors/failure.js'
import { statusOf } from '../errors/status.js'

/**
 * Bytes of a message, and of a google.rpc.Status. Both go into the trailers, percent-encoded and as base64, and trailers beyond 64 KiB are never
 * sent (nghttp2): the caller would wait until its deadline. Messages repeat what callers sent, which may be long.
 */
const LONGEST_MESSAGE = 8_192
const LARGEST_STATUS = 16_384
/** Characters of a message that is cut. */
const CUT = 2_000

/** A Failure as gRPC answers it: code, message, and the google.rpc.Status in `grpc-status-details-bin`, without details that are too large. */
export function serviceError(failure: Failure, requestId: string) {
  const message = shortened(failure.message)
  const metadata = new Metadata()
  metadata.set('grpc-status-details-bin', statusBytes(failure, requestId, message))
  return Object.assign(new Error(message), { code: failure.code, details: message, metadata })
}

const shortened = (message: string): string =>
  Buffer.byteLength(message) > LONGEST_MESSAGE ? `${message.slice(0, CUT)}…` : message

function statusBytes(failure: Failure, requestId: string, message: string): Buffer {
  const status = { ...statusOf(failure, requestId), message }
  const short = status.details.filter(({ typeUrl }) => !typeUrl.endsWith('google.rpc.BadRequest'))
  const sizes = [status.details, short].map(details => toBinary(StatusSchema, { ...status, details }))
  const bytes = sizes.find(({ length }) => length <= LARGEST_STATUS)
  return Buffer.from(bytes ?? toBinary(StatusSchema, { ...status, details: [] }))
}
