import { ExpressionParser } from './parse-expression.js'
import type { Block, Expression, Statement } from './syntax.js'
import { TokenReader } from './token-reader.js'

const ends = new Set(['end of file', 'end', 'else', 'elseif', 'until'])

/** The statements of a script. @throws LuaSyntaxError */
export const parse = (source: string): Block => new Parser(new TokenReader(source)).chunk()

class Parser {
  readonly #expressions: ExpressionParser

  constructor(private readonly tokens: TokenReader) {
    this.#expressions = new ExpressionParser(tokens, () => this.#block())
  }

  chunk(): Block {
    const block = this.#block()
    if (this.tokens.current.type !== 'end of file') throw this.tokens.error()
    return block
  }

  #block(): Block {
    return this.tokens.nested(() => {
      const statements: Statement[] = []
      for (;;) {
        if (this.tokens.accept(';')) continue
        if (ends.has(this.tokens.current.type)) return statements
        const isLast = this.tokens.current.type === 'return' || this.tokens.current.type === 'break'
        statements.push(isLast ? this.#lastStatement() : this.#statement())
        if (!isLast) continue
        this.tokens.accept(';')
        if (!ends.has(this.tokens.current.type)) throw this.tokens.error()
        return statements
      }
    })
  }

  #lastStatement(): Statement {
    const { line, type } = this.tokens.advance()
    if (type === 'break') return { is: 'break', line }
    const isBare = ends.has(this.tokens.current.type) || this.tokens.current.type === ';'
    return { is: 'return', line, values: isBare ? [] : this.#expressions.list() }
  }

  #statement(): Statement {
    const { type, line } = this.tokens.current
    switch (type) {
      case 'do':
        return { is: 'do', line, body: this.#bodyUntil('end') }
      case 'while': {
        this.tokens.advance()
        const condition = this.#expressions.one()
        if (this.tokens.current.type !== 'do') throw this.tokens.error()
        return { is: 'while', line, condition, body: this.#bodyUntil('end') }
      }
      case 'repeat': {
        const body = this.#bodyUntil('until')
        return { is: 'repeat', line, condition: this.#expressions.one(), body }
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
        this.tokens.advance()
        const { text } = this.tokens.expect('name')
        this.tokens.expect('::')
        return { is: 'label', line, name: text }
      }
      case 'goto':
        this.tokens.advance()
        return { is: 'goto', line, name: this.tokens.expect('name').text }
      default:
        return this.#callOrAssignment()
    }
  }

  /** From the word before it to the word after it. */
  #bodyUntil(end: string): Block {
    this.tokens.advance()
    const body = this.#block()
    this.tokens.expect(end)
    return body
  }

  #if(line: number): Statement {
    const branches: { condition: Expression; body: Block }[] = []
    do {
      this.tokens.advance()
      const condition = this.#expressions.one()
      this.tokens.expect('then')
      branches.push({ condition, body: this.#block() })
    } while (this.tokens.current.type === 'elseif')
    const otherwise = this.tokens.accept('else') ? this.#block() : []
    this.tokens.expect('end')
    return { is: 'if', line, branches, otherwise }
  }

  #for(line: number): Statement {
    this.tokens.advance()
    const first = this.tokens.expect('name').text
    if (this.tokens.accept('=')) {
      const from = this.#expressions.one()
      this.tokens.expect(',')
      const to = this.#expressions.one()
      const step = this.tokens.accept(',') ? this.#expressions.one() : undefined
      if (this.tokens.current.type !== 'do') throw this.tokens.error()
      const body = this.#bodyUntil('end')
      return { is: 'numeric for', line, name: first, from, to, ...(step && { step }), body }
    }
    const names = [first]
    while (this.tokens.accept(',')) names.push(this.tokens.expect('name').text)
    this.tokens.expect('in')
    const values = this.#expressions.list()
    if (this.tokens.current.type !== 'do') throw this.tokens.error()
    return { is: 'generic for', line, names, values, body: this.#bodyUntil('end') }
  }

  #namedFunction(line: number): Statement {
    this.tokens.advance()
    const { text, line: nameLine } = this.tokens.expect('name')
    let target: Expression = { is: 'name', line: nameLine, name: text }
    let isMethod = false
    while (!isMethod && (this.tokens.current.type === '.' || this.tokens.current.type === ':')) {
      isMethod = this.tokens.advance().type === ':'
      const key = this.tokens.expect('name')
      const value = { is: 'string', line: key.line, value: key.text } as const
      target = { is: 'index', line: key.line, object: target, key: value }
    }
    const made = this.#expressions.functionBody(line, isMethod ? ['self'] : [])
    return { is: 'assign', line, targets: [target], values: [made] }
  }

  #local(line: number): Statement {
    this.tokens.advance()
    if (this.tokens.accept('function')) {
      const { text } = this.tokens.expect('name')
      return { is: 'local', line, names: [text], values: [this.#expressions.functionBody(line, [])] }
    }
    const names = [this.tokens.expect('name').text]
    while (this.tokens.accept(',')) names.push(this.tokens.expect('name').text)
    return { is: 'local', line, names, values: this.tokens.accept('=') ? this.#expressions.list() : [] }
  }

  #callOrAssignment(): Statement {
    const { line } = this.tokens.current
    const first = this.#expressions.suffixed()
    if (isVariable(first) && (this.tokens.current.type === '=' || this.tokens.current.type === ',')) {
      const targets = [first]
      while (this.tokens.accept(',')) {
        const target = this.#expressions.suffixed()
        if (!isVariable(target)) throw this.tokens.error()
        targets.push(target)
      }
      this.tokens.expect('=')
      return { is: 'assign', line, targets, values: this.#expressions.list() }
    }
    const call = first.is === 'parenthesis' ? first.inner : first
    if (call.is !== 'call') throw this.tokens.error('parse error')
    return { is: 'call statement', line, call }
  }
}

const isVariable = ({ is }: Expression): boolean => is === 'name' || is === 'index'
