import { remember } from '../../objects/bounded-memory.js'
import { FieldSelectorError, type FieldStep, parseFieldPath } from './field-path.js'

type Operator = '=' | '==' | '!=' | 'in' | 'notin' | '>' | '<' | 'exists' | '!'

/** One comma-separated term of an enhanced field selector. */
export interface FieldRequirement {
  readonly path: readonly FieldStep[]
  readonly operator: Operator
  readonly values: readonly string[]
}

/** All requirements must hold. Values compare as text, absent fields as null, as Clusterpedia's SQL does. */
export interface EnhancedFieldSelector {
  readonly requirements: readonly FieldRequirement[]
  /** @param json the serialized object, which must never change: what was read of it is remembered */
  matches(json: Buffer): boolean
}

type Token = { readonly kind: 'word' | 'symbol' | 'end'; readonly text: string }

const SYMBOLS = ['==', '!=', '=', '!', '(', ')', ',', '>', '<'] as const

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    if (/\s/.test(text[at] as string)) {
      at++
      continue
    }
    const symbol = SYMBOLS.find(one => text.startsWith(one, at))
    if (symbol) {
      tokens.push({ kind: 'symbol', text: symbol })
      at += symbol.length
      continue
    }
    const word = /^[^\s=!(),><]+/.exec(text.slice(at))?.[0] as string
    tokens.push({ kind: 'word', text: word })
    at += word.length
  }
  return [...tokens, { kind: 'end', text: '' }]
}

/**
 * Reads Clusterpedia's enhanced field selector: `spec.replicas=3`, `metadata.annotations['a.b/c'] in (x,y)`, `!status.x`.
 * @throws FieldSelectorError; list fields parse but are refused, as Clusterpedia's storage refuses them
 */
export function parseEnhancedFieldSelector(text: string): EnhancedFieldSelector {
  const parser = new Parser(tokenize(text))
  const requirements = parser.parse()
  for (const { path } of requirements) refuseLists(path)
  const terms = requirements.map(requirement => ({
    requirement,
    values: valuesAt(requirement.path),
    signs: signsOf(requirement),
  }))
  return {
    requirements,
    matches: json => {
      const bytes = json.toString('latin1')
      return terms.every(({ requirement, values, signs }) =>
        signs.some(sign => bytes.includes(sign))
          ? holds(requirement, textOf(json, requirement.path, values))
          : holds(requirement, undefined),
      )
    },
  }
}

/**
 * Texts, a character for each byte, of which the JSON of an object has one wherever it matters what is at the path. An object
 * without any of them is like one without the field, and need not be parsed: a value that is not equal counts as much as none.
 */
function signsOf({ path, operator, values }: FieldRequirement): readonly string[] {
  const name = path.at(-1)?.name ?? ''
  // What a list holds has no key in JSON.
  if (/^(\d+|length)$/.test(name)) return ['']
  // Without its first quote, which is everywhere in JSON, a sign is found sooner.
  const key = `${JSON.stringify(name).slice(1)}:`
  const compares = ['=', '==', '!=', 'in', 'notin'].includes(operator)
  const signs = compares
    ? values.flatMap(value => [`${key}${JSON.stringify(value)}`, `${key}${value}`])
    : [key]
  return signs.map(sign => Buffer.from(sign).toString('latin1'))
}

type Values = WeakMap<Buffer, string | undefined>

/** Paths whose values are remembered; the one unused for longest is forgotten first. */
const MAX_PATHS = 32
/** What was read at a path, by object: a query that comes again (a page after a page) parses nothing. */
const remembered = new Map<string, Values>()

function valuesAt(path: readonly FieldStep[]): Values {
  const key = JSON.stringify(path.map(({ name }) => name))
  const values: Values = remembered.get(key) ?? new WeakMap()
  remember(remembered, key, values, MAX_PATHS)
  return values
}

function textOf(json: Buffer, path: readonly FieldStep[], values: Values): string | undefined {
  if (values.has(json)) return values.get(json)
  const text = textAt(JSON.parse(json.toString()), path)
  values.set(json, text)
  return text
}

function refuseLists(path: readonly FieldStep[]): void {
  const list = path.find(({ isList }) => isList)
  if (!list) return
  const field = path.map(({ name, isList }) => (isList ? `${name}[]` : name)).join('.')
  const detail = 'Storage<internal>: Not Support list field'
  throw new FieldSelectorError(`${field}: Invalid value: ${JSON.stringify(list.name)}: ${detail}`, {
    field,
    value: list.name,
    detail,
  })
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  parse(): FieldRequirement[] {
    const requirements: FieldRequirement[] = []
    if (this.#peek().kind === 'end') return requirements
    for (;;) {
      requirements.push(this.#requirement())
      const { kind, text } = this.#next()
      if (kind === 'end') return requirements
      if (text !== ',') throw expected(text, "',' or 'end of string'")
    }
  }

  #requirement(): FieldRequirement {
    const negated = this.#accept('!')
    const key = this.#next()
    if (key.kind !== 'word') throw expected(key.text, '!, identifier, or end of string')
    const path = parseFieldPath(key.text)
    const { kind, text } = this.#peek()
    if (negated) return { path, operator: '!', values: [] }
    if (kind === 'end' || text === ',') return { path, operator: 'exists', values: [] }
    const operator = this.#operator()
    if (operator === 'in' || operator === 'notin') return { path, operator, values: this.#values() }
    const values = [this.#exactValue()]
    if ((operator === '>' || operator === '<') && !/^[+-]?\d+$/.test(values[0] ?? ''))
      throw new FieldSelectorError("for 'Gt', 'Lt' operators, the value must be an integer")
    return { path, operator, values }
  }

  #operator(): Operator {
    const { text } = this.#next()
    if (['=', '==', '!=', '>', '<', 'in', 'notin'].includes(text)) return text as Operator
    throw new FieldSelectorError(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`)
  }

  /** `(a,b)`; an empty place is the empty text. */
  #values(): string[] {
    const open = this.#next()
    if (open.text !== '(') throw expected(open.text, "'('")
    const values = ['']
    for (;;) {
      const { kind, text } = this.#next()
      if (text === ')') return [...new Set(values)]
      if (text === ',') values.push('')
      else if (kind === 'word' && values.at(-1) === '') values[values.length - 1] = text
      else throw expected(text, "',', ')' or identifier")
    }
  }

  #exactValue(): string {
    const { kind, text } = this.#peek()
    if (kind === 'end' || text === ',') return ''
    if (kind !== 'word') throw expected(text, 'identifier')
    return this.#next().text
  }

  #accept(symbol: string): boolean {
    if (this.#peek().text !== symbol) return false
    this.#at++
    return true
  }
  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '' }
  }
  #next(): Token {
    const token = this.#peek()
    this.#at++
    return token
  }
}

const expected = (found: string, wanted: string): FieldSelectorError =>
  new FieldSelectorError(`unable to parse requirement: found ${JSON.stringify(found)}, expected: ${wanted}`)

function holds({ operator, values }: FieldRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value)
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value)
    case '>':
      return isInteger(value) && BigInt(value) > BigInt(values[0] ?? 0)
    case '<':
      return isInteger(value) && BigInt(value) < BigInt(values[0] ?? 0)
  }
}

const isInteger = (text: string | undefined): text is string => text !== undefined && /^-?\d+$/.test(text)

/** The value as text: strings as they are, anything else as JSON; null is absent. */
function textAt(object: unknown, path: readonly FieldStep[]): string | undefined {
  let value = object
  for (const { name } of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}
