import type { MessageInitShape } from '@bufbuild/protobuf'
import type { KubeObject, ObjectMeta } from '../../../manifests/kube.js'
import type { ObjectMetaSchema } from '../../../proto/gen/kairship/types_pb.js'
import type { Place } from '../../objects/object-type.js'

/** The metadata of an object as the API shows it. */
export const objectMeta = (
  { metadata }: KubeObject,
  { cluster }: Place,
): MessageInitShape<typeof ObjectMetaSchema> => metadataMessage(metadata, cluster)

/** @param cluster the member that has the object; absent for the control plane and the host */
export function metadataMessage(
  metadata: ObjectMeta,
  cluster = '',
): MessageInitShape<typeof ObjectMetaSchema> {
  return {
    ...identityFields(metadata),
    ownerReferences: listOf(metadata.ownerReferences).map(owner => ({
      uid: text(owner?.uid),
      controller: owner?.controller === true,
    })),
    cluster,
    finalizers: listOf(metadata.finalizers).map(text),
    generation: wholeNumber(metadata.generation),
  }
}

/**
 * The fields that messages of the contract take from an object's metadata, in `metadata` or beside its other fields. What is not of its
 * type, as only an instance that is no API server writes it, is left out: it could not be sent, nor could what is sent with it.
 */
export const identityFields = (metadata: ObjectMeta) => ({
  name: text(metadata.name),
  namespace: text(metadata.namespace),
  uid: text(metadata.uid),
  resourceVersion: text(metadata.resourceVersion),
  creationTimestamp: milliseconds(metadata.creationTimestamp),
  deletionTimestamp: milliseconds(metadata.deletionTimestamp),
  labels: textsOf(metadata.labels),
  annotations: textsOf(metadata.annotations),
})

/** Milliseconds since 1970-01-01 UTC of a time in RFC 3339; 0 for none. */
export function milliseconds(time: string | undefined | null): bigint {
  const found = Date.parse(text(time))
  return Number.isNaN(found) ? 0n : BigInt(found)
}

/** A whole number that JSON can hold; 0 for anything else. */
export const wholeNumber = (value: unknown): bigint =>
  Number.isSafeInteger(value) ? BigInt(value as number) : 0n

/** A text, or a number as text; empty for anything else. */
export const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

const listOf = <T>(value: readonly T[] | undefined): readonly T[] => (Array.isArray(value) ? value : [])

function textsOf(map: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const values = Object.values(map ?? {})
  if (values.every(value => typeof value === 'string')) return { ...map }
  return Object.fromEntries(Object.entries(map ?? {}).map(([key, value]) => [key, text(value)]))
}
