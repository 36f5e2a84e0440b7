import { type LabelSelector, SelectorError } from '../../../manifests/label-selector.js'
import {
  checkFieldSelector,
  type FieldSelector,
  parseFieldSelector,
} from '../../apimachinery/field-selector.js'
import type { JsonObject } from '../../apimachinery/json.js'
import { parseLabelSelector } from '../../apimachinery/label-selector.js'
import { badRequest } from '../api-status.js'
import type { StoredObject } from '../store/stored-object.js'
import { inVersion, type Target } from './target.js'

/** Which objects of a collection a list, watch or deletecollection is about. */
export interface Selection {
  readonly matches: (object: StoredObject) => boolean
  /** True when every object of the collection (or namespace) is meant. */
  readonly everything: boolean
}

/** @throws StatusError 400 with the parser's own words */
export function selectionOf(target: Target, query: URLSearchParams): Selection {
  const labels = parsed(() => parseLabelSelector(query.get('labelSelector') ?? ''))
  const fields = parsed(() => {
    const selector = parseFieldSelector(query.get('fieldSelector') ?? '')
    checkFieldSelector(selector, supportedFields(target))
    return selector
  })
  const everything =
    labels.requirements.length === 0 && fields.requirements.length === 0 && target.name === ''
  return { everything, matches: matcher(target, labels, fields) }
}

function matcher(
  target: Target,
  labels: LabelSelector,
  fields: FieldSelector,
): (object: StoredObject) => boolean {
  const { name } = target
  const byLabels = labels.requirements.length > 0
  const byFields = fields.requirements.length > 0
  return object =>
    (name === '' || object.name === name) &&
    (!byLabels || labels.matches(object.labels)) &&
    (!byFields || fields.matches(fieldsOf(target, object)))
}

function fieldsOf({ type, definition }: Target, stored: StoredObject): Readonly<Record<string, string>> {
  return {
    'metadata.name': stored.name,
    'metadata.namespace': stored.namespace,
    ...definition.selectableFields?.(inVersion(type, stored.object)),
  }
}

const EMPTY: JsonObject = {}

/** The names of a type's selectable fields: what its function yields for an object without any. */
function supportedFields({ definition }: Target): ReadonlySet<string> | undefined {
  if (definition.selectableFields) return new Set(Object.keys(definition.selectableFields(EMPTY)))
  return definition.custom ? new Set() : undefined
}

function parsed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message)
    throw error
  }
}
