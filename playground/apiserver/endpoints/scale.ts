import { SelectorError } from '../../../manifests/label-selector.js'
import { at, isObject, type JsonObject, objectAt, stringAt, withAt } from '../../apimachinery/json.js'
import { selectorFromObject } from '../../apimachinery/label-selector.js'
import type { ScalePaths } from '../../apimachinery/resource-definition.js'
import type { Schema } from '../../apimachinery/schema/schema.js'
import { badRequest, methodNotAllowed, notFound } from '../api-status.js'
import { patchedBy } from '../operations/patch.js'
import { answerWith, keyOf, type Target } from '../operations/target.js'
import { write } from '../operations/update.js'
import type { ApiRequest, ApiResponse, Caller } from '../wire/exchange.js'
import { readObject, readPatch } from '../wire/request-body.js'
import { writeOptions } from '../wire/write-options.js'

const path = (dotted: string): [string, ...string[]] =>
  dotted.replace(/^\./, '').split('.') as [string, ...string[]]

/** A Scale has no lists, so nothing of its schema matters to a patch. */
const SCALE_SCHEMA: Schema = { 'x-kubernetes-preserve-unknown-fields': true }

/** The scale subresource: an autoscaling/v1 Scale made of the object, and writes of its replicas alone. */
export async function serveScale(
  target: Target,
  paths: ScalePaths,
  verb: string,
  request: ApiRequest,
  caller: Caller,
): Promise<ApiResponse> {
  const main = { ...target, subresource: '' }
  if (verb === 'get') {
    const stored = target.collection.get(keyOf(target.namespace, target.name))
    if (!stored) throw notFound(target.qualified, target.name)
    return { code: 200, body: { object: scaleOf(answerWith(target.type, 200, stored).object, paths) } }
  }
  if (verb !== 'update' && verb !== 'patch') throw methodNotAllowed()
  const options = writeOptions(request, caller)
  const wanted = verb === 'update' ? await readObject(request) : undefined
  const patch = verb === 'patch' ? await readPatch(request) : undefined
  const answer = await write(main, options, current => {
    const scale = patch
      ? patchedBy(SCALE_SCHEMA, patch.type, scaleOf(current, paths), patch.patch)
      : (wanted as JsonObject)
    return scaled(target, current, scale, paths)
  })
  return { code: 200, body: { object: scaleOf(answer.object, paths) } }
}

function scaled(target: Target, current: JsonObject, scale: JsonObject, paths: ScalePaths): JsonObject {
  const name = stringAt(scale, 'metadata', 'name')
  if (name !== '' && name !== target.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`)
  }
  const replicas = at(scale, 'spec', 'replicas') ?? 0
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0) {
    throw badRequest(`spec.replicas: ${JSON.stringify(replicas)} is not a count`)
  }
  const version = stringAt(scale, 'metadata', 'resourceVersion')
  const own = stringAt(current, 'metadata', 'resourceVersion')
  const next = withAt(current, path(paths.specReplicasPath), replicas)
  return withAt(next, ['metadata', 'resourceVersion'], version === '' ? own : version)
}

function scaleOf(object: JsonObject, paths: ScalePaths): JsonObject {
  const metadata = objectAt(object, 'metadata')
  const kept = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'] as const
  const selector = paths.labelSelectorPath ? selectorText(at(object, ...path(paths.labelSelectorPath))) : ''
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(
      kept.flatMap(key => (metadata[key] === undefined ? [] : [[key, metadata[key]]])),
    ),
    spec: { replicas: numberAt(object, paths.specReplicasPath) },
    status: {
      replicas: numberAt(object, paths.statusReplicasPath),
      ...(selector === '' ? {} : { selector }),
    },
  } as JsonObject
}

const numberAt = (object: JsonObject, dotted: string): number => {
  const value = at(object, ...path(dotted))
  return typeof value === 'number' ? value : 0
}

/** A selector as its query string: custom types keep it as one already, built-in ones as a LabelSelector. */
function selectorText(selector: unknown): string {
  if (typeof selector === 'string') return selector
  if (!isObject(selector)) return ''
  try {
    return selectorFromObject(selector)
      .requirements.map(({ key, operator, values }) => {
        if (operator === 'exists') return key
        if (operator === '!') return `!${key}`
        return operator === 'in' || operator === 'notin'
          ? `${key} ${operator} (${values.join(',')})`
          : `${key}${operator}${values[0] ?? ''}`
      })
      .join(',')
  } catch (error) {
    if (error instanceof SelectorError) return ''
    throw error
  }
}
