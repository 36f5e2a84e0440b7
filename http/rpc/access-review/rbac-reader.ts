import type { RbacBinding, RbacObjects, RbacRole } from '../../../karmada/rbac/rbac-objects.js'
import { resourcePath } from '../../../manifests/kube.js'
import type { Impersonation } from '../../../ports/impersonation.js'
import { badGateway, resourceExhausted } from '../../errors/failure.js'
import type { OwnConnection } from '../../objects/requests/own-requests.js'

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const
const PAGE = 500
/** Of each type. A control plane of 10,000 role bindings has 20,000 ClusterRoleBindings by Kairship alone. */
const MOST = 40_000
/** Bytes of one page: 500 objects of 32 KiB. */
const MOST_PAGE_BYTES = 16 << 20
/** Characters of all that is kept of one API server: three times the RBAC of 10,000 role bindings. Who runs a member may answer anything. */
const MOST_CHARACTERS = 32 << 20

/** Where RBAC is read, and as whom. */
export interface RbacPlace {
  /** Before each path: the proxy of a member, or nothing. */
  readonly prefix: string
  /** Absent for Kairship's own credential. */
  readonly impersonate?: Impersonation
}

/**
 * Reads the RBAC of an API server.
 * @param namespace whose Roles and RoleBindings are read; empty for none, absent for all
 * @throws what `OwnConnection.request` throws; Failure RESOURCE_EXHAUSTED where there is more than can be looked at, UNAVAILABLE for a list without an end
 */
export async function readRbac(
  connection: OwnConnection,
  place: RbacPlace,
  namespace?: string,
): Promise<RbacObjects> {
  const room = { characters: MOST_CHARACTERS }
  const list = <T extends RbacRole | RbacBinding>(resource: string, kind: string, within?: string) =>
    readAll<T>(
      { connection, room, ...place },
      resourcePath({ ...RBAC, resource }, within ? { namespace: within } : {}),
      kind,
    )
  const [clusterRoles, clusterRoleBindings] = await Promise.all([
    list<RbacRole>('clusterroles', 'ClusterRole'),
    list<RbacBinding>('clusterrolebindings', 'ClusterRoleBinding'),
  ])
  const [roles, roleBindings] =
    namespace === ''
      ? [[], []]
      : await Promise.all([
          list<RbacRole>('roles', 'Role', namespace),
          list<RbacBinding>('rolebindings', 'RoleBinding', namespace),
        ])
  return { clusterRoles, clusterRoleBindings, roles, roleBindings }
}

interface Reading extends RbacPlace {
  readonly connection: OwnConnection
  /** How much more may be kept, over all types. */
  readonly room: { characters: number }
}

interface Page<T> {
  readonly items?: readonly T[] | null
  readonly metadata?: { readonly continue?: string }
}

const tooMuch = () =>
  resourceExhausted('there are more than 32 MiB of RBAC, or 16 MiB of 500 objects: it is not looked at')

/** As a connection to an API server says it. */
const isTooLarge = ({ cause }: Error): boolean =>
  cause instanceof Error && cause.name === 'AnswerTooLargeError'

/** Objects of lists carry no kind. */
async function readAll<T extends RbacRole | RbacBinding>(
  { connection, room, prefix, impersonate }: Reading,
  path: string,
  kind: string,
): Promise<readonly T[]> {
  const found: T[] = []
  for (let next: string | undefined; ; ) {
    const page = await connection
      .request<Page<T>>({
        method: 'GET',
        path: prefix + path,
        query: { limit: PAGE, ...(next && { continue: next }) },
        maxAnswerBytes: MOST_PAGE_BYTES,
        ...(impersonate && { impersonate }),
      })
      .catch(error => {
        throw isTooLarge(error) ? tooMuch() : error
      })
    // Written in Go, where a list that nothing was put into is null.
    const items = page.items ?? []
    for (const item of items) {
      const part = partOf({ ...item, kind })
      room.characters -= JSON.stringify(part).length
      found.push(part)
    }
    next = page.metadata?.continue
    if (room.characters < 0) throw tooMuch()
    if (!next) return found
    if (items.length === 0) throw badGateway(`the list of ${kind} objects has no end`)
    if (found.length >= MOST)
      throw resourceExhausted(`there are more than ${MOST} objects of kind ${kind}: RBAC is not looked at`)
  }
}

/** What decides: annotations and what tools note of fields may be far larger. */
function partOf<T extends RbacRole | RbacBinding>({ apiVersion, kind, metadata, ...rest }: T): T {
  const { name, namespace, labels } = metadata
  const { rules, aggregationRule, roleRef, subjects } = rest as Partial<RbacRole & RbacBinding>
  return {
    ...{ apiVersion, kind },
    metadata: { name, ...(namespace !== undefined && { namespace }), ...(labels && { labels }) },
    ...(rules && { rules }),
    ...(aggregationRule && { aggregationRule }),
    ...(roleRef && { roleRef }),
    ...(subjects && { subjects }),
  } as unknown as T
}
