import { Lexer, type Token } from './lexer.js'

/** As deep as expressions and blocks may nest. */
const MOST_LEVELS = 200

/** The tokens of a script, one ahead. */
export class TokenReader {
  readonly #lexer: Lexer
  #levels = 0
  /** The next token. */
  current: Token

  constructor(source: string) {
    this.#lexer = new Lexer(source)
    this.current = this.#lexer.next()
  }

  /** An error at the next token. */
  error(message = 'syntax error'): Error {
    return this.#lexer.error(message)
  }

  advance(): Token {
    const token = this.current
    this.current = this.#lexer.next()
    return token
  }

  /** The next token, if it is of that type. */
  accept(type: string): Token | undefined {
    return this.current.type === type ? this.advance() : undefined
  }

  /** @throws LuaSyntaxError when the next token is of another type */
  expect(type: string): Token {
    if (this.current.type !== type) throw this.error()
    return this.advance()
  }

  /** Reads something that may contain more of its like. */
  nested<T>(read: () => T): T {
    if (++this.#levels > MOST_LEVELS) throw this.error('too many syntax levels')
    const made = read()
    this.#levels--
    return made
  }
}
