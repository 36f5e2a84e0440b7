import type { Fleet } from '../../ports/fleet.js'
import type { Caller } from '../identity/caller.js'
import { behindMember } from './route/behind-member.js'
import type { RequestInfo } from './route/request-info.js'

/** Members need no right to impersonate these: Karmada does not name them there. */
const EVERYBODY = new Set(['system:authenticated', 'system:unauthenticated'])
/** Groups through which the ways to members go. */
const WAYS = new Set(['cluster.karmada.io', 'search.karmada.io'])

/**
 * The caller as its request may name it. What goes on to a member has only the groups that the member lets Karmada impersonate: it refuses a
 * request that names another one, whatever the caller may do. What an instance answers itself has all of them, since its policies
 * may deny something to a group that no RBAC names. Where it is not known which they are, all are sent.
 * @param target inside the instance, encoded, with its query
 */
export function callerAt(
  fleet: Pick<Fleet, 'groupsAtMember'>,
  instance: string,
  { info, target, caller }: { readonly info: RequestInfo; readonly target: string; readonly caller: Caller },
): Caller | Promise<Caller> {
  if (!info.resource || !WAYS.has(info.resource.group) || !fleet.groupsAtMember) return caller
  if (caller.groups.every(group => EVERYBODY.has(group))) return caller
  const member = behindMember(target.split('?', 1)[0] ?? '')
  if (!member) return caller
  const open = fleet.groupsAtMember(instance, member.cluster)
  return open instanceof Promise ? open.then(groups => within(caller, groups)) : within(caller, open)
}

function within(caller: Caller, open: ReadonlySet<string> | undefined): Caller {
  if (!open || caller.groups.every(group => open.has(group) || EVERYBODY.has(group))) return caller
  const byGroups = known.get(caller) ?? new WeakMap<ReadonlySet<string>, Caller>()
  known.set(caller, byGroups)
  const found = byGroups.get(open)
  if (found) return found
  const groups = caller.groups.filter(group => open.has(group) || EVERYBODY.has(group))
  const fewer = { ...caller, groups }
  byGroups.set(open, fewer)
  return fewer
}

/** A remembered caller is one object for many requests, and so must be what is made of it: its headers are remembered by it. */
const known = new WeakMap<Caller, WeakMap<ReadonlySet<string>, Caller>>()
