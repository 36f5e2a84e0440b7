import { expect, it } from 'vitest'
import { createLog } from '../../../cli/log/log.js'
import { columns } from '../../../cli/print/columns.js'
import { oneLine, printable, printingTo } from '../../../cli/print/printable.js'

const ESC = '\u001b]0;owned\u0007\u001b[2J'

it.each([
  ['a title and a cleared screen', ESC, '\\u001b]0;owned\\u0007\\u001b[2J'],
  ['a return to the start of the line', 'no\ryes', 'no\\u000dyes'],
  ['an 8-bit control sequence', '\u009b31m', '\\u009b31m'],
  ['a deleted character', 'a\u007f', 'a\\u007f'],
  ['text', 'é\t日本 "x" \\n\n', 'é\t日本 "x" \\n\n'],
])('shows a control character as text: %s', (_, text, shown) => {
  expect(printable(text)).toBe(shown)
})

it('JSON stays JSON of the same value', () => {
  const value = { a: `${ESC}\u009b\u007f` }
  expect(JSON.parse(printable(JSON.stringify(value)))).toEqual(value)
})

it('both outputs of a process get printable text', () => {
  const [out, err]: [string[], string[]] = [[], []]
  const printing = printingTo({
    stdout: { write: text => out.push(text) },
    stderr: { write: text => err.push(text) },
  })
  printing.out(`name ${ESC}\n`)
  printing.err(`error: ${ESC}\n`)
  expect([...out, ...err].join('')).toBe(
    'name \\u001b]0;owned\\u0007\\u001b[2J\nerror: \\u001b]0;owned\\u0007\\u001b[2J\n',
  )
})

it('a log line for people gets printable text', () => {
  const lines: string[] = []
  const log = createLog({ logLevel: 'info', logFormat: 'text' }, { write: line => lines.push(line) })
  log.info({ source: '\u001b[2J', deep: { name: '\u009b31m' } }, 'm')
  expect(lines.join('')).toContain('source=\\u001b[2J')
  expect(lines.join('')).not.toMatch(/\p{Cc}(?<!\n)/u)
})

it('a cell stays in its row', () => {
  const { text } = columns(['NAME', 'PHASE'], [['a\nb   Ready', 'Deleting']])
  expect(text).toBe('NAME           PHASE\na\\nb   Ready   Deleting\n')
  expect(oneLine('a\tb\n')).toBe('a\\tb\\n')
})
