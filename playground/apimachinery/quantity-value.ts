/** A quantity as an exact number of nano-units. */
export type NanoUnits = bigint

const DECIMAL: Readonly<Record<string, number>> = {
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
const BINARY: Readonly<Record<string, bigint>> = {
  Ki: 1n << 10n,
  Mi: 1n << 20n,
  Gi: 1n << 30n,
  Ti: 1n << 40n,
  Pi: 1n << 50n,
  Ei: 1n << 60n,
}
const QUANTITY = /^([+-]?)(\d+\.?\d*|\.\d+)(?:(Ki|Mi|Gi|Ti|Pi|Ei)|[eE]([+-]?\d{1,3})|([numkMGTPE]?))$/

/** Reads `100m`, `1.5Gi`, `2e3` exactly (k8s.io/apimachinery/pkg/api/resource); undefined when it is no quantity. */
export function parseQuantity(text: string): NanoUnits | undefined {
  const [, sign, number = '', binary, exponent, suffix] = QUANTITY.exec(text) ?? []
  if (sign === undefined) return undefined
  const [whole = '0', fraction = ''] = number.split('.')
  const unscaled = BigInt(`${whole}${fraction}`)
  const multiplied = binary === undefined ? unscaled : unscaled * (BINARY[binary] ?? 1n)
  const power =
    9 - fraction.length + (exponent === undefined ? (DECIMAL[suffix ?? ''] ?? 0) : Number(exponent))
  const magnitude =
    power >= 0 ? multiplied * 10n ** BigInt(power) : roundUp(multiplied, 10n ** BigInt(-power))
  return sign === '-' ? -magnitude : magnitude
}

/** Finer than a nano-unit is rounded away from zero, as Kubernetes does. */
const roundUp = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`; an unreadable one counts as zero. */
export function compareQuantities(a: string, b: string): number {
  const difference = (parseQuantity(a) ?? 0n) - (parseQuantity(b) ?? 0n)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/**
 * The spelling Kubernetes stores: the suffix family of the text is kept, the number has no fraction and the suffix is as large
 * as it can be without one (`1000m` → `1`, `0.5` → `500m`, `1.5Gi` → `1536Mi`). Undefined when the text is no quantity.
 */
export function canonicalQuantity(text: string): string | undefined {
  const value = parseQuantity(text)
  if (value === undefined) return undefined
  if (value === 0n) return '0'
  const whole = value % 1_000_000_000n === 0n ? value / 1_000_000_000n : undefined
  if (/[KMGTPE]i$/.test(text) && whole !== undefined && (whole >= 1024n || whole <= -1024n))
    return binarySpelling(whole)
  if (/[eE][+-]?\d/.test(text)) return exponentSpelling(value)
  return decimalSpelling(value)
}

function binarySpelling(whole: bigint): string {
  const suffix = Object.keys(BINARY).findLast(name => whole % (BINARY[name] ?? 1n) === 0n)
  return suffix === undefined ? String(whole) : `${whole / (BINARY[suffix] ?? 1n)}${suffix}`
}

function decimalSpelling(value: NanoUnits): string {
  const suffix = Object.keys(DECIMAL).findLast(name => value % powerOf(DECIMAL[name]) === 0n) ?? 'n'
  return `${value / powerOf(DECIMAL[suffix])}${suffix}`
}

function exponentSpelling(value: NanoUnits): string {
  const exponent = [18, 15, 12, 9, 6, 3, 0, -3, -6, -9].find(power => value % powerOf(power) === 0n) ?? -9
  return exponent === 0 ? String(value / powerOf(0)) : `${value / powerOf(exponent)}e${exponent}`
}

/** Nano-units in ten to the `exponent`. */
const powerOf = (exponent = 0): bigint => 10n ** BigInt(exponent + 9)
