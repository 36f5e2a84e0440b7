import { parse, stringify } from 'yaml'
import type { FieldOverrider } from '../objects/override-policy.js'
import { type OverrideBudget, stepsOfYaml } from './budget.js'
import { type Edit, edited, OverrideError } from './json-edit.js'
import { valueAt } from './pointer.js'

/**
 * The edit that a field overrider makes: the string it points to is read as YAML or JSON, changed and written again.
 * @throws OverrideError when the field holds no string, or one that cannot be read
 */
export function fieldEdit(
  object: object,
  { fieldPath, yaml = [], json = [] }: FieldOverrider,
  budget?: OverrideBudget,
): Edit {
  const text = valueAt(object, fieldPath)
  if (typeof text !== 'string') throw new OverrideError(`${fieldPath} holds no string`)
  const edits = (yaml.length > 0 ? yaml : json).map(
    ({ subPath, operator, value }): Edit => ({ op: operator, path: subPath, value }),
  )
  // Karmada writes an empty string where an overrider has neither; its webhook refuses such a policy.
  if (edits.length === 0) return { op: 'replace', path: fieldPath, value: '' }
  const isYaml = yaml.length > 0
  budget?.spend(edits.length + (isYaml ? stepsOfYaml(text) : text.length / 20))
  // An empty text is no JSON; Karmada's library leaves it as it is.
  if (text === '' && !isYaml) return { op: 'replace', path: fieldPath, value: '' }
  const changed = edited(read(text, fieldPath, isYaml), edits)
  return { op: 'replace', path: fieldPath, value: isYaml ? writeYaml(changed) : JSON.stringify(changed) }
}

/**
 * Of a key that stands twice the last counts, as for Karmada (asked of its own function). Looking for such keys would also take
 * time by the square of their number: seconds for 90 KB, in the process that previews a policy.
 */
const AS_KARMADA = { uniqueKeys: false } as const

function read(text: string, path: string, isYaml: boolean): unknown {
  try {
    return isYaml ? parse(text, AS_KARMADA) : JSON.parse(text)
  } catch (cause) {
    throw new OverrideError(`${path} holds no ${isYaml ? 'YAML' : 'JSON'}`, { cause })
  }
}

/** Keys in order and lists at the level of their key, as Go's YAML writes. */
const writeYaml = (document: unknown): string =>
  stringify(document, { sortMapEntries: true, indentSeq: false, lineWidth: 0 })
