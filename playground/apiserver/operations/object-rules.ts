import { StatusError } from '../../../manifests/status-error.js'
import { type Decoded, DecodeError, decode, decodeMessage, strictProblem } from '../../apimachinery/decode.js'
import { invalidStatus } from '../../apimachinery/field-error.js'
import { equal, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../apimachinery/json.js'
import { apiVersionOf, type ResourceDefinition } from '../../apimachinery/resource-definition.js'
import { badRequest } from '../api-status.js'
import { metadataErrors } from './metadata-rules.js'
import type { Target, WriteOptions } from './target.js'

/** Refuses a body of another kind or version, or for another namespace than the URL's. Fills what the URL says in. */
export function checkBody(target: Target, body: JsonObject): JsonObject {
  const { definition } = target
  const apiVersion = apiVersionOf(definition)
  const [gotVersion, gotKind] = [stringAt(body, 'apiVersion'), stringAt(body, 'kind')]
  if (gotVersion !== '' && gotVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${gotVersion}) does not match the expected API version (${apiVersion})`,
    )
  }
  if (gotKind !== '' && gotKind !== definition.kind) throw wrongKind(target, gotKind)
  const metadata = objectAt(body, 'metadata')
  const namespace = stringAt(metadata, 'namespace')
  if (definition.namespaced && namespace !== '' && namespace !== target.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  const { apiVersion: _v, kind: _k, metadata: _m, ...rest } = body
  return {
    apiVersion,
    kind: definition.kind,
    metadata: definition.namespaced
      ? { ...metadata, namespace: target.namespace }
      : without(metadata, 'namespace'),
    ...rest,
  }
}

/** Built-in types say it as Go's conversion does, custom ones in plain words. */
function wrongKind({ cluster, definition }: Target, got: string): Error {
  const { group, version, kind, custom } = definition
  if (custom) return badRequest(`the kind in the data (${got}) does not match the expected kind (${kind})`)
  const known = cluster.catalogue.findKind(group, version, got) !== undefined
  const hub = group === '' ? 'core' : (group.split('.')[0] as string)
  const reason = known
    ? `converting (${version}.${got}) to (${hub}.${kind}): unknown conversion`
    : `no kind "${got}" is registered for version "${apiVersionOf(definition)}" in scheme "pkg/api/legacyscheme/scheme.go:30"`
  return badRequest(`${got} in version "${version}" cannot be handled as a ${kind}: ${reason}`)
}

/** How the refusal of unknown fields reads: a create or update says 400, a patch 422 on the pseudo-field `patch`. */
export type StrictRefusal = (problem: string) => Error

/**
 * Reads a body as its type: known fields only, canonical, defaulted. What is dropped becomes a warning or a refusal, as
 * `fieldValidation` asks.
 * @throws StatusError 400 when a built-in type's field holds a value of another type
 */
export function readFields(
  definition: ResourceDefinition,
  object: JsonObject,
  options: Pick<WriteOptions, 'fieldValidation' | 'warn'>,
  strictRefusal: StrictRefusal = problem => badRequest(decodeMessage(definition, problem)),
  typeRefusal: StrictRefusal = badRequest,
): JsonObject {
  const { object: decodedObject, unknownFields } = decoded(definition, object, typeRefusal)
  const read = withOwnersOnce(decodedObject, options)
  if (unknownFields.length > 0 && options.fieldValidation === 'Strict') {
    throw strictRefusal(strictProblem(unknownFields))
  }
  if (options.fieldValidation === 'Warn') {
    for (const field of unknownFields) options.warn(`unknown field ${JSON.stringify(field)}`)
  }
  return read
}

/** An owner reference that is there twice, word for word, is there once. */
function withOwnersOnce(object: JsonObject, { warn }: Pick<WriteOptions, 'warn'>): JsonObject {
  const metadata = objectAt(object, 'metadata')
  const references = listAt(metadata, 'ownerReferences')
  const isFirst = (reference: Json, at: number): boolean =>
    references.findIndex(other => equal(other, reference)) === at
  const ownerReferences = references.filter(isFirst)
  if (ownerReferences.length === references.length) return object
  const repeated = references.filter((reference, at) => !isFirst(reference, at))
  const uids = repeated.map(reference => stringAt(reference, 'uid')).join(', ')
  warn(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  )
  return { ...object, metadata: { ...metadata, ownerReferences } }
}

function decoded(definition: ResourceDefinition, object: JsonObject, refusal: StrictRefusal): Decoded {
  try {
    return decode(definition, object)
  } catch (error) {
    if (error instanceof DecodeError) throw refusal(error.message)
    throw error
  }
}

/** @throws StatusError 422 naming every field that is wrong */
export function validateObject(definition: ResourceDefinition, object: JsonObject, old?: JsonObject): void {
  const errors = [
    ...metadataErrors(definition, objectAt(object, 'metadata'), old && objectAt(old, 'metadata')),
    ...(definition.strategy?.validate?.(object, old) ?? []),
  ]
  if (errors.length > 0) {
    throw new StatusError(invalidStatus(definition, stringAt(object, 'metadata', 'name'), errors))
  }
}

/** `object` without one of its keys. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  if (!keys.some(key => Object.hasOwn(object, key))) return object
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
}

const NO_GENERATION: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/** Whether an update makes a new generation: what is wanted changed, not what is reported. */
export function bumpsGeneration(
  definition: ResourceDefinition,
  object: JsonObject,
  old: JsonObject,
): boolean {
  if (definition.strategy?.bumpsGeneration) return definition.strategy.bumpsGeneration(object, old)
  const keys = new Set([...Object.keys(object), ...Object.keys(old)])
  for (const key of keys) {
    if (NO_GENERATION.has(key) || (key === 'status' && definition.subresources.status)) continue
    if (!equal(object[key], old[key])) return true
  }
  return false
}
