import { type CapturePart, type Part, type Pattern, PatternError, readPattern, type Test } from './pattern.js'

/** Where a pattern was found. Positions count from 0. */
export interface Match {
  readonly start: number
  readonly end: number
  /** A number is a position: of `()`. */
  readonly captures: readonly (string | number)[]
}

/**
 * Finds a pattern from a position on.
 * @param most as many matches as are wanted
 * @param spend is called for every step
 * @throws PatternError
 */
export function findPattern(
  source: string,
  text: string,
  from: number,
  most: number,
  spend: () => void,
): readonly Match[] {
  const pattern = readPattern(source)
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
