import { bytesOf, textOfBytes } from '../bytes.js'
import { exponentText, numberIn, shortest, truncated } from '../numbers.js'
import type { Value } from '../table.js'
import { textOf, typeName } from '../value.js'

/** One directive of a format: `%-08.3f`. */
interface Directive {
  readonly flags: string
  readonly width: number
  readonly precision: number | undefined
  readonly verb: string
}

const DIRECTIVE = /%([-+# 0]*)(\d*)(?:\.(\d*))?(.)/gs
/** As wide as Go pads. */
const WIDEST = 1_000_000

/** `string.format`. Karmada's is written in Go, and follows Go's `Sprintf`. */
export function formatted(format: string, values: readonly Value[]): string {
  let at = 0
  return format.replace(
    DIRECTIVE,
    (_, flags: string, width: string, precision: string | undefined, verb: string) => {
      if (verb === '%') return '%'
      if (at >= values.length) return `%!${verb}(MISSING)`
      const directive = {
        flags,
        width: Math.min(Number(width), WIDEST),
        precision: precision === undefined ? undefined : Math.min(Number(precision), WIDEST),
        verb,
      }
      return padded(directive, written(directive, values[at++]))
    },
  )
}

interface Written {
  readonly text: string
  readonly isNumber: boolean
}

function written(directive: Directive, value: Value): Written {
  const { verb, precision } = directive
  const text = (made: string): Written => ({
    text: precision === undefined ? made : bytesOf(lettersOf(made).slice(0, precision).join('')),
    isNumber: false,
  })
  switch (verb) {
    case 's':
    case 'v':
      return text(textOf(value))
    case 'q':
      return { text: quoted(textOf(value)), isNumber: false }
    case 'd':
    case 'i':
      // A text that is a number stays as it is, and any other is 0.
      if (typeof value === 'string' && numberIn(value) !== undefined) return text(value)
      if (typeof value === 'number' || typeof value === 'string') {
        const number = typeof value === 'number' ? truncated(value) : 0n
        return { text: signed(directive, wholeText(number, 10, precision)), isNumber: true }
      }
      break
    case 'x':
    case 'X':
      return radix(directive, value)
    case 'o':
    case 'b':
      if (typeof value === 'number') return radix(directive, value)
      break
    case 'c':
      if (typeof value === 'number')
        return { text: bytesOf(String.fromCodePoint(codePoint(value))), isNumber: false }
      break
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      if (typeof value === 'number')
        return { text: signed(directive, float(directive, value)), isNumber: true }
  }
  return { text: `%!${verb}(${typeName(value)}=${textOf(value)})`, isNumber: false }
}

function radix({ verb, precision, flags }: Directive, value: Value): Written {
  const base = { x: 16, X: 16, o: 8, b: 2 }[verb] ?? 10
  const cased = (text: string) => (verb === 'X' ? text.toUpperCase() : text)
  if (typeof value === 'number')
    return {
      text: signed({ flags, width: 0, precision, verb }, cased(wholeText(truncated(value), base, precision))),
      isNumber: true,
    }
  const bytes = [...textOf(value)].map(char => char.charCodeAt(0).toString(16).padStart(2, '0'))
  return { text: cased(bytes.join('')), isNumber: false }
}

function wholeText(value: bigint, base: number, precision: number | undefined): string {
  const digits = (value < 0n ? -value : value).toString(base)
  if (precision === 0 && value === 0n) return ''
  return (value < 0n ? '-' : '') + digits.padStart(precision ?? 0, '0')
}

const signed = ({ flags }: Directive, text: string): string => {
  if (/^[-+]/.test(text))
    return text.startsWith('+') && !flags.includes('+') && !/Inf/.test(text) ? text.slice(1) : text
  if (flags.includes('+')) return `+${text}`
  return flags.includes(' ') ? ` ${text}` : text
}

function float({ verb, precision }: Directive, value: number): string {
  if (!Number.isFinite(value)) return shortest(value)
  const places = Math.min(precision ?? 6, 100)
  const zero = Object.is(value, -0) ? '-' : ''
  switch (verb.toLowerCase()) {
    case 'f':
      return zero + fixedText(value, places)
    case 'e':
      return zero + cased(verb, exponential(value.toExponential(places)))
    default:
      return zero + cased(verb, precision === undefined ? shortest(value) : general(value, precision))
  }
}

const cased = (verb: string, text: string): string =>
  verb === 'E' || verb === 'G' ? text.toUpperCase() : text

/** Right between two numbers, Go takes the even one and JavaScript the greater one. */
function halfToEven(value: number, places: number): string {
  const [exact, rounded] = [value.toFixed(Math.min(100, places + 30)), value.toFixed(places)]
  const rest = exact.slice(exact.indexOf('.') + 1 + places)
  if (!/^50*$/.test(rest) || /[02468]$/.test(rounded)) return rounded
  const truncated = exact.slice(0, exact.indexOf('.') + 1 + places)
  return places === 0 ? truncated.slice(0, -1) : truncated
}

/** `toFixed` gives up at 1e21. */
const fixedText = (value: number, places: number): string =>
  Math.abs(value) < 1e21
    ? halfToEven(value, places)
    : BigInt(value).toString() + (places > 0 ? `.${'0'.repeat(places)}` : '')

function exponential(text: string): string {
  const [mantissa = '', exponent = '0'] = text.split('e')
  return `${mantissa}e${exponentText(Number(exponent))}`
}

function general(value: number, precision: number): string {
  const digits = Math.min(Math.max(precision, 1), 100)
  const [mantissa = '', power = '0'] = value.toExponential(digits - 1).split('e')
  const exponent = Number(power)
  const bare = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa
  const most = digits > bare.replace(/[-.]/g, '').length && bare.replace(/[-.]/g, '').length >= exponent + 1
  const limit = most ? bare.replace(/[-.]/g, '').length : digits
  if (exponent < -4 || exponent >= limit) return `${bare}e${exponentText(exponent)}`
  const places = Math.max(0, digits - 1 - exponent)
  const text = value.toFixed(Math.min(places, 100))
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

function padded({ flags, width }: Directive, { text, isNumber }: Written): string {
  const missing = width - lettersOf(text).length
  if (missing <= 0) return text
  if (flags.includes('-')) return text + ' '.repeat(missing)
  if (!flags.includes('0')) return ' '.repeat(missing) + text
  const sign = isNumber && /^[-+ ]/.test(text) ? text.charAt(0) : ''
  return sign + '0'.repeat(missing) + text.slice(sign.length)
}

/** Go counts letters, not bytes. */
const lettersOf = (bytes: string): readonly string[] => [...textOfBytes(bytes)]

const codePoint = (value: number): number => {
  const code = Number(truncated(value))
  return code >= 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff) ? code : 0xff_fd
}

const QUOTED: Readonly<Record<string, string>> = {
  ...{ '\x07': '\\a', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v' },
  ...{ '\\': '\\\\', '"': '\\"' },
}

const quoted = (text: string): string =>
  `"${[...text].map(char => QUOTED[char] ?? (/[\x20-\x7e\x80-\xff]/.test(char) ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)).join('')}"`
