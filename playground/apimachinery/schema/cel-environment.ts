import { isIP } from 'node:net'
import { Environment } from '@marcbachmann/cel-js'
import { compareQuantities, quantityValue } from '../quantity-value.js'
import { patternOf } from './value-validation.js'

/** A parsed `quantity("10Mi")`; only its exact value matters. */
class Quantity {
  constructor(readonly text: string) {}
}

type Comparable = bigint | number | string | boolean | Date

const compare = (a: Comparable, b: Comparable): number => (a < b ? -1 : a > b ? 1 : 0)

function isSorted(list: readonly Comparable[]): boolean {
  return list.every((item, at) => at === 0 || compare(list[at - 1] as Comparable, item) <= 0)
}

function extreme(list: readonly Comparable[], sign: 1 | -1): Comparable {
  const [first, ...rest] = list
  if (first === undefined) throw new Error(`${sign === 1 ? 'max' : 'min'} called on empty list`)
  return rest.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best), first)
}

function sum(list: readonly (bigint | number)[]): bigint | number {
  return list.reduce((total, item) =>
    typeof total === 'bigint' && typeof item === 'bigint' ? total + item : Number(total) + Number(item),
  )
}

/** `"%s is %d".format([a, b])`: %s, %d, %f, %e, %x, %b, %o and %%. */
function format(template: string, values: readonly unknown[]): string {
  let next = 0
  return template.replace(
    /%(\.\d+)?([sdfexXbo%])/g,
    (_whole, precision: string | undefined, verb: string) => {
      if (verb === '%') return '%'
      if (next >= values.length) throw new Error(`index ${next} out of range`)
      const value = values[next]
      next += 1
      const digits = precision === undefined ? 6 : Number(precision.slice(1))
      switch (verb) {
        case 'f':
          return Number(value).toFixed(digits)
        case 'e':
          return Number(value).toExponential(digits)
        case 'x':
          return BigInt(value as bigint).toString(16)
        case 'X':
          return BigInt(value as bigint)
            .toString(16)
            .toUpperCase()
        case 'b':
          return typeof value === 'boolean' ? String(value) : BigInt(value as bigint).toString(2)
        case 'o':
          return BigInt(value as bigint).toString(8)
        default:
          return shown(value)
      }
    },
  )
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Quantity) return value.text
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, member]) => `${key}: ${shown(member)}`)
      .join(', ')}}`
  }
  return String(value)
}

function isUrl(text: string): boolean {
  return text.startsWith('/') || URL.canParse(text)
}

function isQuantity(text: string): boolean {
  return quantityValue(text) !== undefined
}

function toQuantity(text: string): Quantity {
  if (!isQuantity(text))
    throw new Error(
      `quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
    )
  return new Quantity(text)
}

/**
 * The CEL of Kubernetes' validation rules: the language with optional types, strings, sets and encoders as the library has
 * them, and the Kubernetes libraries for lists, regular expressions, URLs, IP addresses and quantities.
 */
export function ruleEnvironment(): Environment {
  const environment = new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 100_000, maxDepth: 250 },
  })
  environment
    .registerVariable('self', 'dyn')
    .registerVariable('oldSelf', 'dyn')
    .registerType('Quantity', Quantity)
    .registerFunction('list.isSorted(): bool', isSorted)
    .registerFunction('list.sum(): dyn', sum)
    .registerFunction('list.min(): dyn', (list: readonly Comparable[]) => extreme(list, -1))
    .registerFunction('list.max(): dyn', (list: readonly Comparable[]) => extreme(list, 1))
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => patternOf(pattern).exec(text)?.[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      [...text.matchAll(new RegExp(patternOf(pattern), 'gu'))].map(([found]) => found),
    )
    .registerFunction('string.format(list): string', format)
    .registerFunction('isURL(string): bool', isUrl)
    .registerFunction('isIP(string): bool', (text: string) => isIP(text) !== 0)
    .registerFunction('isQuantity(string): bool', isQuantity)
    .registerFunction('quantity(string): Quantity', toQuantity)
    .registerFunction(
      'Quantity.isGreaterThan(Quantity): bool',
      (a: Quantity, b: Quantity) => compareQuantities(a.text, b.text) > 0,
    )
    .registerFunction(
      'Quantity.isLessThan(Quantity): bool',
      (a: Quantity, b: Quantity) => compareQuantities(a.text, b.text) < 0,
    )
    .registerFunction('Quantity.compareTo(Quantity): int', (a: Quantity, b: Quantity) =>
      BigInt(compareQuantities(a.text, b.text)),
    )
    .registerFunction('Quantity.sign(): int', (a: Quantity) => BigInt(compareQuantities(a.text, '0')))
  return environment
}
