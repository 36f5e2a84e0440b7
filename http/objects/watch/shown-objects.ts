import { createHash } from 'node:crypto'
import type { KubeObject } from '../../../manifests/kube.js'
import { type ListMark, MARK_VERSION } from '../list-mark.js'

/** Which objects a followed list shows, and a digest of them that costs one hash for each change. */
export class ShownObjects {
  readonly #prints = new Map<string, bigint>()
  #digest = 0n

  get size(): number {
    return this.#prints.size
  }

  has(object: KubeObject): boolean {
    return this.#prints.has(keyOf(object))
  }

  set(object: KubeObject): void {
    this.delete(object)
    const print = printOf(object)
    this.#prints.set(keyOf(object), print)
    this.#digest ^= print
  }

  delete(object: KubeObject): void {
    const key = keyOf(object)
    this.#digest ^= this.#prints.get(key) ?? 0n
    this.#prints.delete(key)
  }

  /** The state now; undefined for a version that is not one of Kubernetes' numbers. */
  at(version: string): ListMark | undefined {
    return MARK_VERSION.test(version) ? { version, digest: this.digest } : undefined
  }

  /** Equal for equal objects: 16 hexadecimal digits. */
  get digest(): string {
    return this.#digest.toString(16).padStart(16, '0')
  }
}

const keyOf = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`

/** Names the object and its version. */
function printOf(object: KubeObject): bigint {
  const { uid = '', resourceVersion = '' } = object.metadata
  const text = `${keyOf(object)} ${uid} ${resourceVersion}`
  return createHash('sha256').update(text).digest().readBigUInt64BE()
}
