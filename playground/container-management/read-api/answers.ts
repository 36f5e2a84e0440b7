import { failure } from '../../apimachinery/field-error.js'
import type { Json, JsonObject } from '../../apimachinery/json.js'
import type { ApiResponse } from '../../apiserver/wire/exchange.js'
import type { IndexedType } from '../index/resource-index.js'

/** An answer that holds one JSON object. */
export const answer = (code: number, object: JsonObject): ApiResponse => ({ code, body: { object } })

const refused = (code: number, reason: string, message: string, details?: JsonObject): ApiResponse =>
  answer(code, { ...failure(code, reason, message), ...(details && { details }) } as unknown as JsonObject)

export const badRequest = (message: string): ApiResponse => refused(400, 'BadRequest', message)

/** What Clusterpedia says of a path that names a cluster it does not have. */
export const unknownCluster = (): ApiResponse => badRequest('the server could not find the requested cluster')

/** `deployments.apps` */
const qualified = ({ group, resource }: IndexedType): string =>
  group === '' ? resource : `${resource}.${group}`

export const objectNotFound = (type: IndexedType, name: string): ApiResponse =>
  refused(404, 'NotFound', `${qualified(type)} "${name}" not found`, {
    name,
    ...(type.group !== '' && { group: type.group }),
    kind: type.resource,
  })

export const collectionNotFound = (name: string): ApiResponse =>
  refused(404, 'NotFound', `collectionresources.clusterpedia.io "${name}" not found`, {
    name,
    group: 'clusterpedia.io',
    kind: 'collectionresources',
  })

export const methodNotAllowed = (type: IndexedType, verb: string): ApiResponse =>
  refused(405, 'MethodNotAllowed', `${verb} is not supported on resources of kind "${qualified(type)}"`, {
    ...(type.group !== '' && { group: type.group }),
    kind: type.resource,
  })

/** A field selector that is understood and refused (422). */
export const invalidFieldSelector = (message: string, cause: JsonObject): ApiResponse =>
  refused(422, 'Invalid', `ListOptions.clusterpedia.io "fieldSelector" is invalid: ${message}`, {
    name: 'fieldSelector',
    group: 'clusterpedia.io',
    kind: 'ListOptions',
    causes: [cause],
  })

/** What Clusterpedia answers for types it does not collect: not a Status, the text of Go's default handler. */
export const pageNotFound = (): ApiResponse => ({
  code: 404,
  headers: { 'x-content-type-options': 'nosniff' },
  body: { text: '404 page not found\n', contentType: 'text/plain; charset=utf-8' },
})

/** The answer with a Warning header (RFC 7234, code 299 as Kubernetes writes it). */
export const withWarning = (response: ApiResponse, text: string | undefined): ApiResponse =>
  text === undefined
    ? response
    : { ...response, headers: { ...response.headers, warning: `299 - ${JSON.stringify(text)}` } }

/** Drops keys whose value is undefined, so that optional metadata reads as it is written. */
export const present = (fields: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject
