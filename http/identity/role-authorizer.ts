import { originOf } from '../../manifests/effective-binding.js'
import type { RoleBindings } from '../../ports/role-bindings.js'
import { unavailable } from '../errors/failure.js'
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
 * host decides about everything else. While the bindings cannot be read for too long, nobody is refused for having none: a client would take
 * that for the last word.
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
    decide(caller, action, how) {
      const byHost = () => host.decide(caller, action, how)
      if (!mayBeByRole(action)) return byHost()
      if (bindings.silentForMs > graceMs) return allowedOrUnknown(bindings, byHost)
      // Before they were all read, a caller may have a role that is not seen yet.
      return (
        byRole(bindings, caller, action) ?? (bindings.synced ? byHost() : allowedOrUnknown(bindings, byHost))
      )
    },
  }
}

type ByRole = Extract<Action, { readonly resource: string }> & { readonly name: string }

const mayBeByRole = (action: Action): action is ByRole => 'resource' in action && !!action.name

/** What the host allows, while nobody knows the roles: without it the caller may have one or not. @throws Failure UNAVAILABLE */
async function allowedOrUnknown(
  { synced, silentForMs }: Pick<RoleBindings, 'synced' | 'silentForMs'>,
  byHost: () => Verdict | Promise<Verdict>,
): Promise<Verdict> {
  const verdict = await byHost()
  if (verdict.allowed) return verdict
  throw unavailable(
    synced
      ? `the role bindings cannot be read from the host since ${Math.round(silentForMs / 1_000)} s, so roles give nothing until they can`
      : 'the role bindings have not been read from the host yet',
    { retryAfterSeconds: synced ? 5 : 1 },
  )
}

function byRole(bindings: RoleBindings, caller: Caller, action: ByRole): Verdict | undefined {
  for (const binding of bindings.givenTo(action.name, caller)) {
    const { role, namespaces } = binding.spec
    if (includes(role, namespaces === undefined ? 'instance' : 'namespaces', action))
      return { allowed: true, reason: `${originOf(binding)} gives the role ${role}` }
  }
  return undefined
}
