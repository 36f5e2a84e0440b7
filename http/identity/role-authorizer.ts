import { originOf } from '../../manifests/effective-binding.js'
import type { RoleBindings } from '../../ports/role-bindings.js'
import type { Action, Authorizer, Verdict } from './authorize.js'
import type { Caller } from './caller.js'
import { DEFAULT_HOST_GRACE_MS } from './host-grace.js'
import { includes } from './role-rights.js'

/**
 * Bindings count for so long after the host was last heard, milliseconds, unless the settings say otherwise. A host that restarts is away for less; a binding that was
 * removed meanwhile gives its rights for no longer.
 */
export const BINDINGS_COUNT_MS = DEFAULT_HOST_GRACE_MS

/**
 * Allows what a caller's roles on an instance include, as the bindings are at the time: their removal counts with the next request. The
 * host decides about everything else.
 */
export function roleAuthorizer({
  bindings,
  host,
  graceMs = BINDINGS_COUNT_MS,
}: {
  readonly bindings: RoleBindings
  readonly host: Authorizer
  readonly graceMs?: number | undefined
}): Authorizer {
  return {
    decide: (caller, action, how) =>
      byRole(bindings, graceMs, caller, action) ?? host.decide(caller, action, how),
  }
}

function byRole(
  bindings: RoleBindings,
  graceMs: number,
  caller: Caller,
  action: Action,
): Verdict | undefined {
  if ('path' in action || !action.name || bindings.silentForMs > graceMs) return undefined
  for (const binding of bindings.givenTo(action.name, caller)) {
    const { role, namespaces } = binding.spec
    if (includes(role, namespaces === undefined ? 'instance' : 'namespaces', action))
      return { allowed: true, reason: `${originOf(binding)} gives the role ${role}` }
  }
  return undefined
}
