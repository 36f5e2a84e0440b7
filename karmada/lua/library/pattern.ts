/** Lua's patterns, as far as scripts of Karmada may use them. */

/** Where a pattern was found. Positions count from 0. */
export interface Match {
  readonly start: number
  readonly end: number
  /** A number is a position: of `()`. */
  readonly captures: readonly (string | number)[]
}

/** A pattern that cannot be read. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

type Test = (code: number) => boolean
type Part =
  | { readonly is: 'one'; readonly test: Test; readonly repeat: '' | '*' | '+' | '-' | '?' }
  | { readonly is: 'open' | 'position' | 'close'; readonly capture: number }
  | { readonly is: 'balanced'; readonly begin: number; readonly end: number }
  | { readonly is: 'again'; readonly capture: number }

type CapturePart = Part & { readonly is: 'open' | 'position' | 'close' }

interface Pattern {
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
    if (letter === '') throw new PatternError('unexpected EOS at EOS')
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
      if (char === '') throw new PatternError('unexpected EOS at EOS')
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

/**
 * Finds a pattern from a position on.
 * @param most as many matches as are wanted
 * @param spend is told of every step
 * @throws PatternError
 */
export function findPattern(
  source: string,
  text: string,
  from: number,
  most: number,
  spend: () => void,
): readonly Match[] {
  const pattern = new Reader(source).read()
  const found: Match[] = []
  for (let at = from; at <= text.length; ) {
    const match = new Matcher(pattern, text, spend).match(at)
    at++
    if (match) {
      found.push(match)
      at = Math.max(at, match.end)
    }
    if (found.length === most || pattern.fromStart) break
  }
  return found
}

class Matcher {
  readonly #captures: [start: number, end: number | 'position'][] = []

  constructor(
    private readonly pattern: Pattern,
    private readonly text: string,
    private readonly spend: () => void,
  ) {}

  match(start: number): Match | undefined {
    const end = this.#from(0, start)
    if (end === undefined) return undefined
    const captures = this.#captures.map(([from, to]) =>
      to === 'position' ? from + 1 : this.text.slice(from, to),
    )
    return { start, end, captures }
  }

  /** Matches the parts from one on. @returns where the match ends */
  #from(part: number, start: number): number | undefined {
    let at = start
    for (let index = part; ; index++) {
      this.spend()
      const next = this.pattern.parts[index]
      if (!next) return !this.pattern.toEnd || at >= this.text.length ? at : undefined
      switch (next.is) {
        case 'one':
          if (next.repeat !== '') return this.#repeated(next, index, at)
          if (!this.#fits(next.test, at)) return undefined
          at++
          break
        case 'position':
          this.#captures[next.capture] = [at, 'position']
          break
        case 'open':
        case 'close':
          return this.#captured(next, index, at)
        case 'balanced': {
          const end = this.#balanced(next.begin, next.end, at)
          if (end === undefined) return undefined
          at = end
          break
        }
        case 'again': {
          const capture = this.#captures[next.capture]
          if (!capture) throw new PatternError('invalid capture index')
          const text = this.text.slice(capture[0], capture[1] === 'position' ? capture[0] : capture[1])
          if (!this.text.startsWith(text, at)) return undefined
          at += text.length
        }
      }
    }
  }

  #fits(test: Test, at: number): boolean {
    return at < this.text.length && test(this.text.charCodeAt(at))
  }

  #repeated(
    { test, repeat }: Part & { readonly is: 'one' },
    index: number,
    start: number,
  ): number | undefined {
    const least = repeat === '+' ? 1 : 0
    const most = repeat === '?' ? 1 : this.text.length
    if (repeat === '-') {
      for (let at = start; ; at++) {
        const end = this.#from(index + 1, at)
        if (end !== undefined || !this.#fits(test, at)) return end
      }
    }
    let count = 0
    while (count < most && this.#fits(test, start + count)) {
      this.spend()
      count++
    }
    for (; count >= least; count--) {
      const end = this.#from(index + 1, start + count)
      if (end !== undefined) return end
    }
    return undefined
  }

  #captured({ is, capture }: CapturePart, index: number, at: number) {
    const before = this.#captures[capture]
    const start = is === 'open' ? at : (before?.[0] ?? at)
    this.#captures[capture] = [start, at]
    const end = this.#from(index + 1, at)
    if (end === undefined && before) this.#captures[capture] = before
    return end
  }

  #balanced(begin: number, end: number, start: number): number | undefined {
    if (this.text.charCodeAt(start) !== begin) return undefined
    let depth = 1
    for (let at = start + 1; at < this.text.length; at++) {
      this.spend()
      const code = this.text.charCodeAt(at)
      if (code === end && --depth === 0) return at + 1
      if (code === begin && code !== end) depth++
    }
    return undefined
  }
}
