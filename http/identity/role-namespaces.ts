import type { RoleBindings } from '../../ports/role-bindings.js'
import type { Caller } from './caller.js'
import { BINDINGS_COUNT_MS } from './role-authorizer.js'

/** What was found for a caller on an instance, while its bindings are those of the revision. */
interface Found {
  readonly revision: string
  readonly namespaces: readonly string[] | undefined
}

/** A cached caller is the same object for many requests. */
const known = new WeakMap<Caller, Map<string, Found>>()
/** Instances of one caller of which this is remembered; the memory begins anew beyond it. */
const MOST_KNOWN = 4_096

/**
 * The namespaces of an instance that the caller's roles cover, sorted, found once for each caller and each change of the bindings.
 * @param graceMs bindings count for so long after the host was last heard, milliseconds: as long as they open the instance's door
 * @returns undefined where a role covers the whole instance, and where none covers anything
 */
export function roleNamespaces(
  bindings: Pick<RoleBindings, 'silentForMs' | 'revisionOf' | 'givenTo'>,
  caller: Caller,
  instance: string,
  graceMs: number = BINDINGS_COUNT_MS,
): readonly string[] | undefined {
  if (bindings.silentForMs > graceMs) return undefined
  const revision = bindings.revisionOf(instance)
  if (revision === '') return undefined
  const ofCaller = known.get(caller) ?? new Map<string, Found>()
  known.set(caller, ofCaller)
  const last = ofCaller.get(instance)
  if (last?.revision === revision) return last.namespaces
  const namespaces = find(bindings, caller, instance)
  if (ofCaller.size >= MOST_KNOWN) ofCaller.clear()
  ofCaller.set(instance, { revision, namespaces })
  return namespaces
}

function find(
  bindings: Pick<RoleBindings, 'givenTo'>,
  caller: Caller,
  instance: string,
): readonly string[] | undefined {
  const found = new Set<string>()
  for (const { spec } of bindings.givenTo(instance, caller)) {
    if (spec.namespaces === undefined) return undefined
    for (const namespace of spec.namespaces) found.add(namespace)
  }
  return found.size > 0 ? [...found].sort() : undefined
}
