import type { KubeObject } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { ListQuery } from '../../objects/list-query.js'
import type { ObjectKey, ObjectType, Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { jobs } from '../batch/job.js'
import { REPLICA_SET } from '../kind/object-types.js'
import { controllerOf } from './pod.js'
import { type Service, selectsPods } from './service.js'
import type { Whole } from './workloads.js'

/** Kinds that do not own their pods themselves, and the objects between them. */
const BETWEEN: Readonly<Record<string, ObjectType>> = {
  Deployment: REPLICA_SET,
  CronJob: jobs.type,
}

/** Which pods belong to an object, as conditions of a list of pods. */
type Belonging = Required<Pick<ListQuery, 'where'>> &
  Pick<ListQuery, 'learn'> & {
    /** The uids of the object and of those between it and its pods. */
    readonly owners: ReadonlySet<string>
  }

/**
 * Which pods belong to an object: those that a Service selects; those that a workload controls, by uid, so that an object of
 * the same name and another kind, or an earlier one of the same name, has none of them. A Deployment controls them through
 * its ReplicaSets, a CronJob through its Jobs; those that are made while the list is followed are looked up.
 */
export async function podsOf(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  whole: Whole,
): Promise<Belonging> {
  if (whole.kind === 'Service')
    return {
      where: ({ metadata }) => selectsPods(whole as Service, metadata.labels ?? {}),
      owners: new Set([whole.metadata.uid ?? '']),
    }
  const { uid = '', namespace = '' } = whole.metadata
  const between = BETWEEN[whole.kind]
  const owners = new Set([uid])
  if (between) {
    const query = { namespace, ownerUid: uid, page: 1, pageSize: 0 }
    const { items } = await objects.list(sideCall(call), place, between, query)
    for (const { metadata } of items)
      if (controllerOf(metadata.ownerReferences)?.uid === uid) owners.add(metadata.uid ?? '')
  }
  const where: Belonging['where'] = ({ metadata }) =>
    owners.has(controllerOf(metadata.ownerReferences)?.uid ?? '')
  if (!between) return { where, owners }
  const strangers = new Set<string>()
  return {
    where,
    owners,
    async learn({ metadata }) {
      const owner = controllerOf(metadata.ownerReferences)
      if (owner?.kind !== between.kind || owners.has(owner.uid) || strangers.has(owner.uid)) return
      const found = await ifThere(objects, call, place, between, { namespace, name: owner.name })
      const isOurs =
        found?.metadata.uid === owner.uid && controllerOf(found.metadata.ownerReferences)?.uid === uid
      const known = isOurs ? owners : strangers
      known.add(owner.uid)
    },
  }
}

async function ifThere(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  type: ObjectType,
  key: ObjectKey,
): Promise<KubeObject | undefined> {
  try {
    return await objects.get(sideCall(call), place, type, key)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
