import type { Failure } from '../failure.js'
import type { InstanceContext } from './context.js'
import type { TeardownStep } from './task.js'

/** What stays inside a control plane from which nothing could be removed. */
export const leftInside = ({ message }: Failure): string =>
  `RBAC objects labelled kairship.io/role-binding and the ConfigMap kairship-index-canary in kube-system were left inside: ${message}`

/** What stays on the host where a type is not known any more; its objects went with it, or carry a reference to the Instance. */
const sentences: Partial<Record<TeardownStep, (failure: Failure, name: string) => string>> = {
  unpublishing: ({ message }, name) => `InstanceRegistration ${name} was not deleted: ${message}`,
  removingRoleBindings: failure => leftInside(failure),
  deletingVirtualCluster: ({ message }, name) => `PediaCluster k-${name} was not deleted: ${message}`,
  uninstalling: ({ message }, name) => `the Karmada object of ${name} was not deleted: ${message}`,
}

/** Pure: what a deletion that went on without it left behind, a sentence each; empty for a complete one. */
export const leftBehindOf = ({ name, work }: InstanceContext): readonly string[] =>
  (Object.keys(sentences) as TeardownStep[]).flatMap(step => {
    const failure = work[step]?.failure
    return failure ? [sentences[step]?.(failure, name) ?? failure.message] : []
  })
