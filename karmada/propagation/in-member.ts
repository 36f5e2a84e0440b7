import { retained } from '../interpreter/retain.js'
import type { Resource } from '../interpreter/workload.js'
import { MARKS } from '../objects/work.js'
import { sameJson } from '../same-json.js'
import { without } from '../without.js'
import { pruned } from './prune.js'

/** A member has an object of that name that Karmada did not create, and the policy does not overwrite it. */
export class UnmanagedObjectError extends Error {
  override readonly name = 'UnmanagedObjectError'
}

export const isManaged = ({ metadata }: Resource): boolean =>
  metadata.labels?.[MARKS.managed.key] === MARKS.managed.value

/** The manifest with what is kept of the member's object (`Retain`). */
export type Retain = (desired: Resource, observed: Resource) => Resource | Promise<Resource>

/**
 * What is to be written over a member's object (`objectWatcher.Update` of Karmada): the manifest, with what controllers in
 * the member added.
 * @returns undefined when the member's object is as wanted
 * @throws UnmanagedObjectError, RetainError, and what `retain` throws
 */
export async function updateInMember(
  manifest: Resource,
  observed: Resource,
  cluster: string,
  retain: Retain = retained,
): Promise<Resource | undefined> {
  const { kind, metadata } = manifest
  const mayOverwrite = metadata.annotations?.[MARKS.conflictResolution] === 'overwrite'
  if (!isManaged(observed) && !mayOverwrite)
    throw new UnmanagedObjectError(
      `resource(kind=${kind}, ${metadata.namespace ?? ''}/${metadata.name}) already exists in the cluster ${cluster} and the ${MARKS.conflictResolution} strategy value is empty, Karmada will not manage this resource`,
    )
  const desired = await retain(withMemberMetadata(manifest, observed), observed)
  const present = await retain(withMemberMetadata(pruned(observed), observed), observed)
  return sameJson(desired, present) ? undefined : desired
}

const MANAGED_LABELS = [
  'resourcebinding.karmada.io/permanent-id',
  'clusterresourcebinding.karmada.io/permanent-id',
  MARKS.workId,
  MARKS.managed.key,
]
const MANAGED_ANNOTATIONS = [
  ...[MARKS.managedAnnotations, MARKS.managedLabels, MARKS.templateUid, MARKS.templateGeneration],
  ...[
    MARKS.workName,
    MARKS.workNamespace,
    'resourcebinding.karmada.io/namespace',
    'resourcebinding.karmada.io/name',
  ],
]

/** A member's object that Karmada gives up without deleting it. */
export function released(observed: Resource): Resource {
  const { labels = {}, annotations = {} } = observed.metadata
  const metadata = {
    ...observed.metadata,
    labels: without(labels, MANAGED_LABELS),
    annotations: without(annotations, MANAGED_ANNOTATIONS),
  }
  return isManaged(observed) ? { ...observed, metadata } : observed
}

/** Labels and annotations that the member's controllers added stay; those that the template had once, and lost, go. */
function withMemberMetadata(desired: Resource, { metadata: observed }: Resource): Resource {
  const { metadata } = desired
  const listed = (key: string) => new Set(observed.annotations?.[key]?.split(',') ?? [])
  const merged = (
    wanted: Readonly<Record<string, string>> = {},
    present: Readonly<Record<string, string>> = {},
    managed: ReadonlySet<string>,
  ) => ({ ...Object.fromEntries(Object.entries(present).filter(([key]) => !managed.has(key))), ...wanted })
  const { resourceVersion, finalizers, ownerReferences } = observed
  return {
    ...desired,
    metadata: {
      ...metadata,
      labels: merged(metadata.labels, observed.labels, listed(MARKS.managedLabels)),
      annotations: merged(metadata.annotations, observed.annotations, listed(MARKS.managedAnnotations)),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(finalizers && { finalizers }),
      ...(ownerReferences && { ownerReferences }),
    },
  }
}
