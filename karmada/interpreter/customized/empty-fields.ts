import type { Json } from './lua-json.js'

/** Where objects have empty fields: paths of names, without the positions in lists. */
interface EmptyFields {
  readonly lists: Set<string>
  readonly objects: Set<string>
}

const isList = (value: unknown): value is readonly Json[] => Array.isArray(value)
const isObject = (value: unknown): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !isList(value)
/** Names are joined by a character that they do not have. */
const below = (path: string, name: string): string => `${path}\0${name}`

/**
 * Lua does not distinguish an empty list from an empty object. A field that is empty in what a script returns becomes what it is in
 * the objects that the script got; where they do not have it, it is taken away.
 * @param references what the script got
 * @param isObjectWanted whether the result itself is an object
 */
export function withEmptyFields(result: Json, references: readonly unknown[], isObjectWanted: boolean): Json {
  if (isList(result) && result.length === 0) return isObjectWanted ? {} : result
  const known: EmptyFields = { lists: new Set(), objects: new Set() }
  for (const reference of references) collect(reference, '', known)
  return mended(result, '', known)
}

function collect(value: unknown, path: string, known: EmptyFields): void {
  const visit = (item: unknown, at: string) => {
    if (isList(item) && item.length === 0) known.lists.add(at)
    else if (isObject(item) && Object.keys(item).length === 0) known.objects.add(at)
    else collect(item, at, known)
  }
  if (isList(value)) for (const item of value) visit(item, path)
  else if (isObject(value)) for (const [name, item] of Object.entries(value)) visit(item, below(path, name))
}

const GONE = Symbol('gone')

function mended(value: Json, path: string, known: EmptyFields): Json {
  const mend = (item: Json, at: string): Json | typeof GONE => {
    if (!isList(item) || item.length > 0) return mended(item, at, known)
    if (known.objects.has(at)) return {}
    return known.lists.has(at) ? item : GONE
  }
  if (isList(value)) return value.map(item => mend(item, path)).filter(item => item !== GONE)
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([name, item]) => [name, mend(item, below(path, name))] as const)
  return Object.fromEntries(fields.filter((field): field is [string, Json] => field[1] !== GONE))
}
