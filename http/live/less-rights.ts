import type { EffectiveBinding } from '../../manifests/effective-binding.js'
import type { InstanceRole } from '../../manifests/instance-role-binding.js'

const RANK: Readonly<Record<InstanceRole, number>> = { Viewer: 0, Editor: 1, Admin: 2 }

/** Whether some role that was given `before`, in some namespace, is not included in those that are given now. */
export const isLess = (now: readonly EffectiveBinding[], before: readonly EffectiveBinding[]): boolean =>
  before.some(({ spec: { role, namespaces } }) => {
    const isIncluded = (namespace?: string) =>
      now.some(
        ({ spec: other }) =>
          RANK[other.role] >= RANK[role] &&
          (other.namespaces === undefined ||
            (namespace !== undefined && other.namespaces.includes(namespace))),
      )
    return namespaces === undefined ? !isIncluded() : !namespaces.every(isIncluded)
  })
