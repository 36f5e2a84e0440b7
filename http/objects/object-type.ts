import { type GroupVersionResource, type KubeObject, resourcePath } from '../../manifests/kube.js'
import { type FieldViolation, invalidFields } from '../errors/failure.js'
import { isPathSegment, noPathSegment } from '../operation/path-segment.js'

/** A type of objects inside an instance or a member. */
export interface ObjectType extends GroupVersionResource {
  readonly kind: string
  readonly namespaced: boolean
}

/** Where objects are: in an instance's control plane, or in one of its members. */
export interface Place {
  readonly instance: string
  /** A member, reached through `clusters/{cluster}/proxy` of the instance. */
  readonly cluster?: string
}

/** Names one object of a type. */
export interface ObjectKey {
  readonly namespace?: string
  readonly name: string
}

/** What of an object is patched, or read, apart from it, where its type has that. */
export type Subresource = 'status' | 'scale' | 'log'

/** `apiVersion` of a type's objects. */
export const apiVersionOf = ({ group, version }: GroupVersionResource): string =>
  group === '' ? version : `${group}/${version}`

/** The key of an object. */
export const keyOf = ({ metadata: { namespace, name } }: KubeObject): ObjectKey => ({
  name,
  ...(namespace && { namespace }),
})

/**
 * The path of one object, so that nothing that is done to one object is ever done to many: an empty name would make a deletion
 * one of all objects, and an empty namespace one of all namespaces.
 * @throws Failure INVALID_ARGUMENT for what names no object
 */
export function objectPath(
  place: Place,
  type: ObjectType,
  { namespace, name }: ObjectKey,
  subresource?: Subresource,
): string {
  // An object that is yet to be named has none, whatever its type says.
  const named = (name as string | undefined) ?? ''
  check({ cluster: place.cluster, name: named, ...(type.namespaced && { namespace: namespace ?? '' }) })
  const at = { ...(type.namespaced && namespace && { namespace }), name, ...(subresource && { subresource }) }
  return prefixOf(place) + resourcePath(type, at)
}

/**
 * The path of a type's objects, in all namespaces or in one.
 * @throws Failure INVALID_ARGUMENT for a namespace or cluster that cannot be
 */
export function collectionPath(place: Place, type: ObjectType, namespace?: string): string {
  const within = type.namespaced && namespace ? { namespace } : {}
  check({ cluster: place.cluster, ...within })
  return prefixOf(place) + resourcePath(type, within)
}

/** What comes before every path of a place. */
export const prefixOf = ({ cluster }: Place): string =>
  cluster === undefined
    ? ''
    : `/apis/cluster.karmada.io/v1alpha1/clusters/${encodeURIComponent(cluster)}/proxy`

/** Every part of a path must be one segment of it, and there. */
function check(parts: Readonly<Record<string, string | undefined>>): void {
  const violations = Object.entries(parts).flatMap(([field, value]): FieldViolation[] => {
    if (value === undefined) return []
    if (value === '') return [{ field, description: 'is required' }]
    return isPathSegment(value) ? [] : [{ field, description: noPathSegment(value) }]
  })
  if (violations.length > 0) throw invalidFields(violations)
}
