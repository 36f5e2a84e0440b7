import { BINDINGS, type Binding, bindingScopeOf } from '../../../karmada/objects/resource-binding.js'
import type { Work } from '../../../karmada/objects/work.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { objectKey } from '../../../streams/object-store.js'
import type { Source } from '../../client/source.js'

/** Finds the Works of a binding by its permanent id, without looking at all Works. */
export class WorkIndex {
  readonly #byId = new Map<string, Map<string, Work>>()

  constructor(works: Source<Work>) {
    works.listen(({ type, object }) => {
      const id = bindingIdOf(object)
      if (id === undefined) return
      const held = this.#byId.get(id) ?? new Map<string, Work>()
      if (type === 'DELETED') held.delete(objectKey(object))
      else held.set(objectKey(object), object)
      if (held.size === 0) this.#byId.delete(id)
      else this.#byId.set(id, held)
    })
  }

  of(binding: Binding): readonly Work[] {
    const id = binding.metadata.labels?.[bindingScopeOf(binding).id]
    return id === undefined ? [] : [...(this.#byId.get(id)?.values() ?? [])]
  }
}

const bindingIdOf = ({ metadata: { labels = {} } }: KubeObject): string | undefined =>
  labels[BINDINGS.namespaced.id] ?? labels[BINDINGS.clusterWide.id]

/** The key of the binding that a Work was made for; undefined for Works of namespaces. */
export function bindingKeyOf({ metadata: { annotations = {} } }: Work): string | undefined {
  const { namespaced, clusterWide } = BINDINGS
  const name = annotations[namespaced.name]
  return name === undefined ? annotations[clusterWide.name] : `${annotations[namespaced.namespace]}/${name}`
}
