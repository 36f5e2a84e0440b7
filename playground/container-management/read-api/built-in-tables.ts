import { builtinDefinitions } from '../../apimachinery/builtin/builtin-definitions.js'
import type { ResourceDefinition } from '../../apimachinery/resource-definition.js'
import { type IncludeObject, toTable } from '../../apimachinery/table/to-table.js'
import type { TableRenderer } from './render.js'

const definitions = new Map<string, ResourceDefinition>(
  builtinDefinitions.map(definition => [
    `${definition.group}/${definition.version}/${definition.plural}`,
    definition,
  ]),
)

/** The columns kubectl shows of built-in types; custom types have none here, because their CRDs live in their clusters. */
export const builtInTables =
  (now: () => number): TableRenderer =>
  ({ group, version, resource }, objects, query) => {
    const definition = definitions.get(`${group}/${version}/${resource}`)
    if (!definition) return undefined
    const includeObject = (query.get('includeObject') || 'Metadata') as IncludeObject
    return toTable(definition, objects, { now: new Date(now()), includeObject })
  }
