import fc from 'fast-check'
import { few, metadata, one, some, words } from './arbitraries.js'
import type { Json, Subject } from './subject.js'

const group = 'random.example.test'

const string = { type: 'string' }
const keyed = (properties: Json, keys: readonly string[], required: readonly string[]): Json => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  items: { type: 'object', required, properties },
})

/** A custom resource with every kind of list and map that has rules of its own for merging. */
export const rigDefinition: Json = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `rigs.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'rigs', singular: 'rig', kind: 'Rig' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', minimum: 0, maximum: 9, default: 3 },
                  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: string },
                  order: { type: 'array', items: string },
                  masts: keyed(
                    {
                      name: string,
                      height: { type: 'integer', default: 10 },
                      sails: { type: 'array', 'x-kubernetes-list-type': 'set', items: string },
                      paint: { type: 'object', additionalProperties: string },
                    },
                    ['name'],
                    ['name'],
                  ),
                  lines: keyed(
                    { from: string, side: { type: 'string', default: 'port' }, length: { type: 'integer' } },
                    ['from', 'side'],
                    ['from'],
                  ),
                  paint: { type: 'object', additionalProperties: string },
                  sealed: {
                    type: 'object',
                    'x-kubernetes-map-type': 'atomic',
                    properties: { a: string, b: string },
                  },
                  hull: {
                    type: 'object',
                    default: {},
                    properties: {
                      material: { type: 'string', default: 'wood' },
                      layers: { type: 'integer' },
                    },
                  },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  draft: { 'x-kubernetes-int-or-string': true },
                  note: { type: 'string', nullable: true },
                },
              },
              status: {
                type: 'object',
                properties: {
                  phase: string,
                  conditions: keyed({ type: string, status: string }, ['type'], ['type']),
                },
              },
            },
          },
        },
      },
    ],
  },
}

export const rigs: Subject = {
  kind: 'Rig',
  apiVersion: `${group}/v1`,
  path: namespace => `/apis/${group}/v1/namespaces/${namespace}/rigs`,
  least: { spec: {} },
  opinion: some({
    metadata,
    spec: some({
      size: one(0, 1, 10),
      tags: few(one('a', 'b', 'c')),
      order: few(one('a', 'b')),
      masts: few(
        fc.record(
          { name: one('m', 'n'), height: one(10, 20), sails: few(one('s', 't'), 2), paint: words },
          { requiredKeys: ['name'] },
        ),
        2,
      ),
      lines: few(
        fc.record(
          { from: one('a', 'b'), side: one('port', 'starboard'), length: one(1, 2) },
          { requiredKeys: ['from'] },
        ),
        2,
      ),
      paint: words,
      sealed: some({ a: one('1', '2'), b: one('1', '2') }),
      hull: some({ material: one('wood', 'steel'), layers: one(1, 2) }),
      free: some({ x: one<Json>(1, '1', [1, 2], { y: 1 }), z: words, n: fc.constant(null) }),
      draft: one<number | string>(1, '1', '2m'),
      note: one<string | null>('n', null),
      unknown: one(1),
    }),
  }),
  status: some({
    phase: one('p', 'q'),
    conditions: few(fc.record({ type: one('A', 'B'), status: one('True', 'False') }), 2),
  }),
  pointers: [
    '/spec/tags',
    '/spec/tags/0',
    '/spec/tags/-',
    '/spec/masts/0/height',
    '/spec/paint/a',
    '/spec/hull',
    '/spec/free',
  ],
}
