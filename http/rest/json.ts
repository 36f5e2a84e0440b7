import { type DescMessage, type Message, toJsonString } from '@bufbuild/protobuf'
import { errorDetailTypes } from '../../transcoding/error-details.js'

/** The message types that may stand inside a google.protobuf.Any: only error details do. */
export const typesOfJson = errorDetailTypes

/** proto3 JSON as grpc-gateway writes it: lowerCamel names, int64 as strings, enums by name, zero values written out. */
export const jsonOf = (schema: DescMessage, message: Message): string =>
  toJsonString(schema, message, { registry: typesOfJson, alwaysEmitImplicit: true })
