/** The path to a place in a YAML text: fields, and `[]` for an item of a list. */
export type Path = readonly string[]

export interface Place {
  /** The path of the mapping that has the line. */
  readonly path: Path
  /** The field of the line, possibly incomplete. */
  readonly key: string
  /** The value after the field's colon, where the line has one. */
  readonly value: string | undefined
}

/** A line such as `- - name: web`: the columns of its dashes, and its field. */
interface Line {
  readonly dashes: readonly number[]
  readonly column: number
  readonly key: string
  readonly value: string | undefined
}

const KEY = /^("[^"]*"|'[^']*'|[^\s#:'"{}[\]]+)\s*:(?:\s+(.*))?$/

function lineOf(text: string): Line | undefined {
  let column = text.length - text.trimStart().length
  let rest = text.slice(column)
  const dashes: number[] = []
  for (let dash = /^-(\s+|$)/.exec(rest); dash; dash = /^-(\s+|$)/.exec(rest)) {
    dashes.push(column)
    column += dash[0].length
    rest = rest.slice(dash[0].length)
  }
  rest = rest.trimEnd()
  if (rest.startsWith('#') || (rest === '' && dashes.length === 0)) return undefined
  const [, key = '', value] = KEY.exec(rest) ?? []
  return {
    dashes,
    column,
    key: key.replace(/^["']|["']$/g, ''),
    value: key === '' ? undefined : (value ?? ''),
  }
}

/**
 * The place of a line, found by indentation, so that it works in an incomplete text. Only block style is read, not what is between braces.
 * @param line counts from 0
 * @param column of the cursor; on a blank line it decides the level
 */
export function placeAt(lines: readonly string[], line: number, column: number): Place {
  const text = lines[line] ?? ''
  const own = lineOf(text)
  const dashes = own?.dashes ?? []
  const path: string[] = []
  let limit = own ? own.column : Math.min(column, text.length)
  // Items of a list may be at the same column as the list's field.
  let isItem = false
  const passDashes = (columns: readonly number[]) => {
    for (const dash of [...columns].reverse())
      if (dash < limit) {
        path.unshift('[]')
        limit = dash
        isItem = true
      }
  }
  passDashes(dashes)
  for (let above = line - 1; above >= 0 && (limit > 0 || isItem); above -= 1) {
    const given = lines[above] ?? ''
    if (/^---(\s|$)/.test(given)) break
    const read = lineOf(given)
    if (!read) continue
    const isParent =
      read.key !== '' &&
      (read.column < limit || (isItem && read.column === limit && read.dashes.length === 0))
    if (isParent) {
      path.unshift(read.key)
      limit = read.column
      isItem = false
    }
    passDashes(read.dashes)
  }
  const typed = own?.key === '' ? text.slice(own.column).trim() : (own?.key ?? '')
  return { path, key: typed, value: own?.value }
}
