import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ControlPlane, type Difference, Source } from '../../client/source.js'
import type { World } from './plan.js'

/** Everything that a member's controllers look at, kept in memory, and by owner. */
export class Sources {
  readonly #sources = new Map<string, Source<KubeObject>>()
  readonly #owned = new Map<string, OwnedObjects>()

  constructor(types: readonly GroupVersionResource[]) {
    for (const type of types) {
      const source = new Source<KubeObject>(type)
      this.#sources.set(type.resource, source)
      this.#owned.set(type.resource, new OwnedObjects(source))
    }
  }

  /** To be called before `start`. Listeners may be called within a write: they must neither write nor wait. */
  listen<T extends KubeObject>(
    type: GroupVersionResource,
    listener: (difference: Difference<T>) => void,
  ): void {
    ;(this.#of(type) as unknown as Source<T>).listen(listener)
  }

  start(cluster: ControlPlane): void {
    for (const source of this.#sources.values()) source.start(cluster)
  }

  /** Resolves after the first complete list of everything. */
  async synced(): Promise<void> {
    await Promise.all([...this.#sources.values()].map(({ synced }) => synced))
  }

  /** What is known at this moment; later reads of it may show more. */
  worldAt(now: number): World {
    return {
      now,
      all: <T extends KubeObject>(type: GroupVersionResource) =>
        this.#of(type).values() as unknown as readonly T[],
      get: <T extends KubeObject>(type: GroupVersionResource, key: string) =>
        this.#of(type).get(key) as T | undefined,
      owned: <T extends KubeObject>(type: GroupVersionResource, { metadata }: KubeObject) =>
        (this.#owned.get(type.resource)?.of(metadata.uid ?? '') ?? []) as readonly T[],
    }
  }

  close(): void {
    for (const source of this.#sources.values()) source.close()
  }

  #of({ resource }: GroupVersionResource): Source<KubeObject> {
    const source = this.#sources.get(resource)
    if (!source) throw new Error(`the member's controllers do not follow ${resource}`)
    return source
  }
}

/** The objects of one collection by the uid of their controller. */
class OwnedObjects {
  readonly #byOwner = new Map<string, Map<string, KubeObject>>()

  constructor(source: Source<KubeObject>) {
    source.listen(difference => {
      if (difference.type === 'MODIFIED') this.#drop(difference.previous)
      if (difference.type === 'DELETED') this.#drop(difference.object)
      else this.#add(difference.object)
    })
  }

  of(uid: string): readonly KubeObject[] {
    return [...(this.#byOwner.get(uid)?.values() ?? [])]
  }

  #add(object: KubeObject): void {
    const owner = ownerOf(object)
    if (owner === undefined) return
    const owned = this.#byOwner.get(owner.uid) ?? new Map<string, KubeObject>()
    this.#byOwner.set(owner.uid, owned.set(objectKey(object), object))
  }

  #drop(object: KubeObject): void {
    const { uid = '' } = ownerOf(object) ?? {}
    const owned = this.#byOwner.get(uid)
    owned?.delete(objectKey(object))
    if (owned?.size === 0) this.#byOwner.delete(uid)
  }
}

/** The controller of an object. */
export const ownerOf = ({ metadata }: KubeObject) =>
  metadata.ownerReferences?.find(({ controller }) => controller)
