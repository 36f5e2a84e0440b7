import { html } from 'hono/html'
import type { Html, Operation, Parameter, Schema } from './page-types.js'

/** A form that calls one operation; `page-script.ts` sends it. */
export function callForm(
  path: string,
  verb: string,
  { parameters = [], requestBody, responses }: Operation,
  schemas: Readonly<Record<string, Schema>>,
): Html {
  const body = requestBody?.content['application/json']?.schema
  const streams = 'text/event-stream' in (responses['200']?.content ?? {})
  const lines = body ? JSON.stringify(exampleOf(body, schemas), null, 2) : ''
  return html`<details><summary>Call it</summary><form data-verb="${verb}" data-path="${path}">
${parameters.map(parameter => html`<label>${parameter.name} ${inputFor(parameter, schemas)}</label>`)}
${body ? html`<label>Body <textarea name="body" rows="${Math.max(4, lines.split('\n').length)}">${lines}</textarea></label>` : ''}
<button>Send</button>${streams ? html` <button type="button" data-stop>Stop</button>` : ''}
<pre></pre></form></details>`
}

/** A choice for an enum, where the first line sends nothing; a line of text for everything else. */
function inputFor({ name, in: place, schema }: Parameter, schemas: Readonly<Record<string, Schema>>): Html {
  const field = `${place}:${name}`
  const values = (schemas[schema.$ref?.split('/').pop() ?? ''] ?? schema).enum
  if (values)
    return html`<select name="${field}"><option></option>${values.map(value => html`<option>${String(value)}</option>`)}</select>`
  return html`<input name="${field}"${place === 'path' ? ' required' : ''}>`
}

/** How deep an example goes: messages may hold themselves. */
const DEEPEST = 4

/** The smallest value that has what the schema requires, and the fields of the outermost message. */
export function exampleOf(schema: Schema, schemas: Readonly<Record<string, Schema>>, depth = 0): unknown {
  const name = schema.$ref?.split('/').pop()
  if (name) return exampleOf(schemas[name] ?? {}, schemas, depth)
  if (schema.enum) return schema.enum[0]
  if (schema.properties) {
    if (depth >= DEEPEST) return {}
    const required = new Set(schema.required)
    const fields = Object.entries(schema.properties).filter(
      ([field, value]) => required.has(field) || (depth === 0 && !value.readOnly),
    )
    return Object.fromEntries(fields.map(([field, value]) => [field, exampleOf(value, schemas, depth + 1)]))
  }
  switch (schema.type) {
    case 'array':
      return []
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return 0
    case 'string':
      return schema.format === 'int64' ? '0' : ''
    default:
      return {}
  }
}
