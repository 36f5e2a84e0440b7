/** Lua's patterns, as far as scripts of Karmada may use them. */

/** A pattern that cannot be read. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/** Whether a part of a pattern stands for a byte. */
export type Test = (code: number) => boolean
/** A part of a pattern. */
export type Part =
  | { readonly is: 'one'; readonly test: Test; readonly repeat: '' | '*' | '+' | '-' | '?' }
  | { readonly is: 'open' | 'position' | 'close'; readonly capture: number }
  | { readonly is: 'balanced'; readonly begin: number; readonly end: number }
  | { readonly is: 'again'; readonly capture: number }

/** A part that begins or ends a capture. */
export type CapturePart = Part & { readonly is: 'open' | 'position' | 'close' }

/** A pattern that was read. */
export interface Pattern {
  readonly parts: readonly Part[]
  readonly fromStart: boolean
  readonly toEnd: boolean
}

const between = (from: string, to: string): Test => {
  const [low, high] = [from.charCodeAt(0), to.charCodeAt(0)]
  return code => code >= low && code <= high
}
const anyOf =
  (...tests: readonly Test[]): Test =>
  code =>
    tests.some(test => test(code))
const [lower, upper, digit] = [between('a', 'z'), between('A', 'Z'), between('0', '9')]

const CLASSES: Readonly<Record<string, Test>> = {
  a: anyOf(lower, upper),
  c: code => code <= 0x1f || code === 0x7f,
  d: digit,
  l: lower,
  p: anyOf(between('!', '/'), between(':', '@'), between('[', '`'), between('{', '~')),
  s: code => code === 0x20 || (code >= 0x09 && code <= 0x0d),
  u: upper,
  w: anyOf(digit, lower, upper),
  x: anyOf(digit, between('a', 'f'), between('A', 'F')),
  z: code => code === 0,
}

const literal = (char: string): Test => {
  const wanted = char.charCodeAt(0)
  return code => code === wanted
}

/** `%a` and its like; a capital letter is the opposite. */
function classOf(letter: string): Test {
  const test = CLASSES[letter.toLowerCase()]
  if (!test) return literal(letter)
  return letter === letter.toLowerCase() ? test : code => !test(code)
}

class Reader {
  #at = 0
  #captures = 0
  readonly #open: number[] = []
  readonly parts: Part[] = []

  constructor(private readonly source: string) {}

  read(): Pattern {
    const fromStart = this.source.startsWith('^')
    if (fromStart) this.#at++
    let toEnd = false
    while (this.#at < this.source.length) {
      const char = this.source.charAt(this.#at)
      if (char === '$' && this.#at === this.source.length - 1) {
        toEnd = this.#open.length === 0
        if (!toEnd) this.#single(literal('$'))
        this.#at++
      } else this.#part(char)
    }
    if (this.#open.length > 0) throw new PatternError('unfinished capture at EOS')
    return { parts: this.parts, fromStart, toEnd }
  }

  #part(char: string): void {
    this.#at++
    switch (char) {
      case '%':
        this.#escaped(this.source.charAt(this.#at++))
        return
      case '.':
        this.#single(() => true)
        return
      case '[':
        this.#single(this.#set())
        return
      case '(':
        if (this.source.charAt(this.#at) === ')') {
          this.#at++
          this.parts.push({ is: 'position', capture: this.#captures++ })
        } else {
          this.#open.push(this.#captures)
          this.parts.push({ is: 'open', capture: this.#captures++ })
        }
        return
      case ')': {
        const capture = this.#open.pop()
        if (capture === undefined) throw new PatternError(`invalid ')' at ${Math.max(0, this.#at - 2)}`)
        this.parts.push({ is: 'close', capture })
        return
      }
      default:
        this.#single(literal(char))
    }
  }

  #escaped(letter: string): void {
    // At the end it stands for nothing that there is.
    if (letter === '') {
      this.#single(() => false)
      return
    }
    if (letter === '0') throw new PatternError(`invalid capture index at ${this.#at - 2}`)
    if (/^[1-9]$/.test(letter)) this.parts.push({ is: 'again', capture: Number(letter) - 1 })
    else if (letter === 'b') {
      const [begin, end] = [this.source.charCodeAt(this.#at), this.source.charCodeAt(this.#at + 1)]
      this.#at += 2
      this.parts.push({ is: 'balanced', begin, end })
    } else this.#single(classOf(letter))
  }

  #single(test: Test): void {
    const sign = this.source.charAt(this.#at)
    const repeat = sign === '*' || sign === '+' || sign === '-' || sign === '?' ? sign : ''
    if (repeat !== '') this.#at++
    this.parts.push({ is: 'one', test, repeat })
  }

  #set(): Test {
    const isNot = this.source.charAt(this.#at) === '^'
    if (isNot) this.#at++
    const tests: Test[] = []
    for (let isFirst = true; ; isFirst = false) {
      const char = this.source.charAt(this.#at++)
      if (char === '') throw new PatternError(`unexpected EOS at ${this.source.length - 1}`)
      if (char === ']' && !isFirst) break
      if (char === '%') {
        tests.push(classOf(this.source.charAt(this.#at++)))
        continue
      }
      const to = this.source.charAt(this.#at + 1)
      if (this.source.charAt(this.#at) === '-' && to !== '' && to !== ']') {
        tests.push(between(char, to))
        this.#at += 2
      } else tests.push(literal(char))
    }
    const test = anyOf(...tests)
    return isNot ? code => !test(code) : test
  }
}

/** @throws PatternError */
export const readPattern = (source: string): Pattern => new Reader(source).read()
