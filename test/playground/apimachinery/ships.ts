import { defaultCrd } from '../../../playground/apimachinery/custom/crd-validation.js'
import { definitionFromCrd } from '../../../playground/apimachinery/custom/definition-from-crd.js'
import type { JsonObject } from '../../../playground/apimachinery/json.js'
import type { ResourceDefinition } from '../../../playground/apimachinery/resource-definition.js'

/** A custom type, `ships.example.com`. @param version what its CRD says of v1: each test's own subject */
export const shipsWith = (version: JsonObject): ResourceDefinition =>
  definitionFromCrd(
    defaultCrd({
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'ships', kind: 'Ship' },
        versions: [{ name: 'v1', ...version }],
      },
    }),
    'v1',
  )
