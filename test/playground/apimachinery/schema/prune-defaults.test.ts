import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../playground/apimachinery/json.js'
import { applyDefaults } from '../../../../playground/apimachinery/schema/defaults.js'
import { prune } from '../../../../playground/apimachinery/schema/prune.js'
import type { Schema } from '../../../../playground/apimachinery/schema/schema.js'

const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: { type: 'string', default: 'x' },
        nested: { type: 'object', default: {}, properties: { b: { type: 'integer', default: 1 } } },
        list: {
          type: 'array',
          items: { type: 'object', properties: { c: { type: 'string', default: 'y' } } },
        },
        map: {
          type: 'object',
          additionalProperties: { type: 'object', properties: { d: { type: 'string' } } },
        },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { e: { type: 'object' } },
        },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          properties: { spec: { type: 'object' } },
        },
        maybe: { type: 'string', nullable: true, default: 'z' },
      },
    },
  },
}

describe('pruning', () => {
  it('drops unknown fields, and reports them', () => {
    const object = {
      apiVersion: 'a/v1',
      kind: 'A',
      metadata: { name: 'a', anything: 1 },
      spec: {
        a: 'x',
        zzz: 1,
        nested: { b: 1, foo: 2 },
        list: [{ c: 'y' }, { c: 'y', bar: 1 }],
        map: { one: { d: '', baz: 1 } },
      },
      status: {},
    }
    expect(prune(schema, object)).toEqual({
      object: {
        apiVersion: 'a/v1',
        kind: 'A',
        metadata: { name: 'a', anything: 1 },
        spec: { a: 'x', nested: { b: 1 }, list: [{ c: 'y' }, { c: 'y' }], map: { one: { d: '' } } },
      },
      unknownFields: ['spec.list[1].bar', 'spec.map.one.baz', 'spec.nested.foo', 'spec.zzz', 'status'],
    })
  })

  it('keeps preserved unknown fields, except below specified ones', () => {
    const object = { spec: { free: { anything: { deep: 1 }, e: { gone: 1 } } } }
    expect(prune(schema, object).object).toEqual({ spec: { free: { anything: { deep: 1 }, e: {} } } })
  })

  it('keeps type and metadata of an embedded resource', () => {
    const object = { spec: { template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, data: 1 } } }
    expect(prune(schema, object).object).toEqual({
      spec: { template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } } },
    })
  })

  it('returns the same object when it drops nothing', () => {
    const object = { spec: { a: 'x', list: [{ c: 'y' }] } }
    expect(prune(schema, object).object).toBe(object)
  })

  it('is idempotent, and never changes its input', () => {
    const member = fc.constantFrom('spec', 'a', 'nested', 'list', 'map', 'free', 'e', 'template', 'b', 'zzz')
    const { value } = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.integer(),
        tie('object'),
        fc.array(tie('object'), { maxLength: 3 }),
      ),
      object: fc.dictionary(member, tie('value'), { maxKeys: 4 }),
    }))
    fc.assert(
      fc.property(fc.dictionary(member, value), object => {
        const before = structuredClone(object)
        const once = prune(schema, object as JsonObject)
        expect(prune(schema, once.object)).toEqual({ object: once.object, unknownFields: [] })
        expect(object).toEqual(before)
      }),
    )
  })
})

describe('defaulting', () => {
  it('fills absent fields, also inside defaults, lists and maps', () => {
    expect(applyDefaults(schema, { spec: { list: [{}, { c: 'given' }] } })).toEqual({
      spec: { a: 'x', nested: { b: 1 }, list: [{ c: 'y' }, { c: 'given' }], maybe: 'z' },
    })
  })

  it('replaces a null in a field that is not nullable, and keeps one that is', () => {
    expect(applyDefaults(schema, { spec: { a: null, nested: null, maybe: null, map: null } })).toEqual({
      spec: { a: 'x', nested: { b: 1 }, maybe: null },
    })
  })

  it('does not create parents', () => {
    const object = {}
    expect(applyDefaults(schema, object)).toBe(object)
  })
})
