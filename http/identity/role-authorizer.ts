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

/** Of so many instances it is remembered what is given: those that are gone must not stay for ever. */
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
    decide: (caller, action) => byRole(roles, caller, action) ?? host.decide(caller, action),
  }
}

function byRole(roles: RolesOfInstances, caller: Caller, action: Action): Verdict | undefined {
  if ('path' in action || !action.name || action.resource.split('/')[0] !== 'instances') return undefined
  for (const { binding, role, covers } of roles.of(caller, action.name))
    if (includes(role, covers, action))
      return { allowed: true, reason: `the InstanceRoleBinding "${binding}" gives the role ${role}` }
  return undefined
}

/** What is given to whom on each instance, computed once for each change of its bindings. */
class RolesOfInstances {
  readonly #known = new Map<string, { readonly revision: string; readonly bySubject: BySubject }>()

  constructor(private readonly bindings: RoleBindings) {}

  /** What the caller was given on an instance, by itself and by its groups. */
  *of({ user, groups }: Caller, instance: string): Generator<Given, void> {
    if (this.bindings.silentForMs > BINDINGS_COUNT_MS) return
    const bySubject = this.#bySubject(instance)
    if (!bySubject) return
    yield* bySubject.get(keyOfUser(user)) ?? []
    for (const group of groups) yield* bySubject.get(keyOfGroup(group)) ?? []
  }

  #bySubject(instance: string): BySubject | undefined {
    const revision = this.bindings.revisionOf(instance)
    if (revision === '') {
      this.#known.delete(instance)
      return undefined
    }
    const known = this.#known.get(instance)
    if (known?.revision === revision) return known.bySubject
    const bySubject = givenBy(this.bindings.of(instance))
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(instance, { revision, bySubject })
    return bySubject
  }
}

type BySubject = ReadonlyMap<string, readonly Given[]>

function givenBy(bindings: readonly InstanceRoleBinding[]): BySubject {
  const bySubject = new Map<string, Given[]>()
  for (const { metadata, spec } of bindings) {
    const covers = spec.namespaces === undefined ? 'instance' : 'namespaces'
    for (const key of spec.subjects.flatMap(keysOf)) {
      const given = bySubject.get(key) ?? []
      given.push({ binding: metadata.name, role: spec.role, covers })
      bySubject.set(key, given)
    }
  }
  return bySubject
}

const keyOfUser = (name: string): string => `User ${name}`
const keyOfGroup = (name: string): string => `Group ${name}`

/** Kubernetes' name of a ServiceAccount as a user has its namespace; one without is no user. */
function keysOf({ kind, name, namespace }: Subject): readonly string[] {
  if (kind === 'User') return [keyOfUser(name)]
  if (kind === 'Group') return [keyOfGroup(name)]
  return namespace ? [keyOfUser(`system:serviceaccount:${namespace}:${name}`)] : []
}
