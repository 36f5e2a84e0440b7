import { fnv32a, safeEncode } from '../../../manifests/hash.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { canonical, equal, type Json } from '../../apimachinery/json.js'
import type { PodTemplate } from '../../objects/core.js'
import { CONTROLLER_REVISIONS } from '../../objects/core-types.js'
import { type ControllerRevision, controllerReference } from '../workloads.js'
import type { Change, World } from './plan.js'

/** The label of a pod that names the revision it was made of. */
export const REVISION_LABEL = 'controller-revision-hash'

/** A workload whose templates are kept as ControllerRevisions. */
interface Revised extends KubeObject {
  readonly spec: { readonly template: PodTemplate; readonly revisionHistoryLimit?: number }
}

/** The revisions of a workload: the one of its present template, those before, and what has to be written. */
export interface Revisions {
  readonly present: ControllerRevision
  readonly all: readonly ControllerRevision[]
  readonly changes: readonly Change[]
}

/** What a revision keeps: the template, marked so that a rollback replaces it whole. */
const dataOf = (template: PodTemplate): object => ({ spec: { template: { ...template, $patch: 'replace' } } })

/** The pod template that a revision keeps. */
export function templateOf({ data }: ControllerRevision): PodTemplate {
  const { spec } = data as { spec: { template: PodTemplate & { $patch?: string } } }
  const { $patch: _, ...template } = spec.template
  return template
}

export const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[REVISION_LABEL] ?? ''

/**
 * Finds the revision of a workload's present template, or says how to make it. A template that was there before gets its
 * revision back, as the newest.
 */
export function revisionsOf(owner: Revised, world: World): Revisions {
  const known = [...world.owned<ControllerRevision>(CONTROLLER_REVISIONS, owner)].sort(
    (one, other) => one.revision - other.revision,
  )
  const data = dataOf(owner.spec.template)
  const newest = known.at(-1)
  const next = (newest?.revision ?? 0) + 1
  const same = known.findLast(one => equal(one.data as Json, data as Json))
  if (same && same === newest) return { present: same, all: known, changes: [] }
  if (same) {
    const renewed = { ...same, revision: next }
    const all = [...known.filter(one => one !== same), renewed]
    return { present: renewed, all, changes: [{ update: CONTROLLER_REVISIONS, object: renewed }] }
  }
  const hash = safeEncode(String(fnv32a(canonical(data as Json))))
  const present: ControllerRevision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      namespace: owner.metadata.namespace ?? '',
      name: `${owner.metadata.name}-${hash}`,
      labels: { ...owner.spec.template.metadata?.labels, [REVISION_LABEL]: hash },
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision: next,
  }
  return { present, all: [...known, present], changes: [{ create: CONTROLLER_REVISIONS, object: present }] }
}

/** Revisions beyond the history that is kept, the oldest first; never one that is `inUse`. */
export function forgottenRevisions(
  owner: Revised,
  all: readonly ControllerRevision[],
  inUse: (revision: ControllerRevision) => boolean,
): readonly Change[] {
  const idle = all.filter(one => one.metadata.uid !== undefined && !inUse(one))
  const surplus = idle.length - (owner.spec.revisionHistoryLimit ?? 10)
  return surplus <= 0 ? [] : idle.slice(0, surplus).map(object => ({ remove: CONTROLLER_REVISIONS, object }))
}
