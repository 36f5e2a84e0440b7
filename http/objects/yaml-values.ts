import { Lexer } from 'yaml'

/** Characters of which each value but the first has at least one before it. */
const STRUCTURE = /[-?,:[{]/g

/**
 * Whether a YAML text has more than `most` values, found without making one of them: a parser takes up to 4 µs and 300 bytes for each, and
 * cannot be stopped. Counted like the values of JSON: items and keys once each, lists and mappings in brackets once more. The texts of
 * quoted and block scalars, and comments, count nothing. A text that is no YAML is counted as far as it looks like it.
 */
export function hasMoreYamlValues(yaml: string, most: number): boolean {
  if ((yaml.match(STRUCTURE)?.length ?? 0) < most) return false
  let values = 1
  let brackets = 0
  for (const token of new Lexer().lex(yaml)) {
    if (token === '[' || token === '{') brackets += 1
    if (token === ']' || token === '}') brackets -= 1
    // Between brackets a comma or the bracket itself stands for each pair already.
    if (VALUES.has(token) || (token === ':' && brackets === 0)) values += 1
    if (values > most) return true
  }
  return false
}

const VALUES: ReadonlySet<string> = new Set(['-', '?', ',', '[', '{'])
