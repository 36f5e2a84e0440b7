import type { KubeObject } from '../../../manifests/kube.js'
import { roleNamespaces } from '../../identity/role-namespaces.js'
import { apiOf } from '../../proxy/proxy-request.js'
import { instanceOf } from '../../proxy/target.js'
import type { ListQuery } from '../list-query.js'
import type { ObjectType } from '../object-type.js'
import type { Listing } from './listing.js'

/** Reviews of one caller that are under way at once, where its namespaces are many. */
const AT_ONCE = 16

/**
 * The query of a list over all namespaces as its caller may read it: over those that its roles cover, where the instance refuses the list over
 * all. An API server has no such list; one over many namespaces is made of theirs.
 * @returns the same query where the caller may list all, or nothing at all: then the instance answers or refuses it as it is
 */
export async function inOwnNamespaces<T extends KubeObject>(listing: Listing<T>): Promise<ListQuery<T>> {
  const { requests, call, place, type, query } = listing
  const { caller } = call
  const { instance, cluster } = place
  if (cluster !== undefined || query.namespace || !hasNamespaces(type, query)) return query
  const { parts } = requests.options
  const { fleet, access, hostGraceMs } = parts
  const given = roleNamespaces(fleet.roleBindings, caller, instance, hostGraceMs)
  if (!given) return query
  const rights = () =>
    fleet.index(instance)?.rights ?? {
      revision: fleet.roleBindings.revisionOf(instance),
      unchangedForMs: 0,
    }
  const target = instanceOf(parts, instance)
  const { group, version, resource } = type
  const may = (verb: string, of: { readonly namespace?: string; readonly name?: string }) =>
    access
      .verdictOfAll(
        target.uid,
        apiOf(target),
        caller,
        { verb, resource: { group, version, resource, ...of } },
        rights,
      )
      // Whatever failed here: the read itself goes there, and says what is wrong.
      .then(
        ({ allowed }) => (allowed ? 'yes' : 'no'),
        () => 'unknown',
      )
  if ((await may('list', {})) !== 'no') return query
  const namespaces: string[] = []
  for (let first = 0; first < given.length; first += AT_ONCE) {
    const some = given.slice(first, first + AT_ONCE)
    const answers = await Promise.all(
      some.map(namespace =>
        type.namespaced ? may('list', { namespace }) : may('get', { namespace, name: namespace }),
      ),
    )
    namespaces.push(...some.filter((_, index) => answers[index] !== 'no'))
  }
  if (namespaces.length === 0) return query
  // Those of other instances are merged by what each has: this one has no list that could be joined with theirs.
  const { mostOfIndex: _, ...rest } = query
  return { ...rest, namespaces }
}

/** Whether the list is of objects in namespaces, or of namespaces: these are read one by one, so selectors cannot be left to the instance. */
const hasNamespaces = (
  { group, resource, namespaced }: ObjectType,
  { labelSelector, fieldSelector }: ListQuery<never>,
): boolean => namespaced || (group === '' && resource === 'namespaces' && !labelSelector && !fieldSelector)
