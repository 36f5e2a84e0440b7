import { html } from 'hono/html'
import type { Html } from './page-types.js'

/**
 * A comment of a .proto as HTML: paragraphs, the list of an enum's values (lines that begin with `- `), and code in backticks.
 * The OpenAPI document has the same text, which is Markdown there.
 */
export function prose(text: string): Html {
  const lines = text.split('\n').filter(line => line !== '')
  const items = lines.filter(line => line.startsWith('- '))
  const rest = lines.filter(line => !line.startsWith('- ')).join(' ')
  return html`${inline(rest)}${
    items.length > 0 ? html`<ul>${items.map(item => html`<li>${inline(item.slice(2))}</li>`)}</ul>` : ''
  }`
}

/** Every second part of a text that is split at backticks stood between two of them. A single backtick stays one. */
function inline(text: string): Html {
  const parts = text.split('`')
  const isPaired = (index: number): boolean => index % 2 === 1 && index < parts.length - 1
  return html`${parts.map((part, index) =>
    isPaired(index) ? html`<code>${part}</code>` : `${index % 2 === 1 ? '`' : ''}${part}`,
  )}`
}
