import { toBinary } from '@bufbuild/protobuf'
import { Metadata } from '@grpc/grpc-js'
import { StatusSchema } from '../../proto/gen/google/rpc/status_pb.js'
import type { Failure } from '../errors/failure.js'
import { statusOf } from '../errors/status.js'

/** A Failure as gRPC answers it: code, message, and the whole google.rpc.Status in `grpc-status-details-bin`. */
export function serviceError(failure: Failure, requestId: string) {
  const metadata = new Metadata()
  const status = toBinary(StatusSchema, statusOf(failure, requestId))
  metadata.set('grpc-status-details-bin', Buffer.from(status))
  return Object.assign(new Error(failure.message), {
    code: failure.code,
    details: failure.message,
    metadata,
  })
}
