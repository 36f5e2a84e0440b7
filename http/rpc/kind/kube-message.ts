import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type MessageShape,
  ScalarType,
} from '@bufbuild/protobuf'
import type { KubeObject } from '../../../manifests/kube.js'
import { parseQuantity, QuantityError, wholeUnits } from '../../../manifests/quantity.js'
import { ResourceListSchema } from '../../../proto/gen/kairship/pod_pb.js'
import { RawJSONSchema } from '../../../proto/gen/kairship/policy_spec_pb.js'
import { ConditionSchema, ObjectMetaSchema } from '../../../proto/gen/kairship/types_pb.js'
import { milliseconds, objectMeta } from './object-meta.js'

/**
 * Part of a Kubernetes object as a message of the API. Each field of the message takes the value that has its JSON name, or
 * its lowerCamel name where the contract spells the JSON name otherwise (`DefaultMode`, `IPFamilies`). What the message does
 * not have is left out; what is missing or of an unexpected type stays at its zero value.
 *
 * | field  | takes                                                                                              |
 * | ------ | -------------------------------------------------------------------------------------------------- |
 * | string | a string, or a number as its digits: both forms of IntOrString                                     |
 * | int32  | a whole number                                                                                     |
 * | int64  | a whole number; a time (RFC 3339) in milliseconds since 1970; a quantity in whole units, rounded up |
 * | enum   | the value of that name                                                                             |
 * | bytes  | base64                                                                                             |
 *
 * A `RawJSON` takes any value as its text.
 */
export const kubeMessage = <S extends DescMessage>(schema: S, json: unknown): KubeMessage<S> =>
  fieldsOf(schema, json) as KubeMessage<S>

/** The fields of a message that the object has. */
export type KubeMessage<S extends DescMessage> = Partial<Omit<MessageShape<S>, '$typeName' | '$unknown'>>

type Json = Readonly<Record<string, unknown>>

/** Messages that are not what the object has under the same names. */
const ownReaders: Readonly<Record<string, (json: Json) => Json>> = {
  [ObjectMetaSchema.typeName]: metadata =>
    objectMeta({ metadata } as unknown as KubeObject, { instance: '' }) as Json,
  // Only Deployments have an update time of their own; pods and Jobs have a time of the last probe, mostly null.
  [ConditionSchema.typeName]: json => {
    const { lastUpdateTime, lastProbeTime, lastTransitionTime } = json
    return plainFields(ConditionSchema, {
      ...json,
      lastUpdateTime: lastUpdateTime ?? lastProbeTime ?? lastTransitionTime,
    })
  },
  // The storage that a container itself asks for is the node's.
  [ResourceListSchema.typeName]: json =>
    plainFields(ResourceListSchema, { ...json, storage: json['ephemeral-storage'] ?? json.storage }),
}

function fieldsOf(schema: DescMessage, json: unknown): Json {
  if (!isObject(json)) return {}
  return ownReaders[schema.typeName]?.(json) ?? plainFields(schema, json)
}

function plainFields(schema: DescMessage, json: Json): Json {
  const fields: Record<string, unknown> = {}
  for (const field of schema.fields) {
    const value = fieldOf(field, json[field.jsonName] ?? json[field.localName])
    if (value !== undefined) fields[field.localName] = value
  }
  return fields
}

function fieldOf(field: DescField, value: unknown): unknown {
  if (value === undefined || value === null) return undefined
  switch (field.fieldKind) {
    case 'message':
      return messageOf(field.message, value)
    case 'list':
      return Array.isArray(value) ? value.flatMap(item => elementOf(field, item) ?? []) : undefined
    case 'map':
      if (!isObject(value)) return undefined
      return Object.fromEntries(
        Object.entries(value).flatMap(([key, item]) => {
          const element = elementOf(field, item)
          return element === undefined ? [] : [[key, element]]
        }),
      )
    case 'enum':
      return enumOf(field.enum, value)
    case 'scalar':
      return scalarOf(field.scalar, value)
  }
}

function messageOf(schema: DescMessage, value: unknown): Json | undefined {
  if (schema.typeName === RawJSONSchema.typeName) return { raw: Buffer.from(JSON.stringify(value)) }
  return isObject(value) ? fieldsOf(schema, value) : undefined
}

const elementOf = (field: DescField & { fieldKind: 'list' | 'map' }, item: unknown): unknown => {
  if (field.message) return messageOf(field.message, item)
  if (field.enum) return enumOf(field.enum, item)
  return scalarOf(field.scalar as ScalarType, item)
}

/** The value that an enum has for a name; undefined where it has none. */
export const enumOf = (schema: DescEnum, name: unknown): number | undefined =>
  schema.values.find(value => value.name === name)?.number

function scalarOf(type: ScalarType, value: unknown): unknown {
  switch (type) {
    case ScalarType.STRING:
      return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
    case ScalarType.BOOL:
      return typeof value === 'boolean' ? value : undefined
    case ScalarType.INT32:
      return isWhole(value) && Math.abs(value) < 2 ** 31 ? value : undefined
    case ScalarType.INT64:
      return wholeNumberOf(value)
    case ScalarType.DOUBLE:
      return typeof value === 'number' ? value : undefined
    case ScalarType.BYTES:
      return typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : undefined
    default:
      return undefined
  }
}

/** A time in milliseconds, a quantity in whole units, or a whole number; undefined for anything else. */
function wholeNumberOf(value: unknown): bigint | undefined {
  if (isWhole(value)) return BigInt(value)
  if (typeof value !== 'string') return undefined
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return milliseconds(value)
  try {
    return wholeUnits(parseQuantity(value))
  } catch (error) {
    if (error instanceof QuantityError) return undefined
    throw error
  }
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
