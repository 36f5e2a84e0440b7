import type { KubeObject } from '../../../manifests/kube.js'
import type { Call } from '../../call.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { Objects } from '../../objects/objects.js'
import { aside } from '../aside.js'
import { jobs } from '../batch/job.js'
import { controllerOf } from './pod.js'
import { type Service, selectsPods } from './service.js'
import { REPLICA_SETS, type Whole } from './workloads.js'

/** Kinds that do not own their pods themselves, and the objects between them. */
const BETWEEN: Readonly<Record<string, ObjectType>> = {
  Deployment: REPLICA_SETS,
  CronJob: jobs.type,
}

/**
 * Which pods belong to an object: those that a Service selects; those that a workload controls, by uid, so that an object of
 * the same name and another kind, or an earlier one of the same name, has none of them. A Deployment controls them through
 * its ReplicaSets, a CronJob through its Jobs.
 */
export async function podsOf(
  objects: Objects,
  call: Call,
  place: Place,
  whole: Whole,
): Promise<(pod: KubeObject) => boolean> {
  if (whole.kind === 'Service') return ({ metadata }) => selectsPods(whole as Service, metadata.labels ?? {})
  const { uid = '', namespace = '' } = whole.metadata
  const between = BETWEEN[whole.kind]
  const owners = new Set([uid])
  if (between) {
    const query = { namespace, ownerUid: uid, page: 1, pageSize: 0 }
    const { items } = await objects.list(aside(call), place, between, query)
    for (const { metadata } of items)
      if (controllerOf(metadata.ownerReferences)?.uid === uid) owners.add(metadata.uid ?? '')
  }
  return ({ metadata }) => owners.has(controllerOf(metadata.ownerReferences)?.uid ?? '')
}
