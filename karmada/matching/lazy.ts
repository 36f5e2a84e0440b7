import type { KubeObject } from '../../manifests/kube.js'
import type { PropagationPolicy } from '../objects/propagation-policy.js'
import { sameJson } from '../same-json.js'

/** A label with Karmada's prefix that is there for people. */
const FOR_PEOPLE = new Set(['namespace.karmada.io/skip-auto-propagation'])

/** Whether changes of the policy wait for the next change of the template. */
export const isLazy = ({ spec }: PropagationPolicy): boolean => spec.activationPreference === 'Lazy'

/** Whether Karmada alone changed a template: labels and annotations of its own, and what follows from them. */
export const isKarmadasChange = (before: KubeObject, after: KubeObject): boolean =>
  sameJson(byPeople(before), byPeople(after))

function byPeople(object: KubeObject) {
  const { status: _, metadata, ...rest } = object as KubeObject & { readonly status?: unknown }
  const { resourceVersion: _version, managedFields: _fields, generation: _generation, ...kept } = metadata
  return {
    ...rest,
    metadata: { ...kept, labels: foreign(metadata.labels), annotations: foreign(metadata.annotations) },
  }
}

const foreign = (map: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(map).filter(([key]) => !key.includes('.karmada.io') || FOR_PEOPLE.has(key)),
  )
