import { isJsonObject } from '../../transcoding/json-object.js'

/** A change of a manifest in a preview: the JSON before, and a patch of it (RFC 6902). */
interface Change {
  readonly before: string
  readonly patch: readonly { readonly op: string; readonly path: string; readonly value: string }[]
}

/** The most characters of a value in a line. */
const MOST_VALUE = 80

/** Karmada's own lists of the labels and annotations that it manages. They follow from the fields that other lines show. */
const LISTS = new Set(
  ['managed-labels', 'managed-annotations'].map(
    list => `/metadata/annotations/resourcetemplate.karmada.io~1${list}`,
  ),
)

/** A patch as readable lines: `spec.replicas: 2 → 5`. Leaves out Karmada's own lists of fields. */
export function changeLines({ before, patch }: Change): string[] {
  if (patch.length === 0) return []
  const object: unknown = before === '' ? undefined : JSON.parse(before)
  const shown = patch.filter(({ path }) => !LISTS.has(path))
  return shown.map(({ op, path, value }) => {
    const keys = path.split('/').slice(1).map(unescaped)
    const field = keys.join('.')
    if (op === 'add') return `+ ${field}: ${short(value)}`
    const old = short(JSON.stringify(valueAt(object, keys)) ?? '')
    return op === 'remove' ? `- ${field}: ${old}` : `~ ${field}: ${old} → ${short(value)}`
  })
}

const short = (json: string): string => (json.length > MOST_VALUE ? `${json.slice(0, MOST_VALUE)}…` : json)

/** Decodes a step of a JSON pointer (RFC 6901). */
const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')

function valueAt(object: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)]
    return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }, object)
}
