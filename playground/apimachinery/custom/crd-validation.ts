import { dns1035Label, dns1123Label, dns1123Subdomain } from '../../../manifests/name-format.js'
import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  notSupported,
  required,
} from '../field-error.js'
import {
  at,
  equal,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  stringAt,
  withAt,
} from '../json.js'
import { structuralErrors } from '../schema/structural.js'
import { isJsonPath } from './json-path.js'

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'name', 'password']

/** Fills in what a CustomResourceDefinition may leave out: singular, listKind, conversion, the stored version. */
export function defaultCrd(crd: JsonObject): JsonObject {
  const kind = stringAt(crd, 'spec', 'names', 'kind')
  let result = crd
  if (stringAt(crd, 'spec', 'names', 'singular') === '') {
    result = withAt(result, ['spec', 'names', 'singular'], kind.toLowerCase())
  }
  if (stringAt(crd, 'spec', 'names', 'listKind') === '' && kind !== '') {
    result = withAt(result, ['spec', 'names', 'listKind'], `${kind}List`)
  }
  if (!isObject(objectAt(crd, 'spec').conversion)) {
    result = withAt(result, ['spec', 'conversion'], { strategy: 'None' })
  }
  return result
}

/** The stored versions grow with every version that ever was the storage version; only a status update removes one. */
export function withStoredVersion(crd: JsonObject): JsonObject {
  const storage = stringAt(
    listAt(crd, 'spec', 'versions').find(one => isObject(one) && one.storage === true),
    'name',
  )
  const stored = listAt(crd, 'status', 'storedVersions')
  if (storage === '' || stored.includes(storage)) return crd
  return withAt(crd, ['status', 'storedVersions'], [...stored, storage])
}

/** What is wrong with a CustomResourceDefinition, after defaulting. @param old the stored one on update */
export function validateCrd(crd: JsonObject, old?: JsonObject): FieldError[] {
  const spec = objectAt(crd, 'spec')
  return [
    ...nameErrors(crd),
    ...groupErrors(stringAt(spec, 'group')),
    ...(spec.scope === 'Cluster' || spec.scope === 'Namespaced'
      ? []
      : spec.scope === undefined
        ? [required('spec.scope')]
        : [notSupported('spec.scope', spec.scope, ['Cluster', 'Namespaced'])]),
    ...versionErrors(spec),
    ...namesErrors(objectAt(spec, 'names')),
    ...conversionErrors(objectAt(spec, 'conversion')),
    ...storedVersionErrors(crd),
    ...(old ? immutableErrors(spec, objectAt(old, 'spec'), old) : []),
  ]
}

function nameErrors(crd: JsonObject): FieldError[] {
  const expected = `${stringAt(crd, 'spec', 'names', 'plural')}.${stringAt(crd, 'spec', 'group')}`
  const name = stringAt(crd, 'metadata', 'name')
  return name === expected ? [] : [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]
}

function groupErrors(group: string): FieldError[] {
  if (group === '') return [required('spec.group')]
  const complaints = dns1123Subdomain(group)
  if (complaints.length > 0) return [invalid('spec.group', group, complaints.join(','))]
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')]
}

function versionErrors(spec: JsonObject): FieldError[] {
  const versions = listAt(spec, 'versions')
  const [first, ...more] = versions.map(version => at(version, 'schema', 'openAPIV3Schema'))
  // Schemas that all versions share are checked once, and named as the one schema they used to be.
  const shared = isObject(first) && more.every(schema => equal(schema, first))
  const errors = versions.flatMap((version, at) =>
    oneVersionErrors(version, index('spec.versions', at), shared),
  )
  if (shared) errors.push(...structuralErrors(first, 'spec.validation.openAPIV3Schema'))
  const names = versions.map(version => stringAt(version, 'name'))
  if (new Set(names).size < names.length) {
    errors.push(invalid('spec.versions', versions, 'must contain unique version names'))
  }
  if (versions.filter(version => isObject(version) && version.storage === true).length !== 1) {
    const shown = versions.length === 0 ? null : versions
    errors.push(invalid('spec.versions', shown, 'must have exactly one version marked as storage version'))
  }
  return errors
}

function oneVersionErrors(version: Json, path: string, sharedSchema: boolean): FieldError[] {
  const name = stringAt(version, 'name')
  const errors: FieldError[] = dns1035Label(name).map(complaint =>
    invalid(child(path, 'name'), name, complaint),
  )
  const schema = objectAt(version, 'schema').openAPIV3Schema
  const schemaPath = child(path, 'schema.openAPIV3Schema')
  if (!isObject(schema)) errors.push(required(schemaPath))
  else if (!sharedSchema) errors.push(...structuralErrors(schema, schemaPath))
  listAt(version, 'additionalPrinterColumns').forEach((column, at) => {
    errors.push(...columnErrors(column, index(child(path, 'additionalPrinterColumns'), at)))
  })
  const scale = objectAt(version, 'subresources', 'scale')
  return [
    ...errors,
    ...scaleErrors(scale, child(path, 'subresources.scale')),
    ...selectableErrors(version, path),
  ]
}

function columnErrors(column: Json, path: string): FieldError[] {
  const errors: FieldError[] = []
  const type = stringAt(column, 'type')
  const format = stringAt(column, 'format')
  const jsonPath = stringAt(column, 'jsonPath')
  if (stringAt(column, 'name') === '') errors.push(required(child(path, 'name')))
  const oneOf = `must be one of ${COLUMN_TYPES.join(',')}`
  if (type === '') errors.push(required(child(path, 'type'), oneOf))
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(child(path, 'type'), type, oneOf))
  if (format !== '' && !COLUMN_FORMATS.includes(format)) {
    errors.push(invalid(child(path, 'format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`))
  }
  if (jsonPath === '') errors.push(required(child(path, 'JSONPath')))
  else if (!isJsonPath(jsonPath))
    errors.push(invalid(child(path, 'JSONPath'), jsonPath, 'is an invalid path'))
  return errors
}

function scaleErrors(scale: JsonObject, path: string): FieldError[] {
  if (Object.keys(scale).length === 0) return []
  const under = (key: string, roots: readonly string[], detail: string, needed: boolean): FieldError[] => {
    const value = stringAt(scale, key)
    if (value === '') return needed ? [required(child(path, key))] : []
    return roots.some(root => value.startsWith(`.${root}.`)) ? [] : [invalid(child(path, key), value, detail)]
  }
  return [
    ...under('specReplicasPath', ['spec'], 'should be a json path under .spec', true),
    ...under('statusReplicasPath', ['status'], 'should be a json path under .status', true),
    ...under(
      'labelSelectorPath',
      ['spec', 'status'],
      'should be a json path under either .spec or .status',
      false,
    ),
  ]
}

function selectableErrors(version: Json, path: string): FieldError[] {
  const seen = new Set<string>()
  return listAt(version, 'selectableFields').flatMap((field, at) => {
    const here = child(index(child(path, 'selectableFields'), at), 'jsonPath')
    const jsonPath = stringAt(field, 'jsonPath')
    if (jsonPath === '') return [required(here)]
    if (jsonPath.startsWith('.metadata'))
      return [invalid(here, jsonPath, 'must not point to fields in metadata')]
    if (seen.has(jsonPath)) return [duplicate(here, jsonPath)]
    seen.add(jsonPath)
    return isJsonPath(jsonPath) ? [] : [invalid(here, jsonPath, 'is an invalid path')]
  })
}

function namesErrors(names: JsonObject): FieldError[] {
  const errors: FieldError[] = []
  for (const key of ['plural', 'singular', 'kind', 'listKind'] as const) {
    const name = stringAt(names, key)
    const field = child('spec.names', key)
    const isKind = key === 'kind' || key === 'listKind'
    if (name === '') {
      errors.push(required(field))
      continue
    }
    const complaints = dns1035Label(isKind ? name.toLowerCase() : name).join(',')
    if (complaints === '') continue
    errors.push(
      invalid(
        field,
        name,
        isKind ? `may have mixed case, but should otherwise match: ${complaints}` : complaints,
      ),
    )
  }
  if (stringAt(names, 'kind') !== '' && names.kind === names.listKind) {
    errors.push(invalid('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'))
  }
  for (const key of ['shortNames', 'categories'] as const) {
    listAt(names, key).forEach((name, at) => {
      const complaints = dns1123Label(String(name)).join(',')
      if (complaints !== '') errors.push(invalid(index(child('spec.names', key), at), name, complaints))
    })
  }
  return errors
}

function conversionErrors(conversion: JsonObject): FieldError[] {
  const { strategy, webhook } = conversion
  if (strategy === undefined) return [required('spec.conversion.strategy')]
  if (strategy === 'None') {
    return webhook === undefined
      ? []
      : [forbidden('spec.conversion.webhook', 'should not be set when strategy is not set to Webhook')]
  }
  if (strategy !== 'Webhook') return [notSupported('spec.conversion.strategy', strategy, ['None', 'Webhook'])]
  return isObject(webhook)
    ? []
    : [required('spec.conversion.webhook', 'required when strategy is set to Webhook')]
}

function storedVersionErrors(crd: JsonObject): FieldError[] {
  const names = listAt(crd, 'spec', 'versions').map(version => stringAt(version, 'name'))
  const stored = listAt(crd, 'status', 'storedVersions')
  if (names.length === 0 && stored.length === 0) {
    return [invalid('status.storedVersions', null, 'must have at least one stored version')]
  }
  return stored.flatMap((stored, at) =>
    names.includes(String(stored))
      ? []
      : [
          invalid(
            index('status.storedVersions', at),
            stored,
            `missing from spec.versions; ${stored} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${stored} and removes ${stored} from status.storedVersions`,
          ),
        ],
  )
}

/** Once its names are established, what a CRD is about may not change any more. */
function immutableErrors(spec: JsonObject, old: JsonObject, stored: JsonObject): FieldError[] {
  const established = listAt(stored, 'status', 'conditions').some(
    one => stringAt(one, 'type') === 'Established' && stringAt(one, 'status') === 'True',
  )
  const fixed: [string, Json | undefined, Json | undefined][] = [
    ['spec.group', spec.group, old.group],
    ['spec.names.plural', objectAt(spec, 'names').plural, objectAt(old, 'names').plural],
  ]
  if (established) {
    fixed.push(
      ['spec.scope', spec.scope, old.scope],
      ['spec.names.kind', objectAt(spec, 'names').kind, objectAt(old, 'names').kind],
    )
  }
  return fixed
    .filter(([, now, before]) => !equal(now, before))
    .map(([field, now]) => invalid(field, now, 'field is immutable'))
}
