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
  const { ownerReferences = [] } = metadata
  return {
    ...identityFields(metadata),
    ownerReferences: ownerReferences.map(({ uid, controller = false }) => ({ uid, controller })),
    cluster,
    finalizers: [...(metadata.finalizers ?? [])],
    generation: BigInt(metadata.generation ?? 0),
  }
}

/** The fields that messages of the contract take from an object's metadata, in `metadata` or beside its other fields. */
export const identityFields = (metadata: ObjectMeta) => ({
  name: metadata.name,
  namespace: metadata.namespace ?? '',
  uid: metadata.uid ?? '',
  resourceVersion: metadata.resourceVersion ?? '',
  creationTimestamp: milliseconds(metadata.creationTimestamp),
  deletionTimestamp: milliseconds(metadata.deletionTimestamp),
  labels: { ...metadata.labels },
  annotations: { ...metadata.annotations },
})

/** Milliseconds since 1970-01-01 UTC of a time in RFC 3339; 0 for none. */
export function milliseconds(time: string | undefined | null): bigint {
  const found = Date.parse(time ?? '')
  return Number.isNaN(found) ? 0n : BigInt(found)
}
