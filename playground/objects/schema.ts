import type { Json } from '../apimachinery/json.js'
import type { Schema } from '../apimachinery/schema/schema.js'

export type { Schema }

/**
 * A small vocabulary for writing OpenAPI v3 structural schemas as expressions, in the order a reader wants them:
 * `object({ kind: text, replicas: int32 }, ['kind'])`.
 */

export const text: Schema = { type: 'string' }
export const flag: Schema = { type: 'boolean' }
export const integer: Schema = { type: 'integer' }
export const int32: Schema = { type: 'integer', format: 'int32' }
export const int64: Schema = { type: 'integer', format: 'int64' }
/** RFC 3339. */
export const dateTime: Schema = { type: 'string', format: 'date-time' }
/** Bytes, base64 on the wire. */
export const bytes: Schema = { type: 'string', format: 'byte' }
/** Any JSON value, kept as it is. */
export const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true }
/** Any JSON object, kept as it is. */
export const anyObject: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
/** A Kubernetes quantity: an integer or a string such as `500m`. */
export const quantity: Schema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
  'x-kubernetes-int-or-string': true,
}

export const object = (properties: Readonly<Record<string, Schema>>, required?: readonly string[]): Schema =>
  required ? { type: 'object', properties, required } : { type: 'object', properties }
export const list = (items: Schema, more: Partial<Schema> = {}): Schema => ({
  type: 'array',
  items,
  ...more,
})
/** A list that server-side apply replaces whole. */
export const atomicList = (items: Schema): Schema => list(items, { 'x-kubernetes-list-type': 'atomic' })
/** A list whose items server-side apply merges by these keys. */
export const listByKeys = (keys: readonly string[], items: Schema): Schema =>
  list(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys })
export const mapOf = (values: Schema): Schema => ({ type: 'object', additionalProperties: values })
export const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', enum: values })
/** `{resource name: quantity}`, e.g. node allocatable. */
export const resourceList: Schema = mapOf(quantity)
export const labels: Schema = mapOf(text)

export const withDefault = (value: Json, schema: Schema): Schema => ({ ...schema, default: value })
export const described = (description: string, schema: Schema): Schema => ({ ...schema, description })

/** meta/v1 LabelSelector and the shapes inside it. */
export const selectorRequirement: Schema = object({ key: text, operator: text, values: atomicList(text) }, [
  'key',
  'operator',
])
export const labelSelector: Schema = {
  ...object({ matchExpressions: atomicList(selectorRequirement), matchLabels: labels }),
  'x-kubernetes-map-type': 'atomic',
}
/** meta/v1 Condition with its length limits. */
export const condition: Schema = object(
  {
    lastTransitionTime: dateTime,
    message: { ...text, maxLength: 32_768 },
    observedGeneration: { ...int64, minimum: 0 },
    reason: { ...text, maxLength: 1024, minLength: 1, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
    status: oneOf('True', 'False', 'Unknown'),
    type: {
      ...text,
      maxLength: 316,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
    },
  },
  ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
)
/** core/v1 Toleration. */
export const toleration: Schema = object({
  effect: text,
  key: text,
  operator: text,
  tolerationSeconds: int64,
  value: text,
})
