import type { GroupVersionResource, KubeObject } from '../../../manifests/kube.js'
import type { Follower } from '../../../playground/apiserver/operations/follow.js'
import type { ControlPlane } from '../../../playground/client/source.js'
import { Observed } from '../../../playground/karmada/propagation/observed.js'
import type { KubeApi } from '../../../ports/kube-api.js'

const keyOf = ({ group, version, resource }: GroupVersionResource) => `${group}/${version}/${resource}`

/**
 * A control plane whose controllers see what a test tells them, and when: nothing else happens in it. It begins with nothing, listed
 * completely.
 */
export class ToldPlane implements ControlPlane {
  readonly observed = new Observed()
  readonly #followers = new Map<string, Follower>()
  #revision = 0

  /** @param api where the controllers' requests go */
  constructor(readonly api: KubeApi) {}

  /** To be called once the controllers listen. */
  start(): void {
    this.observed.start(this)
  }

  readonly follow = (type: GroupVersionResource, follower: Follower): (() => void) => {
    this.#followers.set(keyOf(type), follower)
    follower.onSeen({ type: 'restarted' })
    follower.onSeen({ type: 'listed', objects: [] })
    follower.onSeen({ type: 'synced', cursor: this.#next() })
    return () => this.#followers.delete(keyOf(type))
  }

  /** Tells that an object of this type is there, or has changed. */
  tell(type: GroupVersionResource, object: KubeObject): void {
    const cursor = this.#next()
    this.#followerOf(type).onSeen({ type: 'applied', object: this.#stored(object, cursor), cursor })
  }

  /** Tells that an object is gone. */
  tellGone(type: GroupVersionResource, object: KubeObject): void {
    const cursor = this.#next()
    this.#followerOf(type).onSeen({ type: 'deleted', object: this.#stored(object, cursor), cursor })
  }

  #followerOf(type: GroupVersionResource): Follower {
    const follower = this.#followers.get(keyOf(type))
    if (!follower) throw new Error(`nobody follows ${keyOf(type)}`)
    return follower
  }

  #next(): string {
    return String(++this.#revision)
  }

  #stored({ metadata, ...object }: KubeObject, resourceVersion: string): KubeObject {
    return { ...object, metadata: { uid: `uid-${metadata.name}`, ...metadata, resourceVersion } }
  }
}

/** Lets everything end that waits for nothing but promises. */
export const settledPromises = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
