import { numberIn } from './numbers.js'
import type { BinaryOperator, Block, Call, Expression, Field, FunctionExpression } from './syntax.js'
import type { TokenReader } from './token-reader.js'

/** How tightly operators bind to what is left and right of them; `..` and `^` to the right first. */
const PRECEDENCE: Readonly<Record<BinaryOperator, readonly [left: number, right: number]>> = {
  or: [1, 1],
  and: [2, 2],
  ...{ '<': [3, 3], '>': [3, 3], '<=': [3, 3], '>=': [3, 3], '==': [3, 3], '~=': [3, 3] },
  '..': [5, 4],
  ...{ '+': [6, 6], '-': [6, 6] },
  ...{ '*': [7, 7], '/': [7, 7], '%': [7, 7] },
  '^': [10, 9],
}
const UNARY = 8

/** Reads expressions. Its methods throw LuaSyntaxError. */
export class ExpressionParser {
  /** @param block reads the statements of a function */
  constructor(
    private readonly tokens: TokenReader,
    private readonly block: () => Block,
  ) {}

  list(): readonly Expression[] {
    const list = [this.one()]
    while (this.tokens.accept(',')) list.push(this.one())
    return list
  }

  one(limit = 0): Expression {
    return this.tokens.nested(() => {
      let left = this.#unary()
      for (;;) {
        const operator = this.tokens.current.type as BinaryOperator
        const binding = Object.hasOwn(PRECEDENCE, operator) ? PRECEDENCE[operator] : undefined
        if (!binding || binding[0] <= limit) return left
        this.tokens.advance()
        const right = this.one(binding[1])
        left = { is: 'binary', line: left.line, operator, left, right }
      }
    })
  }

  #unary(): Expression {
    const { type } = this.tokens.current
    if (type !== '-' && type !== 'not' && type !== '#') return this.#simple()
    this.tokens.advance()
    const operand = this.one(UNARY)
    return { is: 'unary', line: operand.line, operator: type, operand }
  }

  #simple(): Expression {
    const { type, text, line } = this.tokens.current
    switch (type) {
      case 'nil':
      case 'true':
      case 'false':
        this.tokens.advance()
        return { is: type, line }
      case '...':
        this.tokens.advance()
        return { is: 'varargs', line }
      case 'number':
        this.tokens.advance()
        return { is: 'number', line, value: numberIn(text) ?? Number.NaN }
      case 'string':
        this.tokens.advance()
        return { is: 'string', line, value: text }
      case '{':
        return this.#table()
      case 'function':
        this.tokens.advance()
        return this.functionBody(line, [])
      default:
        return this.suffixed()
    }
  }

  #primary(): Expression {
    const { type, text, line } = this.tokens.current
    if (type === 'name') {
      this.tokens.advance()
      return { is: 'name', line, name: text }
    }
    this.tokens.expect('(')
    const inner = this.one()
    this.tokens.expect(')')
    return { is: 'parenthesis', line, inner }
  }

  suffixed(): Expression {
    let made = this.#primary()
    for (;;) {
      const { line } = made
      switch (this.tokens.current.type) {
        case '.': {
          this.tokens.advance()
          const name = this.tokens.expect('name')
          made = { is: 'index', line, object: made, key: { is: 'string', line: name.line, value: name.text } }
          break
        }
        case '[': {
          this.tokens.advance()
          const key = this.one()
          this.tokens.expect(']')
          made = { is: 'index', line, object: made, key }
          break
        }
        case ':': {
          this.tokens.advance()
          const method = this.tokens.expect('name').text
          made = { is: 'call', line, callee: made, method, args: this.#args() }
          break
        }
        case '(':
        case 'string':
        case '{':
          made = { is: 'call', line, callee: made, args: this.#args() }
          break
        default:
          return made
      }
    }
  }

  #args(): Call['args'] {
    const { type, line, text } = this.tokens.current
    if (type === '{') return [this.#table()]
    if (type === 'string') {
      this.tokens.advance()
      return [{ is: 'string', line, value: text }]
    }
    this.tokens.expect('(')
    const args = this.tokens.current.type === ')' ? [] : this.list()
    this.tokens.expect(')')
    return args
  }

  functionBody(line: number, before: readonly string[]): FunctionExpression {
    this.tokens.expect('(')
    const parameters = [...before]
    let hasVarargs = false
    if (this.tokens.current.type !== ')')
      do {
        hasVarargs = this.tokens.accept('...') !== undefined
        if (!hasVarargs) parameters.push(this.tokens.expect('name').text)
      } while (!hasVarargs && this.tokens.accept(','))
    this.tokens.expect(')')
    const body = this.block()
    this.tokens.expect('end')
    return { is: 'function', line, parameters, hasVarargs, body }
  }

  #table(): Expression {
    const { line } = this.tokens.expect('{')
    const fields: Field[] = []
    while (this.tokens.current.type !== '}') {
      fields.push(this.#field())
      if (!this.tokens.accept(',') && !this.tokens.accept(';')) break
    }
    this.tokens.expect('}')
    return { is: 'table', line, fields }
  }

  #field(): Field {
    if (this.tokens.accept('[')) {
      const key = this.one()
      this.tokens.expect(']')
      this.tokens.expect('=')
      return { key, value: this.one() }
    }
    const value = this.one()
    if (value.is !== 'name' || !this.tokens.accept('=')) return { value }
    return { key: { is: 'string', line: value.line, value: value.name }, value: this.one() }
  }
}
