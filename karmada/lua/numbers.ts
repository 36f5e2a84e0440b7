/** Numbers as text, as Go reads and writes them: Karmada's Lua is written in Go. Lua 5.1 has floating point numbers alone. */

/** The number that a text is, in Lua's arithmetic and in a script; undefined when it is none. */
export function numberIn(text: string): number | undefined {
  const number = trimmed(text)
  return wholeNumber(number, 0) ?? floatIn(number)
}

/** A text without the blanks around it, in a time that grows with its length: a script may make it of any blanks. */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && BLANKS.has(text.charAt(start))) start += 1
  while (end > start && BLANKS.has(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}

const BLANKS = new Set([' ', '\t', '\n'])

/** Whether a number fits into 64 bits and has no fraction. */
export const isWhole = (value: number): boolean =>
  Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63

/**
 * A whole number of 64 bits in a text, as `strconv.ParseInt` reads it.
 * @param base 0: as the prefix says
 */
export function wholeNumber(text: string, base: number): number | undefined {
  const [, sign, digits = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  const [radix, rest] = base === 0 ? prefixed(digits) : [base, digits]
  if (rest === '' || radix < 2 || radix > 36) return
  let value = 0n
  for (const char of rest.toLowerCase()) {
    const digit = /^[0-9a-z]$/.test(char) ? Number.parseInt(char, 36) : 36
    if (digit >= radix) return
    value = value * BigInt(radix) + BigInt(digit)
    if (value > 1n << 63n) return
  }
  if (value === 1n << 63n && sign !== '-') return
  return Number(sign === '-' ? -value : value)
}

function prefixed(digits: string): readonly [radix: number, rest: string] {
  const radix = { '0x': 16, '0b': 2, '0o': 8 }[digits.slice(0, 2).toLowerCase()]
  if (radix !== undefined) return [radix, digits.slice(2)]
  return digits.length > 1 && digits.startsWith('0') ? [8, digits.slice(1)] : [10, digits]
}

/** A floating point number in a text, as `strconv.ParseFloat` reads it. */
export function floatIn(text: string): number | undefined {
  if (/^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) {
    const value = Number(text)
    return Number.isFinite(value) ? value : undefined
  }
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  return /^nan$/i.test(text) ? Number.NaN : undefined
}

/** What Go makes of a number where it wants a whole one. */
export function truncated(value: number): bigint {
  if (!Number.isFinite(value)) return -(1n << 63n)
  const whole = BigInt(Math.trunc(value))
  return whole >= -(1n << 63n) && whole < 1n << 63n ? whole : -(1n << 63n)
}

/** A number as Lua prints it. */
export const numberText = (value: number): string =>
  isWhole(value) ? BigInt(value).toString() : shortest(value)

/** The shortest text of a float, as Go's `%g` has it. @param upper `E` instead of `e` */
export function shortest(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const [mantissa = '', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  if (exponent < -4 || exponent >= 6) return `${mantissa}e${exponentText(exponent)}`
  return fixed(value)
}

/** An exponent of two digits at least, with its sign. */
export const exponentText = (exponent: number): string =>
  `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`

/** Without an exponent, and with as many digits as the number needs. */
function fixed(value: number): string {
  const [mantissa = '', power = '0'] = value.toExponential().split('e')
  const places = (mantissa.split('.')[1]?.length ?? 0) - Number(power)
  return value.toFixed(Math.max(0, Math.min(100, places)))
}
