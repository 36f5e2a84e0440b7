import { JSONPath } from 'jsonpath-plus'
import { CommandError, ExitCode } from '../exit-code.js'

/**
 * What a JSONPath selects, in kubectl's dialect (k8s.io/client-go/util/jsonpath): `.a.b`, `a\.b`, `['a.b']`, `[*]`, `[0]`,
 * `[-1]`, `..a`, `[?(@.type=="Ready")]`. A key that is missing selects nothing.
 * @throws CommandError for a path that cannot be read
 */
export function jsonPath(value: unknown, path: string): readonly unknown[] {
  const rooted = path.startsWith('$') || path.startsWith('@') ? `$${path.slice(1)}` : `$${dotted(path)}`
  const translated = rooted
    // An escaped dot belongs to the key.
    .replace(/\.((?:[\w/-]|\\.)*\\.(?:[\w/-]|\\.)*)/g, (_, key: string) => `['${key.replaceAll('\\', '')}']`)
    // A negative index counts from the end.
    .replace(/\[(-\d+)\]/g, (_, index: string) =>
      index === '-1' ? '[-1:]' : `[${index}:${Number(index) + 1}]`,
    )
  try {
    // `safe` is an interpreter of expressions, and not JavaScript: it can call nothing.
    return JSONPath({ path: translated, json: value as object, eval: 'safe', wrap: true }) as unknown[]
  } catch (error) {
    throw unreadable(path, error)
  }
}

const dotted = (path: string): string => (path === '' || /^[.[]/.test(path) ? path : `.${path}`)

/** One part of a template: text, a path, or a path over whose values the parts within are repeated. */
type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'range'; readonly path: string; readonly parts: readonly Part[] }

/**
 * Fills in a template of `kubectl -o jsonpath`: `{.items[*].metadata.name}`, `{range .items[*]}{.metadata.name}{"\n"}{end}`.
 * Several values of one path are separated by a blank; objects and lists are JSON.
 * @throws CommandError for a template that cannot be read
 */
export function fillTemplate(template: string, value: unknown): string {
  return fill(parse(template), value)
}

function fill(parts: readonly Part[], value: unknown): string {
  return parts
    .map(part => {
      if (part.kind === 'text') return part.text
      const found = jsonPath(value, part.path)
      return part.kind === 'path'
        ? found.map(shown).join(' ')
        : found.map(item => fill(part.parts, item)).join('')
    })
    .join('')
}

/** A value as kubectl writes it. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

/** Text, or an expression in braces, in which strings may hold braces. */
const token = /([^{]+)|\{((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^{}"'])*)\}/gy

function parse(template: string): readonly Part[] {
  const open: { path: string; parts: Part[] }[] = [{ path: '', parts: [] }]
  token.lastIndex = 0
  while (token.lastIndex < template.length) {
    const at = token.lastIndex
    const [whole, text, braces] = token.exec(template) ?? []
    if (whole === undefined) throw unreadable(template.slice(at), 'a brace is not closed')
    const parts = open.at(-1)?.parts ?? []
    if (text !== undefined) parts.push({ kind: 'text', text })
    else addExpression(open, parts, (braces ?? '').trim())
  }
  const [root, ...unclosed] = open
  if (unclosed.length > 0) throw unreadable(template, '{range} has no {end}')
  return root?.parts ?? []
}

function addExpression(open: { path: string; parts: Part[] }[], parts: Part[], expression: string): void {
  if (expression === 'end') {
    const closed = open.pop()
    if (!closed || open.length === 0) throw unreadable('{end}', 'it has no {range}')
    open.at(-1)?.parts.push({ kind: 'range', ...closed })
  } else if (expression.startsWith('range ')) open.push({ path: expression.slice(6).trim(), parts: [] })
  else if (/^["']/.test(expression)) parts.push({ kind: 'text', text: unquoted(expression) })
  else parts.push({ kind: 'path', path: expression })
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }
const unquoted = (text: string): string =>
  text.slice(1, -1).replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter)

const unreadable = (path: string, cause: unknown): CommandError =>
  new CommandError(
    `-o: ${JSON.stringify(path)} is no JSONPath: ${cause instanceof Error ? cause.message : String(cause)}`,
    ExitCode.usage,
    { cause },
  )
