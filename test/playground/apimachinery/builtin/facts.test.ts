import { describe, expect, it } from 'vitest'
import { builtinDefinitions } from '../../../../playground/apimachinery/builtin/builtin-definitions.js'
import {
  DEFAULTS,
  MEANT_EMPTY,
  QUANTITIES,
  VANISHING_ZEROS,
} from '../../../../playground/apimachinery/builtin/field-facts.js'
import { LIST_FACTS } from '../../../../playground/apimachinery/builtin/merge-facts.js'
import {
  modelNames,
  modelSchema,
  typeName,
} from '../../../../playground/apimachinery/builtin/model-schemas.js'

describe('the tables about built-in types', () => {
  it('name only types and fields that exist', () => {
    const fields = new Set(
      modelNames().flatMap(model =>
        Object.keys(modelSchema(model).properties ?? {}).map(field => `${typeName(model)}.${field}`),
      ),
    )
    const named = [
      ...Object.keys(LIST_FACTS),
      ...Object.keys(DEFAULTS),
      ...QUANTITIES,
      ...VANISHING_ZEROS,
      ...MEANT_EMPTY,
    ]
    expect(named.filter(name => !fields.has(name))).toEqual([])
  })

  it('give every kind a schema with metadata and no kind twice', () => {
    for (const { schema, kind } of builtinDefinitions) {
      if (!kind.endsWith('Review'))
        expect([kind, schema.properties?.metadata?.model]).toEqual([kind, 'V1ObjectMeta'])
    }
    const names = builtinDefinitions.map(({ group, plural }) => `${plural}.${group}`)
    expect(new Set(names).size).toBe(names.length)
  })
})
