import type { KubeObject } from '../../../../manifests/kube.js'
import { isNotFound } from '../../../../manifests/status-error.js'
import type { ObjectKey, ObjectType, Place } from '../../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../../objects/objects.js'
import { text } from '../../kind/object-meta.js'
import { CONTROLLER_REVISION, REPLICA_SET } from '../../kind/object-types.js'
import {
  CHANGE_CAUSE,
  type KeptRevision,
  type PodTemplate,
  plainTemplate,
  revisionId,
  type Templated,
} from './revision.js'

const REVISION = 'deployment.kubernetes.io/revision'

interface ReplicaSet extends KubeObject {
  readonly spec?: { readonly template?: PodTemplate }
  readonly status?: { readonly replicas?: number }
}

interface ControllerRevision extends KubeObject {
  readonly revision?: number
  readonly data?: { readonly spec?: { readonly template?: PodTemplate } }
}

interface StatefulStatus {
  readonly currentRevision?: string
  readonly updateRevision?: string
  readonly currentReplicas?: number
  readonly updatedReplicas?: number
}

/** A workload in a member with the revisions that are kept of it there. */
export interface MemberHistory {
  readonly cluster: string
  readonly workload: Templated
  /** `revisionId` of the workload's template. */
  readonly present: string
  readonly kept: readonly KeptRevision[]
}

/** Reads the history of a workload in a member; undefined where the member does not have it. */
export async function memberHistory(
  objects: Objects,
  call: ObjectCall,
  place: Place & { readonly cluster: string },
  type: ObjectType,
  key: ObjectKey,
): Promise<MemberHistory | undefined> {
  const workload = await ifThere(objects.get<Templated>(call, place, type, key))
  if (!workload) return undefined
  const query = {
    ...(key.namespace && { namespace: key.namespace }),
    ...{ ownerUid: workload.metadata.uid ?? '', page: 1, pageSize: 0 },
  }
  const { cluster } = place
  const found: readonly Found[] =
    type.kind === 'Deployment'
      ? (await objects.list<ReplicaSet>(call, place, REPLICA_SET, query)).items.flatMap(ofReplicaSet)
      : (await objects.list<ControllerRevision>(call, place, CONTROLLER_REVISION, query)).items.flatMap(one =>
          ofControllerRevision(one, workload),
        )
  const newest = Math.max(...found.map(({ revision }) => revision))
  return {
    cluster,
    workload,
    present: revisionId(workload.spec?.template ?? {}),
    kept: found.map(one => ({
      ...one,
      id: revisionId(one.template),
      cluster,
      active: one.revision === newest,
    })),
  }
}

type Found = Omit<KeptRevision, 'id' | 'cluster' | 'active'>

/** A ReplicaSet that has no revision yet is not one of the history. */
function ofReplicaSet({ metadata, spec, status }: ReplicaSet): readonly Found[] {
  const revision = Number(metadata.annotations?.[REVISION])
  if (!isWhole(revision) || !spec?.template) return []
  return [
    {
      ...common(metadata),
      revision,
      replicas: countOf(status?.replicas),
      template: plainTemplate(spec.template),
    },
  ]
}

function ofControllerRevision(
  { metadata, revision, data }: ControllerRevision,
  workload: KubeObject & { readonly status?: StatefulStatus },
): readonly Found[] {
  const template = data?.spec?.template
  if (!isWhole(revision) || !template) return []
  const replicas =
    workload.kind === 'StatefulSet' ? replicasOf(metadata.name, workload.status ?? {}) : undefined
  return [
    {
      ...common(metadata),
      ...{ revision, template: plainTemplate(template) },
      ...(replicas !== undefined && { replicas }),
    },
  ]
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)

/** A number of pods; 0 for what an API server would not write. */
const countOf = (value: unknown): number => (isWhole(value) && Math.abs(value) < 2 ** 31 ? value : 0)

/** While nothing is rolled out both revisions are one, and both counts are of the same pods. */
function replicasOf(name: string, status: StatefulStatus): number {
  const { currentRevision, updateRevision, currentReplicas = 0, updatedReplicas = 0 } = status
  if (name === updateRevision) return countOf(updatedReplicas)
  return name === currentRevision ? countOf(currentReplicas) : 0
}

const common = ({ name, creationTimestamp, annotations }: KubeObject['metadata']) => {
  const changeCause = text(annotations?.[CHANGE_CAUSE])
  return { objectName: text(name), createdAt: text(creationTimestamp), ...(changeCause && { changeCause }) }
}

async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
