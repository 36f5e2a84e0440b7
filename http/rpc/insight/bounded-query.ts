import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import { FUNCTIONS } from './functions.js'

/** What a query is bounded by: only series with this label of this value are read. */
export interface Bound {
  /** A label name of Prometheus' classic form, such as `kairship_instance`. */
  readonly label: string
  readonly value: string
}

/** A query that cannot be bounded, so that it is not sent. The message completes the name of the field. */
export class QueryRefusal extends Error {
  override readonly name = 'QueryRefusal'
}

/** Characters of a query. Dashboards have queries of a few thousand. */
const LONGEST_QUERY = 16_384
/** Nodes of the syntax tree below each other. */
const DEEPEST = 200

/**
 * The same PromQL over the series of one bound only. Each selector gets a matcher for it, and matchers of one selector must all
 * hold, so that one which the caller wrote for the same label cannot widen it.
 *
 * The query is written anew from its syntax tree, and only what is known here is written: another reader (Prometheus, Thanos,
 * Mimir) cannot take it apart in another way than this one. Metric names become matchers of `__name__`, so that no bare name is
 * left which could be a selector; comments and white space go.
 * @throws QueryRefusal for what is no PromQL, or a part of it that is not known to be bounded
 */
export function boundedQuery(query: string, bound: Bound): string {
  if (query.trim() === '') throw new QueryRefusal('is required: give a query in PromQL')
  if (query.length > LONGEST_QUERY)
    throw new QueryRefusal(`is longer than ${LONGEST_QUERY} characters: split it`)
  try {
    return new Writer(query, bound).written()
  } catch (error) {
    // The parser and its tree are recursive in what is nested.
    if (error instanceof RangeError) throw tooDeep()
    throw error
  }
}

/** Nodes whose children are written one after the other. */
const COMPOSITE = new Set([
  ...['PromQL', 'ParenExpr', 'UnaryExpr', 'BinaryExpr', 'AggregateExpr', 'AggregateOp', 'AggregateModifier'],
  ...['GroupingLabels', 'QuotedLabelName', 'FunctionCall', 'FunctionCallBody', 'BoolModifier'],
  ...['MatchingModifierClause', 'FillModifier', 'FillClause', 'FillLeftClause', 'FillRightClause'],
  ...['MatrixSelector', 'SubqueryExpr', 'OffsetExpr', 'StepInvariantExpr', 'AtModifierPreprocessors'],
  ...['AnchoredExpr', 'SmoothedExpr', 'DurationExpr', 'OffsetDurationExpr', 'UnaryOp'],
])
/** Words of the language, by the names of their nodes. */
const WORDS = new Set([
  ...['Bool', 'Ignoring', 'On', 'GroupLeft', 'GroupRight', 'Offset', 'Atan2', 'Avg', 'Bottomk', 'Count'],
  ...['CountValues', 'Group', 'Max', 'Min', 'Quantile', 'LimitK', 'LimitRatio', 'Stddev', 'Stdvar', 'Sum'],
  ...['Topk', 'By', 'Without', 'And', 'Or', 'Unless', 'StartFn', 'EndFn', 'AtStart', 'AtEnd', 'Smoothed'],
  ...['Anchored', 'Fill', 'FillLeft', 'FillRight'],
  ...['DurationStep', 'DurationRange', 'DurationMinOf', 'DurationMaxOf'],
])
const OPERATORS = new Set([
  ...['Pow', 'Mul', 'Div', 'Mod', 'Add', 'Sub', 'Eql', 'Gte', 'Gtr', 'Lte', 'Lss', 'Neq', 'At'],
  ...['TrimUpper', 'TrimLower'],
])
const NUMBERS = new Set(['NumberDurationLiteral', 'NumberDurationLiteralInDurationContext'])

const WORD = /^[A-Za-z][A-Za-z0-9_]*$/
const METRIC_NAME = /^[A-Za-z_:][A-Za-z0-9_:]*$/
const LABEL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const OPERATOR = /^(?:[-+*/%^@<>]|[=!<>]=|<\/|>\/)$/
const NUMBER = /^[-+]?(?:(?:\d|\.\d)[\w.]*(?:(?<=[eE])[-+]\d+)?|inf|nan)$/i
const MATCH_OPERATOR = /^(?:=|!=|=~|!~)$/
/** What stands between nodes that have names. */
const PUNCTUATION = /^[\s(){}[\],:]*$/
/** Go's escapes, as Prometheus reads them. A quoted string ends with its line, one in backticks does not. */
const ESCAPE = String.raw`\\(?:[abfnrtv\\'"]|[0-3][0-7]{2}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})`
const STRING = new RegExp(`^(?:"(?:[^"\\\\\\n]|${ESCAPE})*"|'(?:[^'\\\\\\n]|${ESCAPE})*'|\`[^\`]*\`)$`)

const tooDeep = () => new QueryRefusal('is nested too deeply: split it')

class Writer {
  readonly #tokens: string[] = []
  readonly #matcher: string

  constructor(
    readonly query: string,
    { label, value }: Bound,
  ) {
    if (!LABEL_NAME.test(label)) throw new Error(`${label} is no label name`)
    this.#matcher = `${label}=${JSON.stringify(value)}`
  }

  written(): string {
    this.#write(parser.parse(this.query).topNode, 0)
    return this.#tokens.join(' ')
  }

  #write(node: SyntaxNode, depth: number): void {
    if (depth > DEEPEST) throw tooDeep()
    const { name } = node
    if (node.type.isError) throw this.#wrong(node)
    if (name === 'VectorSelector') this.#tokens.push(this.#selector(node))
    else if (name === 'FunctionIdentifier') this.#tokens.push(this.#function(node))
    else if (name === 'StringLiteral') this.#tokens.push(this.#text(node, STRING))
    else if (name === 'LabelName') this.#tokens.push(this.#text(node, LABEL_NAME))
    else if (NUMBERS.has(name)) this.#tokens.push(this.#text(node, NUMBER))
    else if (WORDS.has(name)) this.#tokens.push(this.#text(node, WORD))
    else if (OPERATORS.has(name)) this.#tokens.push(this.#text(node, OPERATOR))
    else if (COMPOSITE.has(name)) this.#composite(node, depth)
    else if (name !== 'LineComment') throw this.#unknown(node)
  }

  /** The children in their order, with the punctuation between them. Operators of one sign have no child of their own. */
  #composite(node: SyntaxNode, depth: number): void {
    if (node.name === 'UnaryOp' && !node.firstChild) {
      this.#tokens.push(this.#text(node, OPERATOR))
      return
    }
    let at = node.from
    for (let child = node.firstChild; child; child = child.nextSibling) {
      this.#punctuation(at, child.from)
      this.#write(child, depth + 1)
      at = child.to
    }
    this.#punctuation(at, node.to)
  }

  #punctuation(from: number, to: number): void {
    const text = this.query.slice(from, to)
    if (!PUNCTUATION.test(text)) throw this.#wrong({ from, to })
    this.#tokens.push(...text.replace(/\s+/g, ''))
  }

  #selector(node: SyntaxNode): string {
    const name = node.getChild('Identifier')
    const matchers = [
      ...(name ? [`__name__="${this.#text(name, METRIC_NAME)}"`] : []),
      ...children(node.getChild('LabelMatchers')).flatMap(child => this.#matcherOf(child)),
    ]
    const known = new Set(['Identifier', 'LabelMatchers', 'LineComment'])
    const other = children(node).find(child => !known.has(child.name))
    if (other) throw other.type.isError ? this.#wrong(other) : this.#unknown(other)
    // Prometheus' own rule: as a matcher it would not be noticed.
    if (name && matchers.slice(1).some(matcher => /^"?__name__\b/.test(matcher)))
      throw new QueryRefusal(
        `${this.#where(node)} names the metric twice: once before the braces, once in __name__`,
      )
    return `{${[this.#matcher, ...matchers].join(',')}}`
  }

  #matcherOf(node: SyntaxNode): string[] {
    if (node.name === 'LineComment') return []
    if (node.type.isError) throw this.#wrong(node)
    if (node.name === 'QuotedLabelName') return [this.#quotedName(node)]
    const isQuoted = node.name === 'QuotedLabelMatcher'
    if (!isQuoted && node.name !== 'UnquotedLabelMatcher') throw this.#unknown(node)
    const [label, operator, value, ...rest] = children(node).filter(({ name }) => name !== 'LineComment')
    const wanted = isQuoted ? 'QuotedLabelName' : 'LabelName'
    if (
      label?.name !== wanted ||
      operator?.name !== 'MatchOp' ||
      value?.name !== 'StringLiteral' ||
      rest.length > 0
    )
      throw this.#wrong(node)
    const left = isQuoted ? this.#quotedName(label) : this.#text(label, LABEL_NAME)
    return [`${left}${this.#text(operator, MATCH_OPERATOR)}${this.#text(value, STRING)}`]
  }

  #quotedName(node: SyntaxNode): string {
    const text = node.getChild('StringLiteral')
    if (!text) throw this.#wrong(node)
    return this.#text(text, STRING)
  }

  #function(node: SyntaxNode): string {
    const name = this.#text(node, WORD)
    if (FUNCTIONS.has(name)) return name
    throw new QueryRefusal(
      `${this.#where(node)} calls ${name}, which is not known to read only the series that the query selects`,
    )
  }

  #text(node: { readonly from: number; readonly to: number }, form: RegExp): string {
    const text = this.query.slice(node.from, node.to)
    if (form.test(text)) return text
    throw this.#wrong(node)
  }

  #wrong(node: { readonly from: number; readonly to: number }): QueryRefusal {
    return new QueryRefusal(`${this.#where(node)} is not PromQL`)
  }

  #unknown(node: SyntaxNode): QueryRefusal {
    return new QueryRefusal(`${this.#where(node)} is a ${node.name}, which is not known to be bounded`)
  }

  /** Where in the query, as Prometheus says it: line and column from 1. */
  #where({ from, to }: { readonly from: number; readonly to: number }): string {
    const before = this.query.slice(0, from).split('\n')
    const text = this.query.slice(from, Math.max(to, from + 1)).slice(0, 40)
    return `at ${before.length}:${(before.at(-1)?.length ?? 0) + 1} ${text === '' ? 'the end' : JSON.stringify(text)}`
  }
}

function children(node: SyntaxNode | null): SyntaxNode[] {
  const found: SyntaxNode[] = []
  for (let child = node?.firstChild ?? null; child; child = child.nextSibling) found.push(child)
  return found
}
