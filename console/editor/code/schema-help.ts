import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import type { EditorState, Extension } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import { type Schema, typeText } from '../schema/open-api.js'
import { type Place, placeAt } from '../schema/path-at.js'
import type { KindSchema } from '../schema/schemas.js'

/** Reads the schema of a kind; undefined where there is none. */
export type SchemaLookup = (apiVersion: string, kind: string) => Promise<KindSchema | undefined>

/** The number of lines above and below in which a manifest's `apiVersion` and `kind` are searched. */
const MOST_LINES = 5_000

/** Completion and hover text from the schema of the manifest at the cursor. */
export const schemaHelp = (lookup: SchemaLookup): Extension => [
  autocompletion({ override: [context => complete(context, lookup)], icons: false }),
  hoverTooltip(async (view, position) => {
    const line = view.state.doc.lineAt(position)
    const found = await schemaAt(view.state, position, lookup)
    if (!found) return null
    const { place, kind } = found
    const field = kind.document.at(kind.schema, [...place.path, place.key])
    const start = line.from + line.text.indexOf(place.key)
    if (!field || place.key === '' || position < start || position > start + place.key.length) return null
    return {
      pos: start,
      end: start + place.key.length,
      above: true,
      create: () => ({ dom: descriptionOf(place.key, field) }),
    }
  }),
]

function descriptionOf(name: string, schema: Schema): HTMLElement {
  const dom = document.createElement('div')
  dom.className = 'cm-field-help'
  const title = document.createElement('strong')
  title.textContent = `${name}: ${typeText(schema)}`
  const text = document.createElement('div')
  text.textContent = schema.description ?? ''
  dom.append(title, text)
  return dom
}

async function complete(context: CompletionContext, lookup: SchemaLookup): Promise<CompletionResult | null> {
  const word = context.matchBefore(/[\w.$/-]*/)
  if (!word || (word.from === word.to && !context.explicit)) return null
  const found = await schemaAt(context.state, context.pos, lookup)
  if (!found || context.aborted) return null
  const { place, kind } = found
  const { document, schema } = kind
  const line = context.state.doc.lineAt(context.pos)
  const isValue = place.value !== undefined && context.pos > line.from + line.text.indexOf(':')
  if (isValue) return { from: word.from, options: valuesOf(document.at(schema, [...place.path, place.key])) }
  const options = document.fields(document.at(schema, place.path)).map(
    ({ name, schema: field, isRequired }): Completion => ({
      label: name,
      detail: typeText(field),
      apply: `${name}:${valueStart(field, line.text)}`,
      boost: isRequired ? 1 : 0,
      ...(field.description && { info: field.description }),
    }),
  )
  return { from: word.from, options, validFor: /^[\w.$/-]*$/ }
}

/** The text after a completed field's colon: an object or a list begins on the next line, indented. */
function valueStart(schema: Schema, line: string): string {
  const indent = ' '.repeat(/^[\s-]*/.exec(line)?.[0].length ?? 0)
  if (schema.type === 'array') return `\n${indent}- `
  if (schema.type === 'object' || schema.properties) return `\n${indent}  `
  return ' '
}

function valuesOf(schema: Schema | undefined): Completion[] {
  if (schema?.type === 'boolean') return [{ label: 'true' }, { label: 'false' }]
  return (schema?.enum ?? []).map(each => ({ label: String(each) }))
}

/** The place of a position, and the schema of its manifest. */
async function schemaAt(
  state: EditorState,
  position: number,
  lookup: SchemaLookup,
): Promise<{ readonly place: Place; readonly kind: KindSchema } | undefined> {
  const { lines, line } = manifestAround(state, position)
  const { column } = { column: position - state.doc.lineAt(position).from }
  const apiVersion = rootValue(lines, 'apiVersion')
  const name = rootValue(lines, 'kind')
  const kind = apiVersion && name ? await lookup(apiVersion, name) : undefined
  return kind && { place: placeAt(lines, line, column), kind }
}

/** The lines of the manifest around a position, and the index of its line. */
function manifestAround(state: EditorState, position: number) {
  const here = state.doc.lineAt(position).number
  const isBetween = (number: number) => /^---(\s|$)/.test(state.doc.line(number).text)
  let [first, last] = [here, here]
  while (first > 1 && here - first < MOST_LINES && !isBetween(first - 1)) first -= 1
  while (last < state.doc.lines && last - here < MOST_LINES && !isBetween(last + 1)) last += 1
  const lines: string[] = []
  for (let number = first; number <= last; number += 1) lines.push(state.doc.line(number).text)
  return { lines, line: here - first }
}

function rootValue(lines: readonly string[], field: string): string | undefined {
  for (const line of lines) {
    const [, value] = new RegExp(`^${field}:\\s+["']?([\\w./-]+)`).exec(line) ?? []
    if (value) return value
  }
  return undefined
}
