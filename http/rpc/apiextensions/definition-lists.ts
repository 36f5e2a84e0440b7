import type { Call } from '../../call.js'
import type { ListQuery } from '../../objects/list-query.js'
import type { Objects } from '../../objects/objects.js'
import type { KindHandlers } from '../kind/kind-handlers.js'
import { type ListFields, type PlaceFields, placeOf } from '../kind/request-fields.js'
import { type Definition, definitions, hasCondition } from './definition.js'

/** What a list of definitions has beyond other lists. */
interface DefinitionFields extends ListFields {
  /** Empty for any. */
  readonly group: string
  /** Conditions, of which one must be True; none for any. */
  readonly status: readonly string[]
}

/** The lists of CustomResourceDefinitions, and of their groups. */
export const definitionLists = <M>(objects: Objects, of: Pick<KindHandlers<Definition, M>, 'list'>) => ({
  listCustomResourceDefinitions: ({ name = '', ...request }: DefinitionFields, call: Call) =>
    of.list(request, call, {
      // The whole name, other than in other lists.
      ...(name !== '' && { names: [name] }),
      ...condition(request),
    }),

  async listCustomResourceDefinitionGroups(request: PlaceFields, call: Call) {
    const all = { page: 1, pageSize: 0 }
    const { items } = await objects.list<Definition>(call, placeOf(request), definitions.type, all)
    return { items: [...new Set(items.map(({ spec }) => spec.group))].sort() }
  },
})

/** Nothing where anything will do, so that the index makes the page. */
function condition({
  group,
  status,
}: Pick<DefinitionFields, 'group' | 'status'>): Pick<ListQuery<Definition>, 'where'> {
  if (group === '' && status.length === 0) return {}
  return {
    where: definition =>
      (group === '' || definition.spec.group === group) &&
      (status.length === 0 || status.some(wanted => hasCondition(definition, wanted))),
  }
}
