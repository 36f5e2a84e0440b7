import type { ResourceDefinition } from '../resource-definition.js'
import { columnsOf } from './columns/printer-columns.js'
import { BUILTIN_KINDS, type BuiltinKind } from './kinds.js'
import { modelSchema } from './model-schemas.js'
import { SELECTABLE_FIELDS } from './selectable-fields.js'
import { strategyOf } from './strategies/strategies.js'

/** One definition; its schema is made when it is first looked at, so that a server pays only for kinds in use. */
function define(kind: BuiltinKind): ResourceDefinition {
  const { model, ...names } = kind
  const selectableFields = SELECTABLE_FIELDS[`${kind.group}/${kind.kind}`]
  return {
    ...names,
    listKind: `${kind.kind}List`,
    singular: kind.kind.toLowerCase(),
    get schema() {
      return modelSchema(model)
    },
    printerColumns: columnsOf(kind.kind),
    ...(selectableFields ? { selectableFields } : {}),
    strategy: strategyOf(kind),
    custom: false,
  }
}

/** Every built-in kind, shared by all logical clusters of the process. */
export const builtinDefinitions: readonly ResourceDefinition[] = BUILTIN_KINDS.map(define)
