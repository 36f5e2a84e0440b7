import { has, isArray, isObject, type Json } from '../json.js'

/** One step of a JSONPath: a key, an index, everything below, or the items that pass a comparison. */
type Step =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'recurse'; readonly key: string }
  | {
      readonly kind: 'filter'
      readonly path: readonly Step[]
      readonly operator: string
      readonly literal: Json
    }

const STEP =
  /^(?:\.\.([A-Za-z0-9_-]+)|\.((?:[A-Za-z0-9_/-]|\\.)+)|\.?\[\*\]|\.\*|\[(-?\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\[\?\(\s*@((?:\.[A-Za-z0-9_.-]+|\[[^\]]*\])*)\s*(?:(==|!=|<=|>=|<|>)\s*('[^']*'|"[^"]*"|[^)\s]+))?\s*\)\])/

const parsed = new Map<string, readonly Step[] | undefined>()

/**
 * The values a printer column's JSONPath selects: keys, `\.`-escaped dots, `['key']`, `[0]`, `[-1]`, `[*]`, `..key` and
 * `[?(@.type=="Ready")]`. A path that cannot be read selects nothing, as `kubectl get` shows nothing for it.
 */
export function jsonPath(value: Json, path: string): readonly Json[] {
  const steps = stepsOf(path)
  return steps ? select([value], steps) : []
}

/** True when the path can be read. */
export const isJsonPath = (path: string): boolean => stepsOf(path) !== undefined

/** The one value of a path without wildcards; undefined when there is none. */
export const simplePath = (value: Json, path: string): Json | undefined => jsonPath(value, path)[0]

function stepsOf(path: string): readonly Step[] | undefined {
  if (!parsed.has(path)) {
    if (parsed.size > 10_000) parsed.clear()
    parsed.set(path, parse(path))
  }
  return parsed.get(path)
}

function parse(path: string): readonly Step[] | undefined {
  let rest = path.trim()
  if (rest.startsWith('{') && rest.endsWith('}')) rest = rest.slice(1, -1)
  if (rest.startsWith('$')) rest = rest.slice(1)
  if (rest !== '' && !/^[.[]/.test(rest)) rest = `.${rest}`
  const steps: Step[] = []
  while (rest !== '' && rest !== '.') {
    const match = STEP.exec(rest)
    if (!match) return undefined
    const step = stepOf(match)
    if (!step) return undefined
    steps.push(step)
    rest = rest.slice(match[0].length)
  }
  return steps
}

function stepOf(match: RegExpExecArray): Step | undefined {
  const [, recursive, key, index, single, double, filterPath, operator, literal] = match
  if (recursive !== undefined) return { kind: 'recurse', key: recursive }
  if (key !== undefined) return { kind: 'key', key: key.replaceAll(/\\(.)/g, '$1') }
  if (index !== undefined) return { kind: 'index', index: Number(index) }
  const quoted = single ?? double
  if (quoted !== undefined) return { kind: 'key', key: quoted.replaceAll(/\\(.)/g, '$1') }
  if (filterPath === undefined) return { kind: 'all' }
  const path = parse(filterPath)
  if (!path) return undefined
  return { kind: 'filter', path, operator: operator ?? 'exists', literal: literalOf(literal ?? '') }
}

function literalOf(text: string): Json {
  if (/^(['"]).*\1$/s.test(text)) return text.slice(1, -1)
  if (text === 'true' || text === 'false') return text === 'true'
  return text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text
}

function select(values: readonly Json[], steps: readonly Step[]): readonly Json[] {
  return steps.reduce<readonly Json[]>((found, step) => found.flatMap(value => follow(value, step)), values)
}

function follow(value: Json, step: Step): readonly Json[] {
  switch (step.kind) {
    case 'key':
      return isObject(value) && has(value, step.key) ? [value[step.key] as Json] : []
    case 'index':
      return isArray(value) ? value.slice(step.index).slice(0, 1) : []
    case 'all':
      return isArray(value) ? value : isObject(value) ? Object.values(value) : []
    case 'recurse':
      return descend(value, step.key)
    case 'filter':
      return isArray(value) ? value.filter(item => passes(item, step)) : []
  }
}

function descend(value: Json, key: string): readonly Json[] {
  if (isArray(value)) return value.flatMap(item => descend(item, key))
  if (!isObject(value)) return []
  const own = has(value, key) ? [value[key] as Json] : []
  return [...own, ...Object.values(value).flatMap(member => descend(member, key))]
}

function passes(item: Json, { path, operator, literal }: Extract<Step, { kind: 'filter' }>): boolean {
  const [found] = select([item], path)
  if (operator === 'exists') return found !== undefined
  if (found === undefined || found === null) return false
  if (operator === '==') return found === literal || String(found) === String(literal)
  if (operator === '!=') return String(found) !== String(literal)
  const difference = Number(found) - Number(literal)
  switch (operator) {
    case '<':
      return difference < 0
    case '<=':
      return difference <= 0
    case '>':
      return difference > 0
    default:
      return difference >= 0
  }
}
