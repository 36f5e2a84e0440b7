import { decodeMessage } from '../../apimachinery/decode.js'
import { duplicateProblem } from '../../apimachinery/duplicate-fields.js'
import type { JsonObject } from '../../apimachinery/json.js'
import { badRequest, customStatus, methodNotAllowed, methodNotSupported, notFound } from '../api-status.js'
import { create } from '../operations/create.js'
import { remove, removeAll } from '../operations/delete.js'
import { deleteOptions } from '../operations/delete-options.js'
import { list } from '../operations/list.js'
import { patch } from '../operations/patch.js'
import { selectionOf } from '../operations/selection.js'
import { answerWith, keyOf, type Target, type WriteOptions } from '../operations/target.js'
import { update } from '../operations/update.js'
import { Watch } from '../operations/watch.js'
import type { ApiRequest, ApiResponse, Caller } from '../wire/exchange.js'
import { header } from '../wire/exchange.js'
import { negotiate } from '../wire/negotiate.js'
import { renderList, renderObject, renderWatch } from '../wire/render.js'
import { readDeleteOptions, readObject, readPatch, repeatedFields } from '../wire/request-body.js'
import { writeOptions } from '../wire/write-options.js'
import { connectToPod, isPodConnection } from './pod-connections.js'
import { bind, evict } from './pod-subresources.js'
import { serveScale } from './scale.js'
import { createToken } from './token-request.js'

type Verb = (target: Target, request: ApiRequest, caller: Caller) => Promise<ApiResponse>

/** The object a body states. Fields that it states twice get a warning, or are refused, by `fieldValidation`. */
async function readStated(
  { definition }: Target,
  request: ApiRequest,
  { fieldValidation, warn }: WriteOptions,
): Promise<JsonObject> {
  const body = await readObject(request)
  if (fieldValidation === 'Ignore') return body
  const problems = (await repeatedFields(request)).map(duplicateProblem)
  if (fieldValidation === 'Strict' && problems.length > 0) {
    throw badRequest(decodeMessage(definition, `strict decoding error: ${problems.join(', ')}`))
  }
  problems.forEach(warn)
  return body
}

/** The verbs of a stored type, for the main resource and for status. */
const VERBS: Readonly<Record<string, Verb>> = {
  async get(target, request) {
    const { shape } = negotiate(header(request, 'accept'))
    const stored = target.collection.get(keyOf(target.namespace, target.name))
    if (!stored) throw notFound(target.qualified, target.name)
    return {
      code: 200,
      body: renderObject(target, answerWith(target.type, 200, stored), shape, request.query),
    }
  },

  async list(target, request) {
    const { shape } = negotiate(header(request, 'accept'))
    const page = await list(target, request.query)
    return { code: 200, body: renderList(target, page, shape, request.query) }
  },

  async watch(target, request) {
    const { shape } = negotiate(header(request, 'accept'))
    const watch = new Watch(target, request.query)
    request.signal.addEventListener('abort', () => watch.end(), { once: true })
    return { code: 200, body: { watch: renderWatch(target, watch, shape, request.query) } }
  },

  async create(target, request, caller) {
    const { shape } = negotiate(header(request, 'accept'))
    const options = writeOptions(request, caller)
    const answer = await create(target, await readStated(target, request, options), options)
    return { code: answer.code, body: renderObject(target, answer, shape, request.query) }
  },

  async update(target, request, caller) {
    const { shape } = negotiate(header(request, 'accept'))
    const options = writeOptions(request, caller)
    const answer = await update(target, await readStated(target, request, options), options)
    return { code: answer.code, body: renderObject(target, answer, shape, request.query) }
  },

  async patch(target, request, caller) {
    const { shape } = negotiate(header(request, 'accept'))
    const { type, patch: body } = await readPatch(request)
    const answer = await patch(target, type, body, writeOptions(request, caller))
    return { code: answer.code, body: renderObject(target, answer, shape, request.query) }
  },

  async delete(target, request) {
    const options = deleteOptions(request.query, await readDeleteOptions(request))
    const answer = await remove(target, options)
    return { code: answer.code, body: answer }
  },

  async deletecollection(target, request) {
    const options = deleteOptions(request.query, await readDeleteOptions(request))
    const selection = selectionOf(target, request.query)
    const objects = target.collection.list(target.namespace).filter(selection.matches)
    await removeAll(target, objects, options)
    const page = { objects, resourceVersion: String(target.cluster.store.revision) }
    return { code: 200, body: renderList(target, page, 'object', request.query) }
  },
}

/** Subresources that take another kind than their resource's. */
const POSTED: Readonly<Record<string, (target: Target, body: JsonObject) => Promise<JsonObject>>> = {
  'serviceaccounts/token': createToken,
  'pods/eviction': evict,
  'pods/binding': bind,
}

/** Answers a request for a stored type. @throws StatusError 405 for a verb the type does not have */
export async function serveResource(
  target: Target,
  verb: string,
  request: ApiRequest,
  caller: Caller,
): Promise<ApiResponse> {
  const serve = VERBS[verb]
  if (!serve) throw methodNotAllowed()
  if (target.subresource !== '') return serveProxy(target, verb, serve, request, caller)
  if (!target.definition.verbs.includes(verb)) throw methodNotSupported(target.qualified, verb)
  return serve(target, request, caller)
}

/** The subresources beside status and scale. */
async function serveProxy(
  target: Target,
  verb: string,
  serve: Verb,
  request: ApiRequest,
  caller: Caller,
): Promise<ApiResponse> {
  const { status, scale, others } = target.definition.subresources
  if (target.subresource === 'scale' && scale) return serveScale(target, scale, verb, request, caller)
  if (target.subresource === 'status' && status) {
    if (!['get', 'update', 'patch'].includes(verb)) throw methodNotAllowed()
    return serve(target, request, caller)
  }
  const subresource = others?.find(one => one.name === target.subresource)
  if (!subresource) throw unknownSubresource(target)
  if (!subresource.verbs.includes(verb)) throw methodNotAllowed()
  if (isPodConnection(target)) return connectToPod(target, request)
  const own = POSTED[`${target.type.collection}/${subresource.name}`]
  if (verb === 'create' && own) {
    return { code: 201, body: { object: await own(target, await readObject(request)) } }
  }
  if (subresource.kind !== target.definition.kind) throw unknownSubresource(target)
  return serve(target, request, caller)
}

/** An unknown subresource of a built-in type is an unknown resource; of a custom type it looks as if the object did not exist. */
const unknownSubresource = ({ definition, qualified, name }: Target): Error =>
  definition.custom
    ? notFound(qualified, name)
    : customStatus(404, 'NotFound', 'the server could not find the requested resource', {})
