import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../playground/apimachinery/json.js'
import type { Schema, ValidationRule } from '../../../../playground/apimachinery/schema/schema.js'
import { validate } from '../../../../playground/apimachinery/schema/validate.js'

const ruled = (rule: ValidationRule): Schema => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      'x-kubernetes-validations': [rule],
      properties: {
        min: { type: 'integer' },
        max: { type: 'integer' },
        name: { type: 'string', maxLength: 5 },
        names: { type: 'array', items: { type: 'string' } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        namespace: { type: 'string' },
        'a-b': { type: 'string' },
        at: { type: 'string', format: 'date-time' },
        memory: { type: 'string' },
      },
    },
  },
})
const check = (rule: ValidationRule, spec: JsonObject, old?: JsonObject): string[] =>
  validate(ruled(rule), { spec }, old && { spec: old }).map(({ field, body }) => `${field}: ${body}`)

describe('a validation rule', () => {
  it.each<[string, JsonObject]>([
    ['self.min <= self.max', { min: 1, max: 2 }],
    ['!has(self.name) || self.name.startsWith("k")', {}],
    ['self.names.all(n, n.matches("^[a-z]+$"))', { names: ['a', 'bc'] }],
    ['self.names.isSorted() && self.names.max() == "b"', { names: ['a', 'b'] }],
    ['self.labels.exists(k, k == "a") && self.labels["a"] == "b"', { labels: { a: 'b' } }],
    ['self.__namespace__ == "x"', { namespace: 'x' }],
    ['self.a__dash__b == "x"', { 'a-b': 'x' }],
    ['self.at > timestamp("2020-01-01T00:00:00Z")', { at: '2026-01-01T00:00:00Z' }],
    ['quantity(self.memory).isGreaterThan(quantity("1Gi"))', { memory: '1025Mi' }],
    ['self.name.find("[0-9]+") == "12"', { name: 'a12' }],
    ['self.?name.orValue("none") == "none"', {}],
    ['size(self.names) == 2', { names: ['a', 'b'] }],
    ['"n%d".format([self.min]) == "n7"', { min: 7 }],
  ])('%s is satisfied by %j', (rule, spec) => {
    expect(check({ rule }, spec)).toEqual([])
  })

  it('that fails without a message is quoted in the error', () => {
    expect(check({ rule: 'self.min <= self.max' }, { min: 2, max: 1 })).toEqual([
      'spec: Invalid value: failed rule: self.min <= self.max',
    ])
  })

  it('uses its message, reason and fieldPath', () => {
    const rule = {
      rule: 'self.min <= self.max',
      message: 'min is above max',
      reason: 'FieldValueForbidden',
      fieldPath: '.min',
    } as const
    expect(check(rule, { min: 2, max: 1 })).toEqual(['spec.min: Forbidden: min is above max'])
  })

  it('prefers its messageExpression, and uses the message when that fails', () => {
    const rule = { rule: 'self.min <= self.max', message: 'fixed' }
    expect(
      check({ ...rule, messageExpression: '"%d > %d".format([self.min, self.max])' }, { min: 2, max: 1 }),
    ).toEqual(['spec: Invalid value: 2 > 1'])
    expect(check({ ...rule, messageExpression: 'self.name' }, { min: 2, max: 1 })).toEqual([
      'spec: Invalid value: fixed',
    ])
  })

  it('over an absent field reports that', () => {
    expect(check({ rule: 'self.min > 0' }, {})).toEqual([
      'spec: Invalid value: "object": No such key: min evaluating rule: self.min > 0',
    ])
  })

  it('with oldSelf runs only on updates', () => {
    const rule = { rule: 'self.name == oldSelf.name', message: 'name is immutable' }
    expect(check(rule, { name: 'a' })).toEqual([])
    expect(check(rule, { name: 'a' }, { name: 'a' })).toEqual([])
    expect(check(rule, { name: 'b' }, { name: 'a' })).toEqual(['spec: Invalid value: name is immutable'])
  })

  it('with an optional oldSelf also runs on creates', () => {
    const rule = { rule: 'oldSelf.hasValue() || self.name == "first"', optionalOldSelf: true, message: 'no' }
    expect(check(rule, { name: 'x' })).toEqual(['spec: Invalid value: no'])
    expect(check(rule, { name: 'x' }, { name: 'y' })).toEqual([])
  })

  it('does not run on a malformed object', () => {
    expect(check({ rule: 'self.min <= self.max' }, { min: 2, max: 1, name: 'too long' })).toEqual([
      'spec.name: Too long: may not be more than 5 bytes',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ])
  })

  it('of a list item finds the old item by its list key', () => {
    const schema: Schema = {
      type: 'object',
      properties: {
        list: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id'],
          items: {
            type: 'object',
            properties: { id: { type: 'string' }, v: { type: 'integer' } },
            'x-kubernetes-validations': [{ rule: 'self.v >= oldSelf.v', message: 'only up' }],
          },
        },
      },
    }
    const old = {
      list: [
        { id: 'a', v: 1 },
        { id: 'b', v: 5 },
      ],
    }
    const now = {
      list: [
        { id: 'b', v: 4 },
        { id: 'c', v: 0 },
        { id: 'a', v: 2 },
      ],
    }
    expect(validate(schema, now, old).map(({ field, body }) => `${field}: ${body}`)).toEqual([
      'list[0]: Invalid value: only up',
    ])
  })
})
