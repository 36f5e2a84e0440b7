import { parseAllDocuments } from 'yaml'
import { duplicateFields } from '../../apimachinery/duplicate-fields.js'
import { isObject, type Json, type JsonObject } from '../../apimachinery/json.js'
import { badRequest, unsupportedMediaType } from '../api-status.js'
import { type ApiRequest, header } from './exchange.js'
import { KUBERNETES_PROTOBUF, readProtobuf } from './protobuf/read-object.js'

/** The most a request body may hold, as kube-apiserver's --max-request-bytes plus what its etcd limit makes of it: 3 MiB. */
export const BODY_LIMIT = 3 * 1024 * 1024

const JSON_TYPE = 'application/json'
const YAML_TYPE = 'application/yaml'
const READABLE = [JSON_TYPE, YAML_TYPE, KUBERNETES_PROTOBUF] as const

const mediaType = (request: ApiRequest): string =>
  (header(request, 'content-type').split(';')[0] as string).trim().toLowerCase()

/** The object a create or update sends. @throws StatusError 415, 400 */
export async function readObject(request: ApiRequest): Promise<JsonObject> {
  if (request.parsedBody !== undefined) return asObject(request.parsedBody as Json)
  const type = mediaType(request)
  if (type === KUBERNETES_PROTOBUF) return readProtobuf(await request.body())
  if (type !== '' && type !== JSON_TYPE && type !== YAML_TYPE) throw unsupportedMediaType(READABLE)
  return asObject(parse(await request.body(), type === YAML_TYPE))
}

/** Paths that a JSON body states more than once; YAML refuses them by itself, and other bodies cannot. */
export async function repeatedFields(request: ApiRequest): Promise<readonly string[]> {
  const type = mediaType(request)
  if (request.parsedBody !== undefined || (type !== '' && type !== JSON_TYPE)) return []
  return duplicateFields((await request.body()).toString('utf8'))
}

/** The patch and its type. Apply patches are YAML, which JSON is too. */
export async function readPatch(request: ApiRequest): Promise<{ type: string; patch: Json }> {
  const type = mediaType(request)
  if (request.parsedBody !== undefined) return { type, patch: request.parsedBody as Json }
  return { type, patch: parse(await request.body(), type.endsWith('+yaml')) }
}

/** DeleteOptions, or undefined when the body is empty. */
export async function readDeleteOptions(request: ApiRequest): Promise<Json | undefined> {
  if (request.parsedBody !== undefined) return request.parsedBody as Json
  const body = await request.body()
  if (body.length === 0) return undefined
  const type = mediaType(request)
  if (type === KUBERNETES_PROTOBUF) return readProtobuf(body)
  return parse(body, type === YAML_TYPE)
}

function parse(body: Buffer, yaml: boolean): Json {
  const text = body.toString('utf8')
  if (text.trim() === '') throw badRequest('the body of the request was empty')
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    if (!yaml) throw badRequest(`the object provided is unrecognized: ${(error as Error).message}`)
  }
  const documents = parseAllDocuments(text, { maxAliasCount: 100 } as never)
  const [first] = documents
  if (!first || documents.length !== 1) throw badRequest('the body must hold exactly one YAML document')
  if (first.errors[0]) throw badRequest(`error converting YAML to JSON: ${first.errors[0].message}`)
  return first.toJS() as Json
}

function asObject(value: Json): JsonObject {
  if (!isObject(value)) throw badRequest('the body of the request is not an object')
  return value
}
