import type { Call } from '../../call/call.js'
import type { ListQuery } from '../../objects/list-query.js'
import type { Objects } from '../../objects/objects.js'
import type { KindHandlers } from '../kind/kind-handlers.js'
import { type ListFields, type PlaceFields, placeOf, type WatchFields } from '../kind/request-fields.js'
import { watchKind } from '../kind/watch-kind.js'
import { type Definition, definitions, hasCondition } from './definition.js'

/** What a list of definitions has beyond other lists. */
interface DefinitionFilter {
  /** The whole name, other than in other lists; empty for any. */
  readonly name: string
  /** Empty for any. */
  readonly group: string
  /** Conditions, of which one must be True; none for any. */
  readonly status: readonly string[]
}

/** The lists of CustomResourceDefinitions, followed or not, and of their groups. */
export const definitionLists = <M>(
  objects: Objects,
  of: Pick<KindHandlers<Definition, M, undefined>, 'list' | 'watch'>,
) => ({
  listCustomResourceDefinitions: (whole: ListFields & DefinitionFilter, call: Call) => {
    const { name, ...request } = whole
    return of.list(request, call, condition({ ...request, name }), whole)
  },

  watchCustomResourceDefinitions: async ({ name, ...request }: WatchFields & DefinitionFilter, call: Call) =>
    watchKind(of, 'definition')(request, call, condition({ ...request, name })),

  async listCustomResourceDefinitionGroups(request: PlaceFields, call: Call) {
    const all = { page: 1, pageSize: 0 }
    const { items } = await objects.list<Definition>(call, placeOf(request), definitions.type, all)
    return { items: [...new Set(items.map(({ spec }) => spec.group))].sort() }
  },
})

/** Nothing where anything will do, so that the index makes the page. */
function condition({
  name,
  group,
  status,
}: DefinitionFilter): Pick<ListQuery<Definition>, 'names' | 'where'> {
  const names = name === '' ? {} : { names: [name] }
  if (group === '' && status.length === 0) return names
  return {
    ...names,
    where: definition =>
      (group === '' || definition.spec.group === group) &&
      (status.length === 0 || status.some(wanted => hasCondition(definition, wanted))),
  }
}
