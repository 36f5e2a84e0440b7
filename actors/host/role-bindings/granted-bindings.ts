import type { Subject } from '../../../manifests/instance-role-binding.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { isOver } from '../../../manifests/role-end.js'
import { fingerprint } from '../kept-object.js'
import { SubjectIndex } from './subject-index.js'

/** An InstanceRoleBinding or a WorkspaceRoleBinding. */
interface Binding extends KubeObject {
  readonly spec: { readonly subjects: readonly Subject[]; readonly expiresAt?: string }
}

/**
 * The bindings of one instance, or of one workspace. Each is fingerprinted when it comes, and all together when they are read after a
 * change: a list of ten thousand bindings would otherwise take minutes.
 */
export class GrantedBindings<T extends Binding> {
  /** With the fingerprint of what each gives; one that is being deleted or is over gives nothing, and has none. */
  readonly #byName = new Map<string, { readonly binding: T; readonly print?: string }>()
  #inEffect: readonly T[] | undefined
  #revision: string | undefined

  /**
   * @param bySubject holds those in effect; may be shared by the bindings of a type, since each has a name of its own
   * @param ofAll holds them as well, where one index has those of a single instance and another those of all
   */
  constructor(
    readonly bySubject = new SubjectIndex<T>(),
    private readonly ofAll?: SubjectIndex<T>,
  ) {}

  get isEmpty(): boolean {
    return this.#byName.size === 0
  }

  /** By name. */
  get inEffect(): readonly T[] {
    this.#inEffect ??= [...this.#byName.values()]
      .filter(({ print }) => print !== undefined)
      .map(({ binding }) => binding)
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    return this.#inEffect
  }

  /** Of what they give. */
  get revision(): string {
    this.#revision ??= fingerprint(
      this.inEffect.map(({ metadata }) => this.#byName.get(metadata.name)?.print),
    )
    return this.#revision
  }

  /** Those whose end has come. @param now in milliseconds since 1970 */
  ended(now: number): readonly T[] {
    return [...this.#byName.values()].map(({ binding }) => binding).filter(binding => isOver(binding, now))
  }

  /** @param now in milliseconds since 1970 @returns whether what is given changed; a status gives nothing */
  set(binding: T, now: number): boolean {
    const { metadata, spec } = binding
    const gives = metadata.deletionTimestamp === undefined && !isOver(binding, now)
    const print = gives ? fingerprint([metadata.name, metadata.uid, spec]) : undefined
    const before = this.#take(metadata.name)
    this.#byName.set(metadata.name, { binding, ...(print !== undefined && { print }) })
    if (gives) for (const index of this.#indexes) index.set(metadata.name, spec.subjects, binding)
    return this.#changed(print !== before)
  }

  /** @returns whether what is given changed */
  delete(name: string): boolean {
    return this.#changed(this.#take(name) !== undefined)
  }

  get #indexes(): readonly SubjectIndex<T>[] {
    return this.ofAll ? [this.bySubject, this.ofAll] : [this.bySubject]
  }

  /** @returns the fingerprint of what it gave */
  #take(name: string): string | undefined {
    const known = this.#byName.get(name)
    this.#byName.delete(name)
    if (known?.print !== undefined)
      for (const index of this.#indexes) index.delete(name, known.binding.spec.subjects)
    return known?.print
  }

  #changed(isGiven: boolean): boolean {
    this.#inEffect = undefined
    if (isGiven) this.#revision = undefined
    return isGiven
  }
}
