/** The suffix families of a Kubernetes quantity; a sum keeps the family of its first non-zero part. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent'

/** An exact Kubernetes quantity: `nano` billionths, so that no sum of thousands of pods loses a millicore. */
export interface Quantity {
  readonly nano: bigint
  readonly format: QuantityFormat
}

/** A string that is not a Kubernetes quantity; the message shows it. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError'
}

const NANO = 1_000_000_000n
/** Kubernetes caps quantities with a binary suffix at 2^63-1 units, and only these. */
const MAX_UNITS = 2n ** 63n - 1n
const MAX_NANO = MAX_UNITS * NANO

const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
const decimalSuffixes = new Map(
  Object.entries(decimalExponents).map(([suffix, exponent]) => [exponent, suffix]),
)
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const

const shape = /^([+-])?(\d+(?:\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,3})?$/

/** Zero, of the family that takes on the other's in a sum. */
export const ZERO: Quantity = { nano: 0n, format: 'DecimalSI' }

/**
 * Reads a quantity as Kubernetes does: digits finer than a billionth round away from zero (ParseQuantity of
 * k8s.io/apimachinery/pkg/api/resource). Exponents have at most three digits here, so that a short text costs little.
 * @throws QuantityError when the text is no quantity
 */
export function parseQuantity(text: string | number): Quantity {
  const match = shape.exec(String(text))
  if (!match) throw new QuantityError(`"${text}" is not a Kubernetes quantity such as "500m", "2" or "1.5Gi"`)
  const [, sign, number = '', suffix = ''] = match
  const [whole = '', fraction = ''] = number.split('.')
  const digits = BigInt(`${whole}${fraction}` || '0')
  const { factor, exponent, format } = scaleOf(suffix)
  const power = exponent + 9 - fraction.length
  const scaled = digits * factor
  const nano = power >= 0 ? scaled * 10n ** BigInt(power) : divideAwayFromZero(scaled, 10n ** BigInt(-power))
  const capped = format === 'BinarySI' && nano > MAX_NANO ? MAX_NANO : nano
  return { nano: sign === '-' ? -capped : capped, format }
}

function scaleOf(suffix: string): { factor: bigint; exponent: number; format: QuantityFormat } {
  if (suffix.endsWith('i')) {
    const index = binarySuffixes.indexOf(suffix as (typeof binarySuffixes)[number])
    return { factor: 1024n ** BigInt(index), exponent: 0, format: 'BinarySI' }
  }
  const plain = decimalExponents[suffix]
  if (plain !== undefined) return { factor: 1n, exponent: plain, format: 'DecimalSI' }
  return { factor: 1n, exponent: Number(suffix.slice(1)), format: 'DecimalExponent' }
}

const divideAwayFromZero = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

/** Writes a quantity in Kubernetes' canonical form: `1500m`, `2`, `47880Mi`. Never loses a digit. */
export function formatQuantity({ nano, format }: Quantity): string {
  if (nano === 0n) return '0'
  const magnitude = nano < 0n ? -nano : nano
  const sign = nano < 0n ? '-' : ''
  // Small or fractional values would be rounded by a binary suffix, so Kubernetes writes them with a decimal one.
  if (format === 'BinarySI' && magnitude >= 1024n * NANO && magnitude % NANO === 0n)
    return sign + formatBinary(magnitude / NANO)
  return sign + formatDecimal(magnitude, format)
}

function formatBinary(units: bigint): string {
  let index = 0
  let rest = units
  while (rest % 1024n === 0n && index < binarySuffixes.length - 1) {
    rest /= 1024n
    index++
  }
  return `${rest}${binarySuffixes[index]}`
}

function formatDecimal(nano: bigint, format: QuantityFormat): string {
  // The largest suffix is E; an exponent has no largest.
  const largest = format === 'DecimalExponent' ? Number.POSITIVE_INFINITY : 18
  // Zeros are counted in the text: to divide by them would take the square of a length that others choose.
  const digits = nano.toString()
  let zeros = 0
  while (digits.endsWith('0', digits.length - zeros)) zeros++
  const steps = Math.min(Math.floor(zeros / 3), (largest + 9) / 3)
  const exponent = -9 + 3 * steps
  const rest = digits.slice(0, digits.length - 3 * steps)
  if (format === 'DecimalExponent') return exponent === 0 ? rest : `${rest}e${exponent}`
  return `${rest}${decimalSuffixes.get(exponent) ?? ''}`
}

/** The exact sum; the family is the first addend's unless that is zero, as Kubernetes' Quantity.Add keeps it. */
export function addQuantities(first: Quantity, second: Quantity): Quantity {
  return { nano: first.nano + second.nano, format: first.nano === 0n ? second.format : first.format }
}

/** The exact difference; may be negative. */
export function subtractQuantities(from: Quantity, what: Quantity): Quantity {
  return { nano: from.nano - what.nano, format: from.nano === 0n ? what.format : from.format }
}

/**
 * Whole units, rounded away from zero (`Quantity.Value()`), e.g. bytes or pods. Fits an int64: what is larger counts as the
 * largest, where Go's number overflows.
 */
export function wholeUnits({ nano }: Quantity): bigint {
  const units = divideAwayFromZero(nano < 0n ? -nano : nano, NANO)
  const fitting = units > MAX_UNITS ? MAX_UNITS : units
  return nano < 0n ? -fitting : fitting
}

/** A running sum of resource lists, for adding up many without formatting in between. */
export class ResourceSum {
  readonly #sums = new Map<string, Quantity>()

  add(list: Readonly<Record<string, string | number>>): this {
    for (const [name, value] of Object.entries(list)) this.addQuantity(name, parseQuantity(value))
    return this
  }

  addQuantity(name: string, value: Quantity): this {
    this.#sums.set(name, addQuantities(this.#sums.get(name) ?? ZERO, value))
    return this
  }

  get(name: string): Quantity {
    return this.#sums.get(name) ?? ZERO
  }

  get isEmpty(): boolean {
    return this.#sums.size === 0
  }

  /** Names in alphabetical order, as Kubernetes serializes maps. */
  toResourceList(): Record<string, string> {
    const names = [...this.#sums.keys()].sort()
    return Object.fromEntries(names.map(name => [name, formatQuantity(this.get(name))]))
  }
}
