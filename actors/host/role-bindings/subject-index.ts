import type { Subject } from '../../../manifests/instance-role-binding.js'
import type { Holder } from '../../../ports/role-bindings.js'

/** What is given to whom, found by the names of a user and its groups: a caller of many groups costs a look for each, and no walk. */
export class SubjectIndex<T> {
  readonly #users = new Map<string, Map<string, T>>()
  readonly #groups = new Map<string, Map<string, T>>()

  /** @param key names what is given: the same one replaces what it stood for */
  set(key: string, subjects: readonly Subject[], value: T): void {
    for (const [names, name] of this.#placesOf(subjects)) {
      const known = names.get(name)
      if (known) known.set(key, value)
      else names.set(name, new Map([[key, value]]))
    }
  }

  /** @param subjects as they were set */
  delete(key: string, subjects: readonly Subject[]): void {
    for (const [names, name] of this.#placesOf(subjects)) {
      const known = names.get(name)
      known?.delete(key)
      if (known?.size === 0) names.delete(name)
    }
  }

  /** Asked for each request, of callers who mostly have nothing here: no generator, which is an object for each level that it goes through. */
  of({ user, groups }: Holder): readonly T[] {
    const found: T[] = []
    add(this.#users.get(user), found)
    for (const group of groups) add(this.#groups.get(group), found)
    return found
  }

  *#placesOf(subjects: readonly Subject[]): Generator<readonly [Map<string, Map<string, T>>, string], void> {
    for (const subject of subjects) {
      const name = nameOf(subject)
      if (name !== undefined) yield [subject.kind === 'Group' ? this.#groups : this.#users, name]
    }
  }
}

/** Kubernetes' name of a ServiceAccount as a user has its namespace; one without is no user. */
function nameOf({ kind, name, namespace }: Subject): string | undefined {
  if (kind !== 'ServiceAccount') return name
  return namespace ? `system:serviceaccount:${namespace}:${name}` : undefined
}

function add<T>(given: ReadonlyMap<string, T> | undefined, to: T[]): void {
  if (given) for (const one of given.values()) to.push(one)
}
