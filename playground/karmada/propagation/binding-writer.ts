import type { Counted } from '../../../karmada/interpreter/counted.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import type { PropagationPolicy } from '../../../karmada/objects/propagation-policy.js'
import { type Binding, bindingScopeOf } from '../../../karmada/objects/resource-binding.js'
import { newBinding, renewedBinding } from '../../../karmada/propagation/binding-of.js'
import { sameJson } from '../../../karmada/same-json.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { objectKey } from '../../../streams/object-store.js'
import { ensure, read, update } from '../../client/write.js'
import { PRIORITY_CLASSES } from '../../objects/core-types.js'
import type { Observed } from './observed.js'

/** A policy names a PriorityClass that does not exist; Karmada tries again until it does. */
export class MissingPriorityClassError extends Error {
  override readonly name = 'MissingPriorityClassError'
}

interface PriorityClass extends KubeObject {
  readonly value: number
}

/**
 * Creates the binding of a template, or brings the present one in line with its policy; writes nothing when it is.
 * @param counted what interpreters say of the template's replicas or components
 * @returns whether anything was written
 * @throws MissingPriorityClassError, ForeignBindingError
 */
export async function writeBinding(
  control: KubeApi,
  observed: Observed,
  template: Resource,
  policy: PropagationPolicy,
  counted: Counted,
): Promise<boolean> {
  const { type } = bindingScopeOf(template)
  const priority = await priorityOf(control, template, policy)
  const wanted = newBinding(template, policy, priority, counted)
  const known = observed.binding(objectKey(wanted))
  let isChanged = !known
  if (!known) await ensure<Binding>(control, type, wanted)
  const { namespace, name } = wanted.metadata
  await update<Binding>(control, type, { name, ...(namespace && { namespace }) }, present => {
    const renewed = renewedBinding(present, template, policy, priority, counted)
    if (sameJson(renewed, present)) return present
    isChanged = true
    return renewed
  })
  return isChanged
}

/** Karmada gives priorities to ResourceBindings alone. */
async function priorityOf(
  control: KubeApi,
  { metadata }: Resource,
  { spec: { schedulePriority } }: PropagationPolicy,
): Promise<number | undefined> {
  if (!schedulePriority || !metadata.namespace) return undefined
  const name = schedulePriority.priorityClassName
  const found = await read<PriorityClass>(control, PRIORITY_CLASSES, { name })
  if (!found) throw new MissingPriorityClassError(`PriorityClass.scheduling.k8s.io "${name}" not found`)
  return found.value
}
