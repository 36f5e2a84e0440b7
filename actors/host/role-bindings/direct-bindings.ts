import type { InstanceRoleBinding } from '../../../manifests/instance-role-binding.js'
import type { Holder, SomeInstances } from '../../../ports/role-bindings.js'
import { GrantedBindings } from './granted-bindings.js'
import { SubjectIndex } from './subject-index.js'

/** Readers of rights compare them with what was so half a minute ago; longer than that it may be forgotten, milliseconds. */
const FORGET_AFTER_MS = 3_600_000

/** What is given on one instance by its own InstanceRoleBindings. */
class KnownInstance {
  readonly direct: GrantedBindings<InstanceRoleBinding>

  /**
   * @param since when it was last given something else by objects of its own, milliseconds
   * @param ofAll holds the bindings of all instances that are in effect
   */
  constructor(
    public since: number,
    ofAll: SubjectIndex<InstanceRoleBinding>,
  ) {
    this.direct = new GrantedBindings(new SubjectIndex(), ofAll)
  }
}

/** The InstanceRoleBindings of each instance, and since when objects of its own give what they give. */
export class DirectBindings {
  readonly #byInstance = new Map<string, KnownInstance>()
  /** Those of all instances: what somebody has in a fleet costs what it is, and no look at each instance. */
  readonly #ofAll = new SubjectIndex<InstanceRoleBinding>()
  /** Instances that had bindings and have none, with the time of that: the first before the others. Those that are gone are among them. */
  readonly #bare = new Map<string, number>()

  /** @param now milliseconds, on any clock that does not go back @param wall milliseconds since 1970 */
  constructor(
    private readonly now: () => number,
    private readonly wall: () => number,
  ) {}

  /** Takes a binding as it is now. @returns the instance, if its rights changed */
  set(binding: InstanceRoleBinding): SomeInstances {
    return this.#change(binding, direct => direct.set(binding, this.wall()))
  }

  /** @param binding as it was set @returns the instance, if its rights changed */
  delete(binding: InstanceRoleBinding): SomeInstances {
    return this.#change(binding, direct => direct.delete(binding.metadata.name))
  }

  /** Other objects of an instance, such as WorkspaceBindings, changed what it is given. */
  changed(instance: string): void {
    const known = this.#known(instance)
    known.since = this.now()
    this.#tidy(instance, known)
  }

  /** Those in effect, by name. */
  of(instance: string): readonly InstanceRoleBinding[] {
    return this.#byInstance.get(instance)?.direct.inEffect ?? []
  }

  /** Those in effect for one holder. */
  givenTo(instance: string, holder: Holder): readonly InstanceRoleBinding[] {
    return this.#byInstance.get(instance)?.direct.bySubject.of(holder) ?? []
  }

  /** Those in effect for one holder, on all instances. */
  heldBy(holder: Holder): readonly InstanceRoleBinding[] {
    return this.#ofAll.of(holder)
  }

  /** Those whose end has come. */
  endedOf(instance: string): readonly InstanceRoleBinding[] {
    return this.#byInstance.get(instance)?.direct.ended(this.wall()) ?? []
  }

  /** Of what they give; undefined while an instance has none. */
  revisionOf(instance: string): string | undefined {
    return this.#byInstance.get(instance)?.direct.revision
  }

  /** When objects of the instance's own last gave something else, milliseconds; undefined if that is forgotten, or never was. */
  sinceOf(instance: string): number | undefined {
    return this.#byInstance.get(instance)?.since ?? this.#bare.get(instance)
  }

  /** Without an entry an instance has had no bindings for ever, which is true for long enough by then. */
  forget(): void {
    for (const [instance, since] of this.#bare) {
      if (this.now() - since < FORGET_AFTER_MS) return
      this.#bare.delete(instance)
    }
  }

  #change(
    { spec: { instance } }: InstanceRoleBinding,
    work: (direct: GrantedBindings<InstanceRoleBinding>) => boolean,
  ): SomeInstances {
    const known = this.#known(instance)
    const changed = work(known.direct)
    if (changed) known.since = this.now()
    this.#tidy(instance, known)
    return new Set(changed ? [instance] : [])
  }

  #known(instance: string): KnownInstance {
    const known =
      this.#byInstance.get(instance) ?? new KnownInstance(this.#bare.get(instance) ?? this.now(), this.#ofAll)
    this.#byInstance.set(instance, known)
    this.#bare.delete(instance)
    return known
  }

  #tidy(instance: string, known: KnownInstance): void {
    if (!known.direct.isEmpty) return
    this.#byInstance.delete(instance)
    this.#bare.set(instance, known.since)
  }
}
