import type { JsonObject } from '@bufbuild/protobuf'
import type { Binding, HttpMethod } from '../../../transcoding/binding.js'

/** The HTTP request that google.api.http makes of a message: fields of the path, then body or query. */
export function restRequest({ input }: HttpMethod, { verb, template, body }: Binding, request: JsonObject) {
  const rest = { ...request }
  const fieldOf = (name: string) => input.fields.find(field => field.name === name)!.jsonName
  const segments = template.segments.map(segment => {
    if ('literal' in segment) return segment.literal
    const field = fieldOf(segment.field)
    const value = rest[field]
    delete rest[field]
    return encodeURIComponent(String(value))
  })
  const query = new URLSearchParams()
  if (!body)
    for (const [field, value] of Object.entries(rest))
      for (const one of Array.isArray(value) ? value : [value]) query.append(field, String(one))
  const path = `/${segments.join('/')}${template.verb && `:${template.verb}`}`
  return {
    verb,
    path: query.size > 0 ? `${path}?${query}` : path,
    ...(body && { body: rest }),
  }
}
