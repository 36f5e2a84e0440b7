import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../../playground/apimachinery/json.js'
import type { Schema } from '../../../../playground/apimachinery/schema/schema.js'
import { structuralErrors } from '../../../../playground/apimachinery/schema/structural.js'
import { validate } from '../../../../playground/apimachinery/schema/validate.js'

const spec = (x: Schema, extra: Schema = {}): Schema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { x }, ...extra } },
})
const check = (schema: Schema, object: JsonObject, old?: JsonObject): string[] =>
  validate(schema, object, old).map(({ field, body }) => `${field}: ${body}`)

describe('validation refuses, with Kubernetes’ message, a value that', () => {
  it.each<[string, Schema, Json, string[]]>([
    [
      'has another type',
      { type: 'integer' },
      'a',
      ['spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"'],
    ],
    [
      'is a fraction',
      { type: 'integer' },
      1.5,
      [
        'spec.x: Invalid value: "number": spec.x in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.x',
      ],
    ],
    [
      'is null',
      { type: 'string' },
      null,
      ['spec.x: Invalid value: "null": spec.x in body must be of type string: "null"'],
    ],
    [
      'is neither int nor string',
      { 'x-kubernetes-int-or-string': true },
      true,
      ['spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"'],
    ],
    [
      'is none of the enum',
      { type: 'string', enum: ['a', 'b'] },
      'c',
      ['spec.x: Unsupported value: "c": supported values: "a", "b"'],
    ],
    [
      'is too long',
      { type: 'string', maxLength: 2 },
      'abc',
      ['spec.x: Too long: may not be more than 2 bytes'],
    ],
    [
      'is too short',
      { type: 'string', minLength: 1 },
      '',
      ['spec.x: Invalid value: "": spec.x in body should be at least 1 chars long'],
    ],
    [
      'misses the pattern',
      { type: 'string', pattern: '^a+$' },
      'b',
      [`spec.x: Invalid value: "b": spec.x in body should match '^a+$'`],
    ],
    [
      'misses the format',
      { type: 'string', format: 'date-time' },
      'now',
      ['spec.x: Invalid value: "now": spec.x in body must be of type date-time: "now"'],
    ],
    [
      'is below the minimum',
      { type: 'integer', minimum: 0 },
      -1,
      ['spec.x: Invalid value: -1: spec.x in body should be greater than or equal to 0'],
    ],
    [
      'touches an exclusive maximum',
      { type: 'number', maximum: 3, exclusiveMaximum: true },
      3,
      ['spec.x: Invalid value: 3: spec.x in body should be less than 3'],
    ],
    [
      'is no multiple',
      { type: 'integer', multipleOf: 3 },
      4,
      ['spec.x: Invalid value: 4: spec.x in body should be a multiple of 3'],
    ],
    [
      'overflows int32',
      { type: 'integer', format: 'int32' },
      2 ** 31,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x'],
    ],
    [
      'has too many items',
      { type: 'array', maxItems: 1, items: { type: 'string' } },
      ['a', 'b'],
      ['spec.x: Too many: 2: must have at most 1 item'],
    ],
    [
      'has too few items',
      { type: 'array', minItems: 1, items: { type: 'string' } },
      [],
      ['spec.x: Invalid value: 0: spec.x in body should have at least 1 items'],
    ],
    [
      'has a wrong item',
      { type: 'array', items: { type: 'string' } },
      ['a', 1],
      ['spec.x[1]: Invalid value: "integer": spec.x[1] in body must be of type string: "integer"'],
    ],
    [
      'has too many properties',
      { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } },
      { a: 'x', b: 'y' },
      ['spec.x: Too many: 2: must have at most 1 item'],
    ],
    [
      'has a wrong map value',
      { type: 'object', additionalProperties: { type: 'string' } },
      { a: 1 },
      ['spec.x.a: Invalid value: "integer": spec.x.a in body must be of type string: "integer"'],
    ],
    [
      'lacks a property',
      { type: 'object', required: ['y'], properties: { y: { type: 'string' } } },
      {},
      ['spec.x.y: Required value'],
    ],
    [
      'repeats an item of a set',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      ['a', 'b', 'a', 'a'],
      ['spec.x[2]: Duplicate value: "a"'],
    ],
    [
      'repeats a key of a list map',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', properties: { name: { type: 'string' } } },
      },
      [{ name: 'a' }, { name: 'a' }],
      ['spec.x[1]: Duplicate value: {"name":"a"}'],
    ],
    [
      'fits none of anyOf',
      { type: 'integer', anyOf: [{ minimum: 5 }, { maximum: 1 }] },
      3,
      [
        '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
        'spec.x: Invalid value: 3: spec.x in body should be greater than or equal to 5',
      ],
    ],
    [
      'fits two of oneOf',
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      { a: '', b: '' },
      [
        '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      'fits not',
      { type: 'string', not: { enum: ['a'] } },
      'a',
      ['<nil>: Invalid value: "": "spec.x" must not validate the schema (not)'],
    ],
    [
      'embeds a resource without a kind',
      {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
      { apiVersion: 'v1' },
      ['spec.x.kind: Required value'],
    ],
  ])('%s', (_title, schema, value, expected) => {
    expect(check(spec(schema), { spec: { x: value } })).toEqual(expected)
  })

  it.each([
    '2026-11-21T24:00:00Z',
    '2026-11-21T99:00:00Z',
    '2026-11-21T03:60:00Z',
    '2026-11-21T23:59:60Z',
    '2026-11-21T03:00:00+24:00',
    '2026-11-21T03:00:00-00:60',
    '2026-02-29T03:00:00Z',
  ])('is a time that does not exist: %s', text => {
    const message = `spec.x: Invalid value: "${text}": spec.x in body must be of type date-time: "${text}"`
    expect(check(spec({ type: 'string', format: 'date-time' }), { spec: { x: text } })).toEqual([message])
  })

  it.each<[string, Schema, Json]>([
    ['an integer where a number is due', { type: 'number' }, 1],
    ['a string where both may be', { 'x-kubernetes-int-or-string': true }, '50%'],
    ['null where it is nullable', { type: 'string', nullable: true }, null],
    ['a multiple of a fraction', { type: 'number', multipleOf: 0.1 }, 0.3],
    ['characters beyond the BMP counted once', { type: 'string', maxLength: 1 }, '🚢'],
    ['an unknown format', { type: 'string', format: 'mystery' }, 'x'],
    ['an RFC 3339 time', { type: 'string', format: 'date-time' }, '2026-11-21T03:00:00.5+01:00'],
    ['exactly one of oneOf', { type: 'string', oneOf: [{ pattern: '^a' }, { pattern: 'b$' }] }, 'ac'],
  ])('and accepts %s', (_title, schema, value) => {
    expect(check(spec(schema), { spec: { x: value } })).toEqual([])
  })
})

describe('validation of an update', () => {
  const schema = spec(
    { type: 'string', maxLength: 2 },
    { properties: { x: { type: 'string', maxLength: 2 }, y: { type: 'string' } } },
  )
  it('accepts an invalid value that does not change', () => {
    expect(check(schema, { spec: { x: 'long', y: 'b' } }, { spec: { x: 'long', y: 'a' } })).toEqual([])
  })
  it('refuses an invalid value that is new', () => {
    expect(check(schema, { spec: { x: 'longer' } }, { spec: { x: 'long' } })).toHaveLength(1)
  })
})

describe('validation that would not end', () => {
  const slow: Schema = { type: 'string', pattern: '^(a+)+$' }
  const wrong = `${'a'.repeat(60)}b`
  const tooLong = '<nil>: Forbidden: its patterns or rules were stopped after 1000 ms'

  it.each<[string, Schema]>([
    ['a pattern', slow],
    ['a pattern of an alternative', { type: 'string', anyOf: [{ pattern: '^(a+)+$' }] }],
    ['a rule', { type: 'string', 'x-kubernetes-validations': [{ rule: "self.matches('^(a+)+$')" }] }],
  ])('is stopped: %s', (_, one) => {
    expect(check(spec(one), { spec: { x: wrong } })).toEqual([expect.stringContaining(tooLong)])
  })

  it('is not begun again by the next object, and leaves other schemas alone', () => {
    const schema = spec(slow)
    expect(check(schema, { spec: { x: wrong } })).toEqual([expect.stringContaining(tooLong)])
    expect(check(schema, { spec: { x: 'a' } })).toEqual([expect.stringContaining(tooLong)])
    expect(check(spec(slow), { spec: { x: 'a' } })).toEqual([])
  })

  it('is stopped in the defaults of a CRD', () => {
    const defaults = spec({ ...slow, default: wrong })
    expect(structuralErrors(defaults as Json, 'schema').map(({ body }) => body)).toEqual([
      expect.stringContaining('were stopped after'),
    ])
  })
})
