import { describe, expect, it } from 'vitest'
import {
  defaultCrd,
  validateCrd,
  withStoredVersion,
} from '../../../../playground/apimachinery/custom/crd-validation.js'
import { definitionFromCrd } from '../../../../playground/apimachinery/custom/definition-from-crd.js'
import { isJsonPath, jsonPath } from '../../../../playground/apimachinery/custom/json-path.js'
import type { Json, JsonObject } from '../../../../playground/apimachinery/json.js'

const schema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
}
const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }
const crd = (spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'ships.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'ships', kind: 'Ship', shortNames: ['sh'] },
    versions: [version],
    ...spec,
  },
})
const withSchema = (openAPIV3Schema: JsonObject): JsonObject =>
  crd({ versions: [{ ...version, schema: { openAPIV3Schema } }] })
const errors = (value: JsonObject, old?: JsonObject): string[] =>
  validateCrd(defaultCrd(value), old).map(({ field, body }) => `${field}: ${body}`)
const S = 'spec.validation.openAPIV3Schema'

describe('a CustomResourceDefinition', () => {
  it('that is valid gets singular, listKind, conversion and stored version', () => {
    expect(errors(crd())).toEqual([])
    expect(withStoredVersion(defaultCrd(crd()))).toMatchObject({
      spec: { names: { singular: 'ship', listKind: 'ShipList' }, conversion: { strategy: 'None' } },
      status: { storedVersions: ['v1'] },
    })
  })

  it.each<[string, JsonObject, string]>([
    [
      'another name',
      { ...crd(), metadata: { name: 'x' } },
      'metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group',
    ],
    [
      'a scope that does not exist',
      crd({ scope: 'Galaxy' }),
      'spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"',
    ],
    [
      'two storage versions',
      crd({ versions: [version, { ...version, name: 'v2' }] }),
      'must have exactly one version marked as storage version',
    ],
    [
      'the same version twice',
      crd({ versions: [version, { ...version, storage: false }] }),
      'must contain unique version names',
    ],
    [
      'no schema',
      crd({ versions: [{ name: 'v1', served: true, storage: true }] }),
      'spec.versions[0].schema.openAPIV3Schema: Required value',
    ],
    [
      'a listKind like its kind',
      crd({ names: { plural: 'ships', kind: 'Ship', listKind: 'Ship' } }),
      'kind and listKind may not be the same',
    ],
    [
      'a property without a type',
      withSchema({ type: 'object', properties: { spec: {} } }),
      `${S}.properties[spec].type: Required value: must not be empty for specified object fields`,
    ],
    [
      'an array without items',
      withSchema({ type: 'object', properties: { a: { type: 'array' } } }),
      `${S}.properties[a].items: Required value: must be specified`,
    ],
    [
      'a type in a junctor',
      withSchema({ type: 'object', properties: { a: { type: 'string', anyOf: [{ type: 'string' }] } } }),
      `${S}.properties[a].anyOf[0].type: Forbidden: must be empty to be structural`,
    ],
    ['a $ref', withSchema({ type: 'object', $ref: '#/x' }), `${S}.$ref: Forbidden: $ref is not supported`],
    [
      'rules on metadata',
      withSchema({
        type: 'object',
        properties: { metadata: { type: 'object', properties: { labels: {} } } },
      }),
      'must not specify anything other than name and generateName',
    ],
    [
      'a default that does not fit',
      withSchema({ type: 'object', properties: { a: { type: 'integer', default: 'x' } } }),
      `${S}.properties[a].default: Invalid value: "string"`,
    ],
    [
      'a pattern that is none',
      withSchema({ type: 'object', properties: { a: { type: 'string', pattern: '(' } } }),
      'must be a valid regular expression',
    ],
    [
      'list keys that are optional',
      withSchema({
        type: 'object',
        properties: {
          a: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['n'],
            items: { type: 'object', properties: { n: { type: 'string' } } },
          },
        },
      }),
      'it must have a default or be a required property',
    ],
    [
      'a rule that does not compile',
      withSchema({ type: 'object', 'x-kubernetes-validations': [{ rule: 'slef.a' }] }),
      `${S}.x-kubernetes-validations[0].rule: Invalid value: {"rule":"slef.a"}: compilation failed: ERROR: Unknown variable: slef`,
    ],
    [
      'a scale path outside spec',
      crd({
        versions: [
          {
            ...version,
            subresources: { scale: { specReplicasPath: '.metadata.x', statusReplicasPath: '.status.r' } },
          },
        ],
      }),
      'should be a json path under .spec',
    ],
    [
      'a column of no type',
      crd({ versions: [{ ...version, additionalPrinterColumns: [{ name: 'A', jsonPath: '.a' }] }] }),
      'must be one of boolean,date,integer,number,string',
    ],
  ])('with %s is refused', (_title, value, expected) => {
    expect(errors(value).join('\n')).toContain(expected)
  })

  it('may not change its kind or scope once established', () => {
    const established = {
      ...defaultCrd(crd()),
      status: { conditions: [{ type: 'Established', status: 'True' }] },
    }
    expect(errors(crd({ scope: 'Cluster' }), established)).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ])
  })

  it('may not drop a version in storedVersions', () => {
    const stored = { ...crd(), status: { storedVersions: ['v0', 'v1'] } }
    expect(errors(stored)[0]).toContain(
      'status.storedVersions[0]: Invalid value: "v0": missing from spec.versions',
    )
  })

  it('compiles to one definition for all servers with the same text', () => {
    const definition = definitionFromCrd(defaultCrd(crd()), 'v1')
    expect(definition).toMatchObject({
      plural: 'ships',
      listKind: 'ShipList',
      namespaced: true,
      custom: true,
    })
    expect(definition.printerColumns.map(({ name }) => name)).toEqual(['Age'])
    expect(definitionFromCrd(structuredClone(defaultCrd(crd())), 'v1')).toBe(definition)
    expect(() => definitionFromCrd(crd(), 'v9')).toThrow('ships.example.com has no version v9')
  })
})

describe('a JSONPath', () => {
  const object: Json = {
    metadata: { labels: { 'a.b/c': '1' } },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Other', status: 'False', n: 3 },
      ],
    },
  }
  it.each([
    ['.status.conditions[0].status', ['True']],
    ['.status.conditions[-1].type', ['Other']],
    ['.status.conditions[*].type', ['Ready', 'Other']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Ready')].status", ['True']],
    ['.status.conditions[?(@.n>2)].type', ['Other']],
    ['.status.conditions[?(@.n)].type', ['Other']],
    ["{.status.conditions[?(@.type!='Ready')].status}", ['False']],
    ['.metadata.labels.a\\.b/c', ['1']],
    [".metadata.labels['a.b/c']", ['1']],
    ['..type', ['Ready', 'Other']],
    ['.missing.path', []],
    ['.status.conditions[9].type', []],
  ])('%s selects %j', (path, expected) => {
    expect(jsonPath(object, path)).toEqual(expected)
  })
  it.each(['.a[', '.a b', '[?(x)]', '.a[?(@.b=="]'])('%s cannot be parsed', path => {
    expect(isJsonPath(path)).toBe(false)
  })
})
