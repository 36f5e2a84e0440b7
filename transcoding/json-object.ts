import type { JsonObject } from '@bufbuild/protobuf'

/** Whether a value of JSON is an object, and neither null nor a list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
