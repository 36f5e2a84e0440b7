import { hash } from 'node:crypto'
import { html, raw } from 'hono/html'
import type { openApiDocument } from './openapi.js'
import { callForm } from './page-form.js'
import { prose } from './page-prose.js'
import { tryCalls } from './page-script.js'
import type { Content, Html, Operation, Schema } from './page-types.js'

type Document = ReturnType<typeof openApiDocument>

const STYLE = `
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c2733;background:#fff}
code,.path,pre,textarea{font-family:ui-monospace,monospace;font-size:.9em}
h2{margin-top:2.5rem;border-bottom:1px solid #d8dee4}
section{margin:1.2rem 0;padding:.8rem 1rem;border:1px solid #d8dee4;border-radius:6px}
section h3{margin:0 0 .4rem}
.verb{display:inline-block;min-width:4.5rem;font-weight:600}
table{border-collapse:collapse;width:100%;margin:.5rem 0}
td,th{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0}
th{font-weight:600}
small{color:#57606a}
ul{margin:.2rem 0;padding-left:1.2rem}
label{display:block;margin:.3rem 0}
textarea{display:block;width:100%;box-sizing:border-box}
pre{max-height:30rem;overflow:auto;white-space:pre-wrap}
@media(prefers-color-scheme:dark){body{color:#d6dee6;background:#12171d}a{color:#8ab4f8}section,h2{border-color:#30363d}small{color:#8b949e}}
`
const SCRIPT = `(${tryCalls})(window)`

const sha256 = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`

/** The page runs its own script and style, calls its own server, and loads, sends and is framed by nothing else. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `script-src ${sha256(SCRIPT)}`,
  `style-src ${sha256(STYLE)}`,
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The OpenAPI document as one page, in which each operation can be called. It loads nothing, so it works without a network. */
export function documentPage(document: Document): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Readonly<Record<string, Operation>>).map(([verb, operation]) => ({
      path,
      verb: verb.toUpperCase(),
      operation,
    })),
  )
  const services = (document.tags ?? []).map(({ name, description = '' }) => ({
    ...{ name, description },
    operations: operations.filter(({ operation }) => operation.tags?.includes(name)),
  }))
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>
  return String(html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${document.info.title} ${document.info.version}</title>
<style>${raw(STYLE)}</style></head>
<body>
<h1>${document.info.title} <small>${document.info.version}</small></h1>
<p>${document.info.description ?? ''} For programs: <a href="/openapi.json">openapi.json</a>.</p>
<label>Bearer token for calls from this page. Not needed where the browser presents a client certificate. It stays in this page.
<input id="token" type="password" autocomplete="off" size="60"></label>
<nav>${services.map(contents)}<p><a href="#messages">Messages</a></p></nav>
${services.map(
  ({ name, description, operations }) => html`<h2 id="service-${name}">${name}</h2>
<p>${prose(description)}</p>
${operations.map(operation => operationSection(operation, schemas))}`,
)}
<h2 id="messages">Messages</h2>
${Object.entries(schemas).map(([name, schema]) => schemaSection(name, schema))}
<script>${raw(SCRIPT)}</script>
</body></html>`)
}

interface PathOperation {
  readonly path: string
  readonly verb: string
  readonly operation: Operation
}

/** `ListInstances` of `Instance_ListInstances`: the service is named above. */
const nameOf = ({ operationId = '' }: Operation): string => operationId.replace(/^\w+_/, '')

/** One service in the table of contents, with its operations folded. */
function contents({
  name,
  operations,
}: {
  readonly name: string
  readonly operations: readonly PathOperation[]
}): Html {
  return html`<details><summary><a href="#service-${name}">${name}</a> <small>${operations.length}</small></summary><ul>${operations.map(
    ({ operation }) => html`<li><a href="#${operation.operationId ?? ''}">${nameOf(operation)}</a></li>`,
  )}</ul></details>`
}

function operationSection(
  { path, verb, operation }: PathOperation,
  schemas: Readonly<Record<string, Schema>>,
): Html {
  const { operationId = '', description = '', parameters = [], requestBody, responses } = operation
  return html`<section id="${operationId}"><h3>${nameOf(operation)}</h3>
<p class="path"><span class="verb">${verb}</span>${path}</p>
<p>${prose(description)}</p>
${
  parameters.length === 0
    ? ''
    : html`<table><tr><th>Parameter</th><th>In</th><th>Type</th><th></th></tr>${parameters.map(
        parameter =>
          html`<tr><td><code>${parameter.name}</code></td><td>${parameter.in}</td><td>${typeText(parameter.schema)}</td><td>${prose(parameter.description ?? parameter.schema.description ?? '')}</td></tr>`,
      )}</table>`
}
${requestBody ? contentText('Body', requestBody.content) : ''}
${contentText('Response', responses['200']?.content ?? {})}
${callForm(path, verb, operation, schemas)}
</section>`
}

function contentText(title: string, content: Content): Html {
  return html`${Object.entries(content).map(
    ([media, { schema }]) =>
      html`<p><b>${title}</b> <small>${media}</small> ${typeText(schema)}</p>${schema.properties ? fieldTable(schema) : ''}`,
  )}`
}

function schemaSection(name: string, schema: Schema): Html {
  return html`<section id="message-${name}"><h3>${name}</h3>
<div>${prose(schema.description ?? '')}</div>
${schema.enum ? html`<p>${schema.enum.map(value => html`<code>${String(value)}</code> `)}</p>` : ''}
${schema.properties ? fieldTable(schema) : ''}</section>`
}

function fieldTable({ properties = {}, required = [] }: Schema): Html {
  return html`<table>${Object.entries(properties).map(
    ([name, field]) =>
      html`<tr><td><code>${name}</code>${required.includes(name) ? ' (required)' : ''}</td><td>${typeText(field)}</td><td>${prose(field.description ?? '')}</td></tr>`,
  )}</table>`
}

/** A type as people write it: `[Instance]`, `string int64`, `map of NumStatistic`. */
function typeText(schema: Schema): Html | string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop() ?? ''
    return html`<a href="#message-${name}">${name}</a>`
  }
  if (schema.items) return html`[${typeText(schema.items)}]`
  if (typeof schema.additionalProperties === 'object')
    return html`map of ${typeText(schema.additionalProperties)}`
  return [String(schema.type ?? 'any'), schema.format].filter(Boolean).join(' ')
}
