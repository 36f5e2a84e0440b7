import { forbidden } from '../../field-error.js'
import { at, equal, isObject, type Json, type JsonObject, listAt, objectAt, withAt } from '../../json.js'
import type { Strategy } from '../../resource-definition.js'
import { podDefaults, podSpecDefaults, podSpecErrors } from './pod-spec.js'
import { mapAt, statusSubresource } from './status-subresource.js'

/** Fields of a pod that may change after creation; the rest of the spec is what it was created with. */
const POD_MUTABLE = [
  'activeDeadlineSeconds',
  'tolerations',
  'terminationGracePeriodSeconds',
  'schedulingGates',
]
const POD_UPDATES =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

function frozenPodSpec(pod: JsonObject): JsonObject {
  const withoutImages = (list: readonly Json[]): Json[] =>
    list.map(one => (isObject(one) ? withAt(one, ['image'], undefined) : one))
  let spec = POD_MUTABLE.reduce((rest, key) => withAt(rest, [key], undefined), objectAt(pod, 'spec'))
  for (const key of ['containers', 'initContainers']) {
    if (listAt(spec, key).length > 0) spec = { ...spec, [key]: withoutImages(listAt(spec, key)) }
  }
  // Binding (nodeName) and what admission filled in count as set once, not as a change.
  return withAt(withAt(spec, ['nodeName'], undefined), ['ephemeralContainers'], undefined)
}

/** Guaranteed when all limits equal requests, BestEffort when there are none, else Burstable. */
function qosClass(pod: JsonObject): string {
  const containers = [...listAt(pod, 'spec', 'containers'), ...listAt(pod, 'spec', 'initContainers')]
  const resources = containers.map(container => objectAt(container, 'resources'))
  if (resources.every(one => at(one, 'limits') === undefined && at(one, 'requests') === undefined))
    return 'BestEffort'
  const guaranteed = resources.every(one => {
    const limits = objectAt(one, 'limits')
    return ['cpu', 'memory'].every(
      name => limits[name] !== undefined && equal(limits[name], at(one, 'requests', name) ?? limits[name]),
    )
  })
  return guaranteed ? 'Guaranteed' : 'Burstable'
}

export const pod: Strategy = {
  allowsUnconditionalUpdate: true,
  ...statusSubresource({}),
  prepareForCreate: object => ({ ...object, status: { phase: 'Pending', qosClass: qosClass(object) } }),
  defaults: object => mapAt(object, ['spec'], podDefaults),
  validate: (object, old) => {
    const errors = podSpecErrors(objectAt(object, 'spec'), 'spec')
    if (!old || equal(frozenPodSpec(object), frozenPodSpec(old))) return errors
    return [...errors, forbidden('spec', POD_UPDATES)]
  },
}

export const podTemplate: Strategy = {
  allowsUnconditionalUpdate: true,
  allowsCreateOnUpdate: true,
  defaults: object => mapAt(object, ['template', 'spec'], podSpecDefaults),
  validate: object => podSpecErrors(objectAt(object, 'template', 'spec'), 'template.spec'),
}
