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

  *of({ user, groups }: Holder): Generator<T, void> {
    yield* this.#users.get(user)?.values() ?? []
    for (const group of groups) {
      const given = this.#groups.get(group)
      if (given) yield* given.values()
    }
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
