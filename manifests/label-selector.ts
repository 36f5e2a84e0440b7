import { labelValue, qualifiedName } from './name-format.js'

/** `metav1.LabelSelector`, as objects carry it. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

export type Operator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!'

/** One requirement on one label. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: Operator
  readonly values: readonly string[]
}

/** All requirements must hold; a selector without any selects everything. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[]
  matches(labels: Readonly<Record<string, string>> | undefined): boolean
}

/** A selector that cannot be read. The message is the one the API server answers a 400 with. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}

export const EVERYTHING: LabelSelector = { requirements: [], matches: () => true }

const EXPRESSION_OPERATORS: Readonly<Record<string, Operator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
}

/**
 * The operator that a match expression names.
 * @throws SelectorError when there is no such operator
 */
export function operatorOf(name: string): Operator {
  const operator = EXPRESSION_OPERATORS[name]
  if (operator === undefined) throw new SelectorError(`"${name}" is not a valid label selector operator`)
  return operator
}

/** Builds a selector of requirements that were parsed before. */
export function selectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  const sorted = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return {
    requirements: sorted,
    matches: labels => sorted.every(requirement => satisfies(requirement, labels ?? {})),
  }
}

/**
 * Whether labels match a selector object, as `LabelSelectorAsSelector` reads it: an empty selector matches everything, and
 * one that Kubernetes refuses to read matches nothing.
 */
export function selectsLabels(
  { matchLabels = {}, matchExpressions = [] }: LabelSelectorObject,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  const equal = Object.entries(matchLabels).map(
    ([key, value]): LabelRequirement => ({ key, operator: '=', values: [value] }),
  )
  const expressed = matchExpressions.map(({ key, operator, values = [] }) => {
    const known = EXPRESSION_OPERATORS[operator]
    return known && { key, operator: known, values }
  })
  const all = [...equal, ...expressed]
  return all.every(one => one !== undefined && isValid(one) && satisfies(one, labels ?? {}))
}

/** Whether `labels.NewRequirement` takes this requirement; it takes fewer than the grammar of query strings. */
function isValid({ key, operator, values }: LabelRequirement): boolean {
  const takesValues = operator !== 'exists' && operator !== '!'
  return (
    qualifiedName(key).length === 0 &&
    (takesValues ? values.length > 0 : values.length === 0) &&
    values.every(value => labelValue(value).length === 0)
  )
}

function satisfies({ key, operator, values }: LabelRequirement, labels: Readonly<Record<string, string>>) {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value)
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value)
    case 'gt':
      return isInteger(value) && BigInt(value) > BigInt(values[0] ?? 0)
    case 'lt':
      return isInteger(value) && BigInt(value) < BigInt(values[0] ?? 0)
  }
}

/** A whole number in decimal digits, as `Gt` and `Lt` compare. */
export const isInteger = (value: string | undefined): value is string =>
  value !== undefined && /^[-+]?\d+$/.test(value)
