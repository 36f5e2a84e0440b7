import type { MessageInitShape } from '@bufbuild/protobuf'
import { PodTemplateSpecSchema } from '../../../../proto/gen/kairship/pod_pb.js'
import type {
  ListRevisionsResponseSchema,
  WorkloadRevisionSchema,
} from '../../../../proto/gen/kairship/revision_pb.js'
import type { Call } from '../../../call/call.js'
import type { ObjectType } from '../../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../../objects/objects.js'
import { inEachMember, placedOn, type UnreadMember } from '../../distribution/members-of.js'
import { kubeMessage } from '../../kind/kube-message.js'
import { milliseconds } from '../../kind/object-meta.js'
import { type KeyFields, objectKeyOf, placeOf } from '../../kind/request-fields.js'
import { alteredTemplates } from './altered.js'
import { memberHistory } from './member-history.js'
import {
  changeCauseOf,
  firstSeen,
  imagesOf,
  mergedRevisions,
  type Revision,
  revisionId,
  type Templated,
} from './revision.js'

/** The revisions of a workload over all clusters that it is placed on. */
export interface Revisions {
  /** The workload in the control plane. */
  readonly workload: Templated
  readonly all: readonly Revision[]
  /** Why a rollback to one is refused; empty where it is possible. */
  readonly refusalOf: (revision: Revision) => string
  readonly unread: readonly UnreadMember[]
}

/** Reads the revisions of a workload as the caller. @throws StatusError of the control plane; members are named as unread */
export async function revisionsOf(
  objects: Objects,
  type: ObjectType,
  request: KeyFields,
  call: ObjectCall,
): Promise<Revisions> {
  const place = placeOf(request)
  const key = objectKeyOf(request)
  const [workload, clusters] = await Promise.all([
    objects.get<Templated>(call, place, type, key),
    placedOn(objects, call, place, type, key),
  ])
  const [alteredIn, { results, unread }] = await Promise.all([
    alteredTemplates(objects, call, place, workload),
    inEachMember(call, clusters, (cluster, inMember) =>
      memberHistory(objects, inMember, { ...place, cluster }, type, key),
    ),
  ])
  const members = results.filter(member => member !== undefined)
  const altered = new Map(members.map(member => [member.cluster, alteredIn(member)]))
  return {
    workload,
    all: mergedRevisions(members.flatMap(({ kept }) => kept)),
    unread,
    refusalOf({ kept }) {
      const reasons = [...new Set(kept.map(({ cluster }) => cluster))].map(
        cluster => altered.get(cluster) ?? [],
      )
      if (reasons.some(({ length }) => length === 0)) return ''
      const causes = [...new Set(reasons.flat())].join('; ')
      return `it is only known as it is in clusters whose pod templates are changed on their way, and those of the others may not become the same: ${causes}`
    },
  }
}

/** The handler of the lists of revisions of a kind. */
export const listRevisions =
  (objects: Objects, type: ObjectType) =>
  async (request: KeyFields, call: Call): Promise<MessageInitShape<typeof ListRevisionsResponseSchema>> => {
    const { workload, all, refusalOf, unread } = await revisionsOf(objects, type, request, call)
    const present = revisionId(workload.spec?.template ?? {})
    return {
      items: all.map(revision => revisionMessage(revision, revision.id === present, refusalOf(revision))),
      unread: unread.map(one => ({ ...one })),
    }
  }

const revisionMessage = (
  revision: Revision,
  current: boolean,
  refusal: string,
): MessageInitShape<typeof WorkloadRevisionSchema> => ({
  id: revision.id,
  template: kubeMessage(PodTemplateSpecSchema, revision.template),
  data: JSON.stringify(revision.template),
  images: [...imagesOf(revision.template)],
  creationTimestamp: milliseconds(firstSeen(revision)),
  ...{ current, refusal },
  changeCause: changeCauseOf(revision),
  clusters: revision.kept.map(({ cluster, revision: number, objectName, createdAt, active, replicas }) => ({
    ...{ cluster, objectName, active },
    revision: BigInt(number),
    creationTimestamp: milliseconds(createdAt),
    ...(replicas !== undefined && { replicas }),
  })),
})
