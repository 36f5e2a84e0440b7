import { child, type FieldError, invalid, required } from '../../field-error.js'
import { at, equal, isObject, type Json, type JsonObject } from '../../json.js'
import { selectorFromObject } from '../../label-selector.js'

/** A workload's selector must be there, select something, and match the labels of its own template. */
export function selectorErrors(spec: JsonObject, kind: string): FieldError[] {
  const { selector } = spec
  if (!isObject(selector)) {
    // A DaemonSet's selector is only ever compared with its template.
    const absent = kind === 'daemonset' ? [] : [required('spec.selector')]
    return [...absent, ...mismatch(spec, undefined)]
  }
  const { matchLabels, matchExpressions } = selector
  if (matchLabels === undefined && matchExpressions === undefined) {
    return [invalid('spec.selector', {}, `empty selector is invalid for ${kind}`)]
  }
  return mismatch(spec, selector)
}

function mismatch(spec: JsonObject, selector: JsonObject | undefined): FieldError[] {
  const labels = at(spec, 'template', 'metadata', 'labels') ?? null
  if (selector && selectorFromObject(selector).matches((labels ?? {}) as Record<string, string>)) return []
  return [invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')]
}

/** Refuses a change of a field that may not change. */
export function immutable(
  field: string,
  now: Json | undefined,
  before: Json | undefined,
  detail = 'field is immutable',
): FieldError[] {
  return equal(now, before) ? [] : [invalid(field, now ?? null, detail)]
}

/** Refuses a negative number. */
export function notNegative(path: string, object: JsonObject, ...fields: readonly string[]): FieldError[] {
  return fields.flatMap(field => {
    const value = object[field]
    return typeof value === 'number' && value < 0
      ? [invalid(child(path, field), value, 'must be greater than or equal to 0')]
      : []
  })
}
