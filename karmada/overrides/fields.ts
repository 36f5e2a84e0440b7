import type { FieldOverrider } from '../objects/override-policy.js'
import { type OverrideBudget, stepsOfYaml } from './budget.js'
import { type Edit, edited, OverrideError } from './json-edit.js'
import { valueAt } from './pointer.js'
import { readYaml, writeYaml } from './yaml-text.js'

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

function read(text: string, path: string, isYaml: boolean): unknown {
  try {
    return isYaml ? readYaml(text) : JSON.parse(text)
  } catch (cause) {
    throw new OverrideError(`${path} holds no ${isYaml ? 'YAML' : 'JSON'}`, { cause })
  }
}
