import { LuaSyntaxError, SOURCE } from './syntax.js'

/** A word, number, string or sign of a script. */
export interface Token {
  /** Reserved words and signs are their own type. */
  readonly type: string
  readonly text: string
  readonly line: number
}

const RESERVED = new Set([
  ...['and', 'break', 'do', 'else', 'elseif', 'end', 'false', 'for', 'function', 'goto', 'if', 'in'],
  ...['local', 'nil', 'not', 'or', 'repeat', 'return', 'then', 'true', 'until', 'while'],
])
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
}
const SIGNS = ['...', '..', '==', '~=', '<=', '>=', '::', ...'+-*/%^#(){}[];,<>=.:']

const isLetter = (char: string): boolean => /^[A-Za-z_]$/.test(char)
const isDigit = (char: string): boolean => /^[0-9]$/.test(char)

/** Reads a script's tokens. Lines and columns are counted as gopher-lua counts them: its messages name both. */
export class Lexer {
  #at = 0
  #line = 1
  #column = 0
  #last = ''

  /** @param source the script as bytes, a character each */
  constructor(private readonly source: string) {}

  /** The error that gopher-lua reports after the token that was read last. */
  error(message: string, near = this.#last): LuaSyntaxError {
    const place =
      this.#at > this.source.length
        ? `${SOURCE} at EOF: `
        : `${SOURCE} line:${this.#line}(column:${this.#column}) near '${near}': `
    return new LuaSyntaxError(`${place}  ${message}\n`)
  }

  /** @throws LuaSyntaxError */
  next(): Token {
    let char = this.#skipSpace()
    while (char === '-' && this.#peek() === '-') {
      this.#next()
      this.#skipComment()
      char = this.#skipSpace()
    }
    const line = this.#line
    const [type, text] = this.#scan(char)
    if (type !== 'end of file') this.#last = text
    return { type, text, line }
  }

  #scan(char: string): readonly [type: string, text: string] {
    if (char === '') return ['end of file', '']
    if (isLetter(char)) {
      const word = char + this.#while(next => isLetter(next) || isDigit(next))
      return [RESERVED.has(word) ? word : 'name', word]
    }
    if (isDigit(char) || (char === '.' && isDigit(this.#peek()))) return ['number', this.#number(char)]
    if (char === '"' || char === "'") return ['string', this.#string(char)]
    if (char === '[' && /^[[=]$/.test(this.#peek())) return ['string', this.#long(this.#next())]
    const sign = SIGNS.find(one => this.source.startsWith(one, this.#at - 1))
    if (sign === undefined) {
      if (char === '~') throw this.error("Invalid '~' token", '~')
      throw this.error('Invalid token', char)
    }
    for (let more = 1; more < sign.length; more++) this.#next()
    return [sign, sign]
  }

  /** @returns the empty string at the end */
  #next(): string {
    const char = this.source.charAt(this.#at)
    this.#at++
    if (char === '\n' || char === '\r') {
      this.#line++
      this.#column = 0
      const other = this.source.charAt(this.#at)
      if (other !== char && (other === '\n' || other === '\r')) this.#at++
      return '\n'
    }
    if (char !== '') this.#column++
    return char
  }

  #peek(): string {
    return this.source.charAt(this.#at)
  }

  #while(isPart: (char: string) => boolean): string {
    let text = ''
    while (this.#peek() !== '' && isPart(this.#peek())) text += this.#next()
    return text
  }

  #skipSpace(): string {
    let char = this.#next()
    while (char === ' ' || char === '\t' || char === '\n') char = this.#next()
    return char
  }

  #skipComment(): void {
    if (this.#peek() === '[') {
      this.#next()
      if (/^[[=]$/.test(this.#peek())) {
        this.#long(this.#next(), 'invalid multiline comment')
        return
      }
    }
    let char = '-'
    while (char !== '\n' && char !== '') char = this.#next()
  }

  #number(first: string): string {
    let start = first
    if (first === '0') {
      if (/^[xX]$/.test(this.#peek())) {
        const prefix = first + this.#next()
        const digits = this.#while(char => /^[0-9a-fA-F]$/.test(char))
        if (digits === '') throw this.error('illegal hexadecimal number', prefix)
        return prefix + digits
      }
      if (isDigit(this.#peek())) start = this.#next()
    }
    let text = start + this.#while(isDigit)
    if (this.#peek() === '.') text += this.#next() + this.#while(isDigit)
    if (/^[eE]$/.test(this.#peek())) {
      text += this.#next()
      if (/^[+-]$/.test(this.#peek())) text += this.#next()
      text += this.#next() + this.#while(isDigit)
    }
    return text
  }

  #string(quote: string): string {
    let text = ''
    for (let char = this.#next(); char !== quote; char = this.#next()) {
      if (char === '\n' || char === '') throw this.error('unterminated string', text)
      text += char === '\\' ? this.#escape() : char
    }
    return text
  }

  #escape(): string {
    const char = this.#next()
    if (!isDigit(char)) return ESCAPES[char] ?? char
    let digits = char
    while (digits.length < 3 && isDigit(this.#peek())) digits += this.#next()
    return String.fromCharCode(Number(digits) & 0xff)
  }

  /** `[[…]]` and `[==[…]==]`, from the second sign on. */
  #long(first: string, ifInvalid?: string): string {
    const fail = (near: string, message: string) => this.error(ifInvalid ?? message, ifInvalid ? '' : near)
    const [level, opening] = this.#level(first)
    if (opening !== '[') throw fail(opening, 'invalid multiline string')
    let char = this.#next()
    if (char === '\n') char = this.#next()
    let text = ''
    for (;;) {
      if (char === '') throw this.error(ifInvalid ?? 'unterminated multiline string', text)
      if (char === ']') {
        const [closing, next] = this.#level(this.#next())
        if (closing === level && next === ']') return text
        text += `]${'='.repeat(closing)}`
        char = next
      } else {
        text += char
        char = this.#next()
      }
    }
  }

  #level(first: string): readonly [level: number, next: string] {
    let level = 0
    let char = first
    for (; char === '='; level++) char = this.#next()
    return [level, char]
  }
}
