import type { KubeObject } from '../../../manifests/kube.js'
import { CLUSTER_ANNOTATION } from '../../../manifests/pedia-cluster.js'

/**
 * One object of one cluster as the index keeps it: what queries ask for, and its JSON ready to send. The parsed object is
 * not kept; the few queries that look deeper parse it again.
 */
export interface IndexedObject {
  readonly cluster: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** uid of the controlling owner, or ''. */
  readonly ownerUid: string
  /** The cluster's own resourceVersion, unchanged. */
  readonly resourceVersion: string
  readonly kind: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** When it was taken in, milliseconds since the epoch. */
  readonly syncedAt: number
  readonly labels: Readonly<Record<string, string>>
  /** The whole object, managedFields included, with the annotation that names its cluster. UTF-8. */
  readonly json: Buffer
}

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze({})

/** Takes an object of a cluster in. */
export function indexedObject(cluster: string, object: KubeObject, now: number): IndexedObject {
  const { metadata } = object
  const annotations = { ...metadata.annotations, [CLUSTER_ANNOTATION]: cluster }
  return {
    cluster,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    ownerUid: metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    kind: object.kind,
    createdAt: metadata.creationTimestamp ? Date.parse(metadata.creationTimestamp) : 0,
    syncedAt: now,
    labels: metadata.labels ?? NO_LABELS,
    json: Buffer.from(JSON.stringify({ ...object, metadata: { ...metadata, annotations } })),
  }
}

/** The parsed object. */
export const parsed = <T extends KubeObject = KubeObject>({ json }: IndexedObject): T =>
  JSON.parse(json.toString()) as T

/** Unique within one type of one cluster. */
export const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  namespace ? `${namespace}/${name}` : name
