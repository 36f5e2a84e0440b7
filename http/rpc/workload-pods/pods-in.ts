import type { Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { pods } from '../core/pod.js'
import { podsOf } from '../core/pods-of.js'
import { type Whole, wholeOf } from '../core/workloads.js'
import type { LoggedPod } from './pod-containers.js'

/** A workload of an instance. */
export interface WorkloadAt {
  readonly instance: string
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

/** A workload in one member, with its pods there. */
export interface PodsIn {
  readonly place: Place & { readonly cluster: string }
  /** Absent where the member does not have the workload. */
  readonly whole?: Whole
  readonly belonging?: Awaited<ReturnType<typeof podsOf>>
  readonly pods: readonly LoggedPod[]
}

/** The pods of a workload in a member, as the caller; none where the member does not have it. */
export async function podsIn(
  objects: Objects,
  call: ObjectCall,
  { cluster, instance, namespace, kind, name }: WorkloadAt & { readonly cluster: string },
): Promise<PodsIn> {
  const place = { instance, cluster }
  const whole = await wholeOf(objects, call, place, namespace, { kind, kindName: name })
  if (!whole) return { place, pods: [] }
  const belonging = await podsOf(objects, call, place, whole)
  const query = { namespace, where: belonging.where, page: 1, pageSize: 0 }
  const { items } = await objects.list<LoggedPod>(call, place, pods.type, query)
  return { place, whole, belonging, pods: items }
}
