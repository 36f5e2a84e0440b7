import type { Resource } from '../../../karmada/interpreter/workload.js'
import { isPropagatedType } from '../../../karmada/matching/propagated.js'
import { sameJson } from '../../../karmada/same-json.js'
import type { GroupVersionResource } from '../../../manifests/kube.js'
import { type ControlPlane, type Difference, Source } from '../../client/source.js'
import type { ResourceTypes } from './resource-types.js'

/** Names a kind. */
export interface Kind {
  readonly apiVersion: string
  readonly kind: string
}

/** The templates of one kind. */
export interface TemplatesOfKind extends Kind {
  readonly type: GroupVersionResource
  readonly source: Source<Resource>
}

/**
 * Templates of the kinds that policies select or bindings name. Karmada watches all kinds; here a kind is watched from the
 * first request on, so that a control plane without policies costs nothing.
 */
export class Templates {
  readonly #kinds = new Map<string, Promise<TemplatesOfKind | undefined>>()
  readonly #open = new Set<TemplatesOfKind>()
  #closed = false

  /**
   * @param onDifference receives every difference in the watched kinds; changes of a status alone do not count. What was there
   * when the watch of a kind began is reported as initial
   */
  constructor(
    private readonly control: ControlPlane,
    private readonly types: ResourceTypes,
    private readonly onDifference: (difference: Difference<Resource>, isInitial: boolean) => void,
  ) {}

  /** The templates of a kind, after their first list; undefined for kinds that are not propagated or not served. */
  async of({ apiVersion, kind }: Kind): Promise<TemplatesOfKind | undefined> {
    if (!isPropagatedType(apiVersion, kind) || this.#closed) return undefined
    const key = `${apiVersion} ${kind}`
    const opening = this.#kinds.get(key) ?? this.#openKind({ apiVersion, kind })
    this.#kinds.set(key, opening)
    // A kind that is not served yet is looked up again.
    const found = await opening.catch((error: unknown) => {
      this.#kinds.delete(key)
      throw error
    })
    if (!found) this.#kinds.delete(key)
    await found?.source.synced
    return found
  }

  /** The kinds that are watched. */
  get open(): readonly TemplatesOfKind[] {
    return [...this.#open]
  }

  close(): void {
    this.#closed = true
    for (const { source } of this.#open) source.close()
  }

  async #openKind({ apiVersion, kind }: Kind): Promise<TemplatesOfKind | undefined> {
    const type = await this.types.find(apiVersion, kind)
    if (!type || this.#closed) return undefined
    const source = new Source<Resource>(type)
    let isInitial = true
    void source.synced.then(() => {
      isInitial = false
    })
    source.listen(difference => {
      const isStatusOnly =
        difference.type === 'MODIFIED' &&
        sameJson(specified(difference.object), specified(difference.previous))
      if (!isStatusOnly) this.onDifference(difference, isInitial)
    })
    source.start(this.control)
    const opened = { apiVersion, kind, type, source }
    this.#open.add(opened)
    return opened
  }
}

/** The desired part of an object: all but its status and bookkeeping. */
function specified({ status: _, metadata, ...rest }: Resource) {
  const { resourceVersion: _version, managedFields: _fields, generation: _generation, ...kept } = metadata
  return { ...rest, metadata: kept }
}
