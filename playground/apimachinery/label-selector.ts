import {
  EVERYTHING,
  isInteger,
  type LabelRequirement,
  type LabelSelector,
  type Operator,
  operatorOf,
  SelectorError,
  selectorOf,
} from '../../manifests/label-selector.js'
import { labelValue, qualifiedName } from '../../manifests/name-format.js'
import { invalid } from './field-error.js'
import { isArray, isObject, type Json, objectAt, stringAt } from './json.js'

/**
 * Reads the `labelSelector` query parameter: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, `a>1`, `a<1`.
 * @throws SelectorError with the message of Kubernetes' own parser
 */
export function parseLabelSelector(text: string): LabelSelector {
  return text.trim() === '' ? EVERYTHING : selectorOf(new Parser(text).parse())
}

/**
 * Turns a `metav1.LabelSelector` (matchLabels, matchExpressions) into a selector. Absent selects nothing, empty everything,
 * as LabelSelectorAsSelector does.
 * @throws SelectorError for an operator that does not exist
 */
export function selectorFromObject(selector: Json | undefined): LabelSelector {
  if (!isObject(selector)) return { requirements: [], matches: () => false }
  const equalities = Object.entries(objectAt(selector, 'matchLabels')).map(
    ([key, value]): LabelRequirement => ({ key, operator: '=', values: [String(value)] }),
  )
  const expressions = isArray(selector.matchExpressions) ? selector.matchExpressions : []
  return selectorOf([...equalities, ...expressions.map(expressionRequirement)])
}

function expressionRequirement(expression: Json): LabelRequirement {
  const operator = operatorOf(stringAt(expression, 'operator'))
  const values = isObject(expression) && isArray(expression.values) ? expression.values.map(String) : []
  return { key: stringAt(expression, 'key'), operator, values }
}

interface Token {
  readonly kind: 'identifier' | 'symbol' | 'end'
  readonly text: string
}

const SYMBOLS = ['!=', '==', '!', '=', '(', ')', ',', '>', '<']
const OPERATORS: Readonly<Record<string, Operator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
}
const BINARY = 'in, notin, =, ==, !=, gt, lt'

function tokens(text: string): Token[] {
  const found: Token[] = []
  let rest = text
  for (;;) {
    rest = rest.replace(/^[ \t\r\n]+/, '')
    if (rest === '') return [...found, { kind: 'end', text: '' }]
    const symbol = SYMBOLS.find(one => rest.startsWith(one))
    const token = symbol ?? /^[^ \t\r\n=!(),><]+/.exec(rest)?.[0] ?? ''
    found.push({ kind: symbol === undefined ? 'identifier' : 'symbol', text: token })
    rest = rest.slice(token.length)
  }
}

/** Recursive descent over the tokens; one method per production of the grammar. */
class Parser {
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(text: string) {
    this.#tokens = tokens(text)
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    for (;;) {
      const next = this.#peek()
      if (next.kind === 'end') return requirements
      if (next.kind !== 'identifier' && next.text !== '!') {
        throw new SelectorError(`found '${next.text}', expected: !, identifier, or 'end of string'`)
      }
      requirements.push(this.#requirement())
      const separator = this.#take()
      if (separator.kind === 'end') return requirements
      if (separator.text !== ',') {
        throw new SelectorError(`found '${separator.text}', expected: ',' or 'end of string'`)
      }
      const after = this.#peek()
      if (after.kind !== 'identifier' && after.text !== '!') {
        throw new SelectorError(`found '${after.text}', expected: identifier after ','`)
      }
    }
  }

  #requirement(): LabelRequirement {
    const negated = this.#peek().text === '!'
    if (negated) this.#take()
    const name = this.#take()
    if (name.kind !== 'identifier') refuse(`found '${name.text}', expected: identifier`)
    complain('<nil>', name.text, qualifiedName(name.text))
    if (negated) return { key: name.text, operator: '!', values: [] }
    if (this.#atEndOfTerm()) return { key: name.text, operator: 'exists', values: [] }
    const word = this.#take().text
    const operator = OPERATORS[word] ?? refuse(`found '${word}', expected: ${BINARY}`)
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#exactValue()]
    if ((operator === 'gt' || operator === 'lt') && !isInteger(values[0])) {
      complain('values[0]', values[0], ["for 'Gt', 'Lt' operators, the value must be an integer"])
    }
    values.forEach((value, at) => {
      complain(`values[${at}][${name.text}]`, value, labelValue(value))
    })
    return { key: name.text, operator, values }
  }

  #values(): string[] {
    const open = this.#take()
    if (open.text !== '(') refuse(`found '${open.text}' expected: '('`)
    const values = new Set<string>()
    let expectValue = true
    for (;;) {
      const token = this.#take()
      if (token.kind === 'identifier' && expectValue) {
        values.add(token.text)
        expectValue = false
      } else if (token.text === ',' && token.kind === 'symbol') {
        if (expectValue) values.add('')
        expectValue = true
      } else if (token.text === ')') {
        if (expectValue) values.add('')
        return [...values].sort()
      } else {
        refuse(`found '${token.text}', expected: ${expectValue ? "',', or identifier" : "',' or ')'"}`)
      }
    }
  }

  #exactValue(): string {
    if (this.#atEndOfTerm()) return ''
    const token = this.#take()
    return token.kind === 'identifier' ? token.text : refuse(`found '${token.text}', expected: identifier`)
  }

  #atEndOfTerm(): boolean {
    const next = this.#peek()
    return next.kind === 'end' || next.text === ','
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? { kind: 'end', text: '' }
  }

  #take(): Token {
    const token = this.#peek()
    this.#position += 1
    return token
  }
}

function refuse(message: string): never {
  throw new SelectorError(`unable to parse requirement: ${message}`)
}

function complain(field: string, value: unknown, complaints: readonly string[]): void {
  if (complaints.length === 0) return
  const error = invalid(field, value, complaints.join('; '))
  refuse(`${error.field}: ${error.body}`)
}
