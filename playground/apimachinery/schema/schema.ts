import type { Json } from '../json.js'

/** One rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

/** The value validations of OpenAPI v3: what a junctor (allOf, anyOf, oneOf, not) may hold besides structure. */
export interface ValueValidation {
  readonly format?: string
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly maxLength?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly maxItems?: number
  readonly minItems?: number
  readonly uniqueItems?: boolean
  readonly multipleOf?: number
  readonly enum?: readonly Json[]
  readonly maxProperties?: number
  readonly minProperties?: number
  readonly required?: readonly string[]
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly not?: Schema
}

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'

/**
 * A structural schema, in the words of a CRD's `openAPIV3Schema`. Built-in kinds use the same words, so that pruning,
 * validation, patches and ownership know one language. Types that occur in several places (or in themselves) are one
 * shared node: follow the data, not the schema, or remember where you were.
 */
export interface Schema extends ValueValidation {
  /** Built-in types: the name of the generated model this node stands for, shared by all places that hold the type. */
  readonly model?: string
  /** Built-in types: fields the documentation calls required. What is refused without them is the strategy's to say. */
  readonly documentedRequired?: readonly string[]
  /** Built-in types: an empty value here is the same as none and is not kept (Go's `omitempty`). */
  readonly vanishes?: boolean
  /** Built-in types: values have one canonical spelling, whatever the client wrote. */
  readonly canonical?: 'quantity' | 'time' | 'micro-time'
  readonly title?: string
  readonly description?: string
  readonly type?: SchemaType
  readonly default?: Json
  readonly nullable?: boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly externalDocs?: Json
  readonly example?: Json
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular'
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
  /** Strategic merge patch: how a list or object of a built-in kind merges. */
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
}
