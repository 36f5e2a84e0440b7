import jsonpatch, { type Operation } from 'fast-json-patch'
import { StatusError } from '../../../manifests/status-error.js'
import { failure } from '../field-error.js'
import { has, isArray, isObject, type Json, type JsonObject } from '../json.js'
import { badPatch, unprocessablePatch } from './patch-error.js'

/** The API server's bound on one patch (apiserver handlers/patch.go). */
const MAX_OPERATIONS = 10_000
const OPERATIONS = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test'])

/**
 * Applies an RFC 6902 patch and returns the new document; the old one stays as it is.
 * @param patch the parsed request body
 * @throws StatusError 400 when the patch is not a list of operations, 413 when it has more than 10,000, 422 when an
 * operation cannot be applied or a `test` fails; then none of the patch is applied
 */
export function jsonPatch(document: JsonObject, patch: unknown): JsonObject {
  const operations = parse(patch)
  let result: unknown
  try {
    // Copied once, the values too: operations change what earlier ones put there, and a patch may be applied again.
    const copies = jsonpatch.deepClone(operations) as Operation[]
    result = copies.reduce<Json>(
      (current, operation) =>
        jsonpatch.applyOperation(current, setting(current, operation), true).newDocument as Json,
      jsonpatch.deepClone(document),
    )
  } catch (cause) {
    throw unprocessablePatch(cause)
  }
  if (!isObject(result)) throw unprocessablePatch(new Error('the patch replaced the object by another value'))
  return result
}

/** What Kubernetes makes of `replace`: a member that an object lacks is added. RFC 6902 would refuse. */
function setting(document: Json, operation: Operation): Operation {
  if (operation.op !== 'replace') return operation
  const parent = operation.path.slice(0, operation.path.lastIndexOf('/'))
  return isObject(jsonpatch.getValueByPointer(document, parent) as Json)
    ? { ...operation, op: 'add' }
    : operation
}

function parse(patch: unknown): Operation[] {
  if (!isArray(patch)) {
    throw badPatch(`json: cannot unmarshal ${goType(patch)} into Go value of type jsonpatch.Patch`)
  }
  if (patch.length > MAX_OPERATIONS) {
    throw new StatusError(
      failure(
        413,
        'RequestEntityTooLarge',
        `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
      ),
    )
  }
  return patch.map(parseOperation)
}

function parseOperation(operation: Json): Operation {
  if (!isObject(operation)) {
    throw badPatch(`json: cannot unmarshal ${goType(operation)} into Go value of type jsonpatch.Operation`)
  }
  const { op, path, from } = operation
  if (typeof op !== 'string' || !OPERATIONS.has(op) || typeof path !== 'string') {
    throw unprocessablePatch(new Error(`not a JSON patch operation: ${JSON.stringify(operation)}`))
  }
  if (op === 'test' && !has(operation, 'value')) return { op, path, value: null }
  if ((op === 'move' || op === 'copy') && typeof from === 'string') return { op, path, from }
  return { op, path, value: has(operation, 'value') ? operation.value : undefined } as Operation
}

/** What Go's JSON decoder calls a value that it did not expect. */
function goType(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  return Array.isArray(value) ? 'array' : typeof value
}
