import { dns1123Subdomain, labelValue, qualifiedName } from '../../../manifests/name-format.js'
import { type FieldError, forbidden, invalid, required } from '../../apimachinery/field-error.js'
import { isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../apimachinery/json.js'
import type { ResourceDefinition } from '../../apimachinery/resource-definition.js'

/** Finalizers that need no domain. */
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['foregroundDeletion', 'kubernetes', 'orphan'])
const FOREIGN_GROUPS: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])
/** All annotations of an object together: 256 KiB. */
const ANNOTATION_BYTES = 256 * 1024

/** What is wrong with `metadata`, the same for every type. @param old the stored object's, on update */
export function metadataErrors(
  definition: ResourceDefinition,
  metadata: JsonObject,
  old: JsonObject | undefined,
): FieldError[] {
  return [
    ...nameErrors(definition, stringAt(metadata, 'name')),
    ...labelErrors(objectAt(metadata, 'labels')),
    ...annotationErrors(objectAt(metadata, 'annotations')),
    ...ownerErrors(listAt(metadata, 'ownerReferences')),
    ...finalizerErrors(definition, listAt(metadata, 'finalizers').map(String)),
    ...(old?.deletionTimestamp === undefined ? [] : newFinalizerErrors(metadata, old)),
  ]
}

function nameErrors({ strategy }: ResourceDefinition, name: string): FieldError[] {
  if (name === '') return [required('metadata.name', 'name or generateName is required')]
  return (strategy?.nameFormat ?? dns1123Subdomain)(name).map(complaint =>
    invalid('metadata.name', name, complaint),
  )
}

const labelErrors = (labels: JsonObject): FieldError[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedName(key).map(complaint => invalid('metadata.labels', key, complaint)),
    ...labelValue(String(value)).map(complaint => invalid('metadata.labels', value, complaint)),
  ])

function annotationErrors(annotations: JsonObject): FieldError[] {
  let bytes = 0
  const errors: FieldError[] = []
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(String(value))
    for (const complaint of qualifiedName(key.toLowerCase())) {
      errors.push(invalid('metadata.annotations', key, complaint))
    }
  }
  if (bytes > ANNOTATION_BYTES) {
    errors.push({
      reason: 'FieldValueTooLong',
      field: 'metadata.annotations',
      body: `Too long: may not be more than ${ANNOTATION_BYTES} bytes`,
    })
  }
  return errors
}

function ownerErrors(references: readonly Json[]): FieldError[] {
  const errors = references.flatMap(reference =>
    (['apiVersion', 'kind', 'name', 'uid'] as const).flatMap(field => {
      const value = stringAt(reference, field)
      const what = field === 'apiVersion' ? 'version' : field
      return value === ''
        ? [invalid(`metadata.ownerReferences.${field}`, '', `${what} must not be empty`)]
        : []
    }),
  )
  const controllers = references.filter(reference => isObject(reference) && reference.controller === true)
  if (controllers.length > 1) {
    const names = controllers.map(reference => stringAt(reference, 'name'))
    errors.push(
      invalid(
        'metadata.ownerReferences',
        references,
        `Only one reference can have Controller set to true. Found "true" in references for ${names.join(' and ')}`,
      ),
    )
  }
  return errors
}

function finalizerErrors(definition: ResourceDefinition, finalizers: readonly string[]): FieldError[] {
  const errors = finalizers.flatMap(name =>
    qualifiedName(name).map(complaint => invalid('metadata.finalizers', name, complaint)),
  )
  // Types outside kube-apiserver's own registry, CRDs among them, have finalizers without a domain.
  if (definition.custom || FOREIGN_GROUPS.has(definition.group)) return errors
  finalizers.forEach((name, at) => {
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return
    const complaint = 'name is neither a standard finalizer name nor is it fully qualified'
    errors.push(invalid(`metadata.finalizers[${at}]`, name, complaint))
  })
  return errors
}

/** An object that is being deleted takes no further finalizers. */
function newFinalizerErrors(metadata: JsonObject, old: JsonObject): FieldError[] {
  const present = listAt(old, 'finalizers')
  const added = listAt(metadata, 'finalizers').filter(one => !present.includes(one))
  if (added.length === 0) return []
  const list = added.map(one => JSON.stringify(one)).join(', ')
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`
  return [forbidden('metadata.finalizers', detail)]
}
