import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { type Any, anyPack } from '@bufbuild/protobuf/wkt'
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RequestInfoSchema,
  RetryInfoSchema,
} from '../../proto/gen/google/rpc/error_details_pb.js'
import { type Status, StatusSchema } from '../../proto/gen/google/rpc/status_pb.js'
import { type Failure, reasonOf } from './failure.js'

/** google.rpc.Status of a Failure, the body of every refusal on both wires. */
export function statusOf(failure: Failure, requestId?: string): Status {
  const { violations, metadata, retryAfterSeconds } = failure.details
  const details: Any[] = []
  if (violations?.length) {
    const init: MessageInitShape<typeof BadRequestSchema> = {
      fieldViolations: violations.map(v => ({ ...v })),
    }
    details.push(anyPack(BadRequestSchema, create(BadRequestSchema, init)))
  }
  const reason = reasonOf(failure)
  const info = create(ErrorInfoSchema, { reason, domain: 'kairship.io', metadata: { ...metadata } })
  details.push(anyPack(ErrorInfoSchema, info))
  if (retryAfterSeconds) {
    const retry = create(RetryInfoSchema, { retryDelay: { seconds: BigInt(retryAfterSeconds) } })
    details.push(anyPack(RetryInfoSchema, retry))
  }
  if (requestId) details.push(anyPack(RequestInfoSchema, create(RequestInfoSchema, { requestId })))
  return create(StatusSchema, { code: failure.code, message: failure.message, details })
}
