import { type DescMessage, fromJson, type JsonObject, type Message } from '@bufbuild/protobuf'
import type { ContractOperation } from '../proto/sample.js'

/** Parameters of an operation by their names. */
export type Parameters = Readonly<Record<string, unknown>>

/**
 * The HTTP request of an operation as the contract describes it.
 * @param defaults values of parameters of the path that are not given
 * @throws Error for parameters that the operation does not have
 */
export function requestOf(
  { method, path, params, body }: ContractOperation,
  defaults: Parameters,
  given: Parameters,
): {
  readonly url: string
  readonly init: { method: string; headers: Record<string, string>; body?: string }
} {
  const left = new Map(Object.entries(given))
  const take = (name: string): unknown => {
    const value = left.get(name) ?? defaults[name]
    left.delete(name)
    return value
  }
  let url = path
  const query = new URLSearchParams()
  for (const { name, in: where } of params) {
    if (where === 'path') url = url.replace(`{${name}}`, encodeURIComponent(String(take(name))))
    else if (left.has(name)) for (const value of [take(name)].flat()) query.append(name, String(value))
  }
  if (!body && left.size > 0) throw new Error(`${method} ${path} has no ${[...left.keys()].join(', ')}`)
  return {
    url: query.size > 0 ? `${url}?${query}` : url,
    init: {
      method,
      headers: body ? { 'content-type': 'application/json' } : {},
      ...(body && { body: JSON.stringify(Object.fromEntries(left)) }),
    },
  }
}

/** The message of the same request: what the path, the query and the body name are its fields. */
export function messageOf(
  { params }: ContractOperation,
  input: DescMessage,
  defaults: Parameters,
  given: Parameters,
): Message {
  const ofPath = params.filter(({ in: where }) => where === 'path').map(({ name }) => name)
  const fields = { ...Object.fromEntries(ofPath.map(name => [name, defaults[name]])), ...given }
  return fromJson(input, JSON.parse(JSON.stringify(fields)) as JsonObject)
}
