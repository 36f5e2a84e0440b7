import { ROLE_BINDINGS } from '../../../manifests/instance-rbac.js'
import type { Subject } from '../../../manifests/instance-role-binding.js'
import { type KubeList, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { badGateway } from '../../errors/failure.js'
import type { Caller } from '../../identity/caller.js'
import type { ObjectCall } from '../../objects/objects.js'
import type { OwnReads } from '../../objects/requests/own-requests.js'

/** rbac.authorization.k8s.io/v1 RoleBinding, as far as it says who is bound. */
export interface BoundSubjects extends KubeObject {
  readonly subjects?: readonly Subject[] | null
}

/** Role bindings that are read at once. */
const CHUNK = 500
/** With 50,000 role bindings; more are not read for one request. */
const MOST_PAGES = 100

/**
 * The namespaces of an instance in which a caller who may not list them has a role, sorted. The role bindings are read with
 * Kairship's own credential: the caller may not read those either. Nothing of them but the names of the caller's own
 * namespaces is answered.
 * @throws as `OwnReads.get`; Failure UNAVAILABLE for an answer that is no list
 */
export async function boundNamespaces(
  reads: OwnReads,
  instance: string,
  call: ObjectCall,
): Promise<readonly string[]> {
  const found = new Set<string>()
  let next: string | undefined
  let pages = 0
  do {
    pages += 1
    if (pages > MOST_PAGES) throw badGateway(`the list of role bindings of instance ${instance} has no end`)
    const list: Partial<KubeList<BoundSubjects>> | undefined = await reads.get(call, instance, {
      path: resourcePath(ROLE_BINDINGS),
      query: { limit: CHUNK, continue: next },
    })
    if (!Array.isArray(list?.items) || !list.items.every(isBinding))
      throw badGateway(`instance ${instance} answered a list of role bindings with what is no list`)
    for (const binding of list.items)
      if (binding.metadata.namespace && binds(binding, call.caller)) found.add(binding.metadata.namespace)
    next = list.metadata?.continue || undefined
  } while (next)
  return [...found].sort()
}

/** Written in Go, where a list that nothing was put into is null. */
function isBinding(value: Partial<BoundSubjects> | null): boolean {
  const { metadata, subjects } = value ?? {}
  return (
    typeof metadata === 'object' &&
    metadata !== null &&
    (!subjects || (Array.isArray(subjects) && subjects.every(one => typeof one === 'object' && one !== null)))
  )
}

/** Whether a role binding is for a caller, by name or by a group. */
export function binds({ metadata, subjects }: BoundSubjects, { user, groups }: Caller): boolean {
  return (subjects ?? []).some(({ kind, name, namespace = metadata.namespace }) => {
    if (kind === 'Group') return name === 'system:authenticated' || groups.includes(name)
    return user === (kind === 'User' ? name : `system:serviceaccount:${namespace}:${name}`)
  })
}
