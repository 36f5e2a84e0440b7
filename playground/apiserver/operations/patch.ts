import type { PatchType } from '../../../ports/kube-api.js'
import { applyPatch } from '../../apimachinery/apply/apply-patch.js'
import { invalid } from '../../apimachinery/field-error.js'
import { isObject, type JsonObject, stringAt } from '../../apimachinery/json.js'
import { jsonPatch } from '../../apimachinery/patch/json-patch.js'
import { mergePatch } from '../../apimachinery/patch/merge-patch.js'
import { invalidPatchResult } from '../../apimachinery/patch/patch-error.js'
import { STRATEGIC_MERGE_PATCH, strategicMergePatch } from '../../apimachinery/patch/strategic-merge.js'
import { apiVersionOf } from '../../apimachinery/resource-definition.js'
import type { Schema } from '../../apimachinery/schema/schema.js'
import { badRequest, customStatus, unsupportedMediaType } from '../api-status.js'
import { createApplied } from './create.js'
import { checkBody, readFields, type StrictRefusal } from './object-rules.js'
import { type Answer, keyOf, type Target, type WriteOptions } from './target.js'
import { write } from './update.js'

const CUSTOM_PATCHES: readonly PatchType[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
]
const BUILTIN_PATCHES: readonly PatchType[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]

/** The patch types a type takes; strategic merge needs the merge keys that only built-in kinds have. */
const patchTypesOf = ({ definition }: Target): readonly PatchType[] =>
  definition.custom ? CUSTOM_PATCHES : BUILTIN_PATCHES

/** What kube-apiserver says of a content type that is no patch at all. */
const unknownPatchType = (): Error =>
  customStatus(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})

/** Patches an object. The patch is applied within the write's transaction, so it never conflicts with another one. */
export async function patch(
  target: Target,
  patchType: string,
  body: unknown,
  options: WriteOptions,
): Promise<Answer> {
  if (!BUILTIN_PATCHES.includes(patchType as PatchType)) throw unknownPatchType()
  if (!patchTypesOf(target).includes(patchType as PatchType)) throw unsupportedMediaType(patchTypesOf(target))
  if (patchType === 'application/apply-patch+yaml') return apply(target, body, options)
  return write(target, options, current => {
    const patched = patchedBy(target.definition.schema, patchType, current, body)
    checkIdentity(target, patched)
    return readFields(
      target.definition,
      checkBody(target, patched),
      options,
      refusePatch(body),
      refusePatch(body),
    )
  })
}

/** The document a patch makes of another. @throws StatusError when it cannot be read or applied */
export function patchedBy(
  schema: Schema,
  patchType: string,
  current: JsonObject,
  patch: unknown,
): JsonObject {
  switch (patchType) {
    case 'application/json-patch+json':
      return jsonPatch(current, patch)
    case STRATEGIC_MERGE_PATCH:
      return strategicMergePatch(schema, current, patch)
    default:
      return mergePatch(current, patch)
  }
}

/** Server-side apply: creates the object, or merges the configuration in and keeps the books of who owns what. */
async function apply(target: Target, body: unknown, options: WriteOptions): Promise<Answer> {
  if (!isObject(body)) throw badRequest('the applied configuration is not an object')
  const { definition, cluster } = target
  const name = stringAt(body, 'metadata', 'name')
  if (name !== '' && name !== target.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`)
  }
  const present = target.collection.get(keyOf(target.namespace, target.name))
  if (!present && target.subresource === '') return createApplied(target, body, options)
  const merge = (live: JsonObject): JsonObject => {
    const applied = applyPatch({
      definition,
      live,
      config: body,
      manager: options.fieldManager,
      force: options.force,
      subresource: target.subresource,
      now: new Date(cluster.now()),
    })
    return readFields(definition, checkBody(target, applied), options)
  }
  return write(target, options, merge, (_target, next) => next)
}

function checkIdentity(target: Target, patched: JsonObject): void {
  const name = stringAt(patched, 'metadata', 'name')
  if (name === '') {
    throw badRequest(
      `the name of the object (${target.name} based on URL) was undeterminable: name must be provided`,
    )
  }
  if (name !== target.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`)
  }
  const apiVersion = apiVersionOf(target.definition)
  if (patched.apiVersion !== apiVersion || patched.kind !== target.definition.kind) {
    throw badRequest(
      `the patched object is a ${patched.apiVersion as string} ${patched.kind as string}, not a ${apiVersion} ${target.definition.kind}`,
    )
  }
}

/** A patch that brings unknown fields (under `fieldValidation=Strict`) or values of another type. */
const refusePatch =
  (patch: unknown): StrictRefusal =>
  problem =>
    invalidPatchResult(invalid('patch', JSON.stringify(patch), problem))
