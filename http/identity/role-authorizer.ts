import type { InstanceRole, InstanceRoleBinding, Subject } from '../../manifests/instance-role-binding.js'
import type { RoleBindings } from '../../ports/role-bindings.js'
import type { Action, Authorizer, Verdict } from './authorize.js'
import type { Caller } from './caller.js'
import { includes } from './role-rights.js'

/**
 * Bindings count for so long after the host was last heard, milliseconds. A host that restarts is away for less; a binding that was
 * removed meanwhile gives its rights for no longer.
 */
export const BINDINGS_COUNT_MS = 60_000

/** Of so many instances what is given is remembered: those that are gone must not stay for ever. */
const MOST_KNOWN = 16_384

/** What one binding gives to its subjects. */
interface Given {
  readonly binding: string
  readonly role: InstanceRole
  readonly covers: 'instance' | 'namespaces'
}

/**
 * Allows what a caller's roles on an instance include, as the bindings are at the time: their removal counts with the next request. The
 * host decides about everything else.
 */
export function roleAuthorizer({
  bindings,
  host,
}: {
  readonly bindings: RoleBindings
  readonly host: Authorizer
}): Authorizer {
  const roles = new RolesOfInstances(bindings)
  return {
    decide: (caller, action, how) => byRole(roles, caller, action) ?? host.decide(caller, action, how),
  }
}

function byRole(roles: RolesOfInstances, caller: Caller, action: Action): Verdict | undefined {
  if ('path' in action || !action.name) return undefined
  for (const { binding, role, covers } of roles.of(caller, action.name))
    if (includes(role, covers, action))
      return { allowed: true, reason: `the InstanceRoleBinding "${binding}" gives the role ${role}` }
  return undefined
}

/** What is given to whom on each instance, computed once for each change of its bindings. */
class RolesOfInstances {
  readonly #known = new Map<string, { readonly revision: string; readonly given: GivenTo }>()

  constructor(private readonly bindings: RoleBindings) {}

  /** What the caller was given on an instance, by itself and by its groups. */
  *of({ user, groups }: Caller, instance: string): Generator<Given, void> {
    if (this.bindings.silentForMs > BINDINGS_COUNT_MS) return
    const given = this.#givenOn(instance)
    if (!given) return
    yield* given.users.get(user) ?? []
    for (const group of groups) {
      const toGroup = given.groups.get(group)
      if (toGroup) yield* toGroup
    }
  }

  #givenOn(instance: string): GivenTo | undefined {
    const revision = this.bindings.revisionOf(instance)
    if (revision === '') return undefined
    const known = this.#known.get(instance)
    if (known?.revision === revision) return known.given
    const given = givenBy(this.bindings.of(instance))
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(instance, { revision, given })
    return given
  }
}

/** What bindings give, by the names of users and of groups. */
interface GivenTo {
  readonly users: ReadonlyMap<string, readonly Given[]>
  readonly groups: ReadonlyMap<string, readonly Given[]>
}

function givenBy(bindings: readonly InstanceRoleBinding[]): GivenTo {
  const [users, groups] = [new Map<string, Given[]>(), new Map<string, Given[]>()]
  for (const { metadata, spec } of bindings) {
    const covers = spec.namespaces === undefined ? 'instance' : 'namespaces'
    const given = { binding: metadata.name, role: spec.role, covers } as const
    for (const subject of spec.subjects) {
      const name = nameOf(subject)
      const to = subject.kind === 'Group' ? groups : users
      if (name === undefined) continue
      const known = to.get(name)
      if (known) known.push(given)
      else to.set(name, [given])
    }
  }
  return { users, groups }
}

/** Kubernetes' name of a ServiceAccount as a user has its namespace; one without is no user. */
function nameOf({ kind, name, namespace }: Subject): string | undefined {
  if (kind !== 'ServiceAccount') return name
  return namespace ? `system:serviceaccount:${namespace}:${name}` : undefined
}
