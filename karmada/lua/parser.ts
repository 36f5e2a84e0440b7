import { Lexer, type Token } from './lexer.js'
import { numberIn } from './numbers.js'
import type {
  BinaryOperator,
  Block,
  Call,
  Expression,
  Field,
  FunctionExpression,
  Statement,
} from './syntax.js'

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
/** As deep as expressions and blocks may nest. */
const MOST_LEVELS = 200

const ends = new Set(['end of file', 'end', 'else', 'elseif', 'until'])

/** The statements of a script. @throws LuaSyntaxError */
export const parse = (source: string): Block => new Parser(source).chunk()

class Parser {
  readonly #lexer: Lexer
  #token: Token
  #levels = 0

  constructor(source: string) {
    this.#lexer = new Lexer(source)
    this.#token = this.#lexer.next()
  }

  chunk(): Block {
    const block = this.#block()
    if (this.#token.type !== 'end of file') throw this.#unexpected()
    return block
  }

  #unexpected(): Error {
    return this.#lexer.error('syntax error')
  }

  #advance(): Token {
    const token = this.#token
    this.#token = this.#lexer.next()
    return token
  }

  #accept(type: string): Token | undefined {
    return this.#token.type === type ? this.#advance() : undefined
  }

  #expect(type: string): Token {
    if (this.#token.type !== type) throw this.#unexpected()
    return this.#advance()
  }

  #nested<T>(read: () => T): T {
    if (++this.#levels > MOST_LEVELS) throw this.#lexer.error('too many syntax levels')
    const made = read()
    this.#levels--
    return made
  }

  #block(): Block {
    return this.#nested(() => {
      const statements: Statement[] = []
      for (;;) {
        if (this.#accept(';')) continue
        if (ends.has(this.#token.type)) return statements
        const isLast = this.#token.type === 'return' || this.#token.type === 'break'
        statements.push(isLast ? this.#lastStatement() : this.#statement())
        if (!isLast) continue
        this.#accept(';')
        if (!ends.has(this.#token.type)) throw this.#unexpected()
        return statements
      }
    })
  }

  #lastStatement(): Statement {
    const { line, type } = this.#advance()
    if (type === 'break') return { is: 'break', line }
    const isBare = ends.has(this.#token.type) || this.#token.type === ';'
    return { is: 'return', line, values: isBare ? [] : this.#expressions() }
  }

  #statement(): Statement {
    const { type, line } = this.#token
    switch (type) {
      case 'do':
        return { is: 'do', line, body: this.#bodyUntil('end') }
      case 'while': {
        this.#advance()
        const condition = this.#expression()
        if (this.#token.type !== 'do') throw this.#unexpected()
        return { is: 'while', line, condition, body: this.#bodyUntil('end') }
      }
      case 'repeat': {
        const body = this.#bodyUntil('until')
        return { is: 'repeat', line, condition: this.#expression(), body }
      }
      case 'if':
        return this.#if(line)
      case 'for':
        return this.#for(line)
      case 'function':
        return this.#namedFunction(line)
      case 'local':
        return this.#local(line)
      case '::': {
        this.#advance()
        const { text } = this.#expect('name')
        this.#expect('::')
        return { is: 'label', line, name: text }
      }
      case 'goto':
        this.#advance()
        return { is: 'goto', line, name: this.#expect('name').text }
      default:
        return this.#callOrAssignment()
    }
  }

  /** From the word before it to the word after it. */
  #bodyUntil(end: string): Block {
    this.#advance()
    const body = this.#block()
    this.#expect(end)
    return body
  }

  #if(line: number): Statement {
    const branches: { condition: Expression; body: Block }[] = []
    do {
      this.#advance()
      const condition = this.#expression()
      this.#expect('then')
      branches.push({ condition, body: this.#block() })
    } while (this.#token.type === 'elseif')
    const otherwise = this.#accept('else') ? this.#block() : []
    this.#expect('end')
    return { is: 'if', line, branches, otherwise }
  }

  #for(line: number): Statement {
    this.#advance()
    const first = this.#expect('name').text
    if (this.#accept('=')) {
      const from = this.#expression()
      this.#expect(',')
      const to = this.#expression()
      const step = this.#accept(',') ? this.#expression() : undefined
      if (this.#token.type !== 'do') throw this.#unexpected()
      const body = this.#bodyUntil('end')
      return { is: 'numeric for', line, name: first, from, to, ...(step && { step }), body }
    }
    const names = [first]
    while (this.#accept(',')) names.push(this.#expect('name').text)
    this.#expect('in')
    const values = this.#expressions()
    if (this.#token.type !== 'do') throw this.#unexpected()
    return { is: 'generic for', line, names, values, body: this.#bodyUntil('end') }
  }

  #namedFunction(line: number): Statement {
    this.#advance()
    const { text, line: nameLine } = this.#expect('name')
    let target: Expression = { is: 'name', line: nameLine, name: text }
    let isMethod = false
    while (!isMethod && (this.#token.type === '.' || this.#token.type === ':')) {
      isMethod = this.#advance().type === ':'
      const key = this.#expect('name')
      const value = { is: 'string', line: key.line, value: key.text } as const
      target = { is: 'index', line: key.line, object: target, key: value }
    }
    const made = this.#functionBody(line, isMethod ? ['self'] : [])
    return { is: 'assign', line, targets: [target], values: [made] }
  }

  #local(line: number): Statement {
    this.#advance()
    if (this.#accept('function')) {
      const { text } = this.#expect('name')
      return { is: 'local', line, names: [text], values: [this.#functionBody(line, [])] }
    }
    const names = [this.#expect('name').text]
    while (this.#accept(',')) names.push(this.#expect('name').text)
    return { is: 'local', line, names, values: this.#accept('=') ? this.#expressions() : [] }
  }

  #callOrAssignment(): Statement {
    const { line } = this.#token
    const first = this.#suffixed()
    if (isVariable(first) && (this.#token.type === '=' || this.#token.type === ',')) {
      const targets = [first]
      while (this.#accept(',')) {
        const target = this.#suffixed()
        if (!isVariable(target)) throw this.#unexpected()
        targets.push(target)
      }
      this.#expect('=')
      return { is: 'assign', line, targets, values: this.#expressions() }
    }
    const call = first.is === 'parenthesis' ? first.inner : first
    if (call.is !== 'call') throw this.#lexer.error('parse error')
    return { is: 'call statement', line, call }
  }

  #expressions(): readonly Expression[] {
    const list = [this.#expression()]
    while (this.#accept(',')) list.push(this.#expression())
    return list
  }

  #expression(limit = 0): Expression {
    return this.#nested(() => {
      let left = this.#unary()
      for (;;) {
        const operator = this.#token.type as BinaryOperator
        const binding = Object.hasOwn(PRECEDENCE, operator) ? PRECEDENCE[operator] : undefined
        if (!binding || binding[0] <= limit) return left
        this.#advance()
        const right = this.#expression(binding[1])
        left = { is: 'binary', line: left.line, operator, left, right }
      }
    })
  }

  #unary(): Expression {
    const { type } = this.#token
    if (type !== '-' && type !== 'not' && type !== '#') return this.#simple()
    this.#advance()
    const operand = this.#expression(UNARY)
    return { is: 'unary', line: operand.line, operator: type, operand }
  }

  #simple(): Expression {
    const { type, text, line } = this.#token
    switch (type) {
      case 'nil':
      case 'true':
      case 'false':
        this.#advance()
        return { is: type, line }
      case '...':
        this.#advance()
        return { is: 'varargs', line }
      case 'number':
        this.#advance()
        return { is: 'number', line, value: numberIn(text) ?? Number.NaN }
      case 'string':
        this.#advance()
        return { is: 'string', line, value: text }
      case '{':
        return this.#table()
      case 'function':
        this.#advance()
        return this.#functionBody(line, [])
      default:
        return this.#suffixed()
    }
  }

  #primary(): Expression {
    const { type, text, line } = this.#token
    if (type === 'name') {
      this.#advance()
      return { is: 'name', line, name: text }
    }
    this.#expect('(')
    const inner = this.#expression()
    this.#expect(')')
    return { is: 'parenthesis', line, inner }
  }

  #suffixed(): Expression {
    let made = this.#primary()
    for (;;) {
      const { line } = made
      switch (this.#token.type) {
        case '.': {
          this.#advance()
          const name = this.#expect('name')
          made = { is: 'index', line, object: made, key: { is: 'string', line: name.line, value: name.text } }
          break
        }
        case '[': {
          this.#advance()
          const key = this.#expression()
          this.#expect(']')
          made = { is: 'index', line, object: made, key }
          break
        }
        case ':': {
          this.#advance()
          const method = this.#expect('name').text
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
    const { type, line, text } = this.#token
    if (type === '{') return [this.#table()]
    if (type === 'string') {
      this.#advance()
      return [{ is: 'string', line, value: text }]
    }
    this.#expect('(')
    const args = this.#token.type === ')' ? [] : this.#expressions()
    this.#expect(')')
    return args
  }

  #functionBody(line: number, before: readonly string[]): FunctionExpression {
    this.#expect('(')
    const parameters = [...before]
    let hasVarargs = false
    if (this.#token.type !== ')')
      do {
        hasVarargs = this.#accept('...') !== undefined
        if (!hasVarargs) parameters.push(this.#expect('name').text)
      } while (!hasVarargs && this.#accept(','))
    this.#expect(')')
    const body = this.#block()
    this.#expect('end')
    return { is: 'function', line, parameters, hasVarargs, body }
  }

  #table(): Expression {
    const { line } = this.#expect('{')
    const fields: Field[] = []
    while (this.#token.type !== '}') {
      fields.push(this.#field())
      if (!this.#accept(',') && !this.#accept(';')) break
    }
    this.#expect('}')
    return { is: 'table', line, fields }
  }

  #field(): Field {
    if (this.#accept('[')) {
      const key = this.#expression()
      this.#expect(']')
      this.#expect('=')
      return { key, value: this.#expression() }
    }
    const value = this.#expression()
    if (value.is !== 'name' || !this.#accept('=')) return { value }
    return { key: { is: 'string', line: value.line, value: value.name }, value: this.#expression() }
  }
}

const isVariable = ({ is }: Expression): boolean => is === 'name' || is === 'index'
