import type { GroupVersionResource, KubeObject } from '../../../../manifests/kube.js'
import type { World } from '../../../../playground/member/controllers/plan.js'
import { isControlledBy } from '../../../../playground/member/workloads.js'
import { objectKey } from '../../../../streams/object-store.js'

/** A cluster at one moment, made of objects by resource. */
export const worldOf = (
  now: number,
  objects: Readonly<Record<string, readonly KubeObject[]>> = {},
): World => {
  const all = <T extends KubeObject>({ resource }: GroupVersionResource) =>
    (objects[resource] ?? []) as readonly T[]
  return {
    now,
    all,
    get: <T extends KubeObject>(type: GroupVersionResource, key: string) =>
      all<T>(type).find(one => objectKey(one) === key),
    owned: <T extends KubeObject>(type: GroupVersionResource, owner: KubeObject) =>
      all<T>(type).filter(one => isControlledBy(one, owner.metadata.uid)),
  }
}
