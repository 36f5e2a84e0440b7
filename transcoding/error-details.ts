import { createRegistry } from '@bufbuild/protobuf'
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RequestInfoSchema,
  RetryInfoSchema,
} from '../proto/gen/google/rpc/error_details_pb.js'

/** The details that a google.rpc.Status of ours may hold. JSON needs their types to write and read them. */
export const errorDetailTypes = createRegistry(
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
  RequestInfoSchema,
)
