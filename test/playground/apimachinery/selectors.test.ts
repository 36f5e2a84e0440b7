import { describe, expect, it } from 'vitest'
import { SelectorError } from '../../../manifests/label-selector.js'
import {
  checkFieldSelector,
  exactValue,
  parseFieldSelector,
} from '../../../playground/apimachinery/field-selector.js'
import { parseLabelSelector, selectorFromObject } from '../../../playground/apimachinery/label-selector.js'

describe('a label selector', () => {
  const labels = { app: 'web', tier: '', 'example.com/zone': 'a', count: '3' }
  it.each([
    ['', true],
    ['  ', true],
    ['app=web', true],
    ['app==web', true],
    ['app = web', true],
    ['app!=web', false],
    ['missing!=web', true],
    ['app in (api, web)', true],
    ['app in (api)', false],
    ['app notin (api)', true],
    ['app notin (web,api)', false],
    ['missing notin (web)', true],
    ['app', true],
    ['!app', false],
    ['! missing', true],
    ['tier=', true],
    ['tier in (,x)', true],
    ['tier in ()', true],
    ['app in ()', false],
    ['example.com/zone=a,app', true],
    ['example.com/zone=a,app=x', false],
    ['count>2', true],
    ['count<3', false],
    ['app>2', false],
    ['in in (in,notin)', false],
    ['constructor', false],
  ])('%j selects: %s', (text, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected)
  })

  it.each([
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a==(', "unable to parse requirement: found '(', expected: identifier"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    [
      'a>b',
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      'x/y/z=a',
      `unable to parse requirement: <nil>: Invalid value: "x/y/z": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
    [
      `a=${'x'.repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`,
    ],
  ])('%j is refused with Kubernetes’ message', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new SelectorError(message))
  })

  it('made from an object combines matchLabels and matchExpressions', () => {
    const selector = selectorFromObject({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'zone', operator: 'In', values: ['a', 'b'] },
        { key: 'old', operator: 'DoesNotExist' },
      ],
    })
    expect(selector.matches({ app: 'web', zone: 'b' })).toBe(true)
    expect(selector.matches({ app: 'web', zone: 'c' })).toBe(false)
    expect(selector.matches({ app: 'web', zone: 'a', old: '' })).toBe(false)
  })

  it('that is absent selects nothing, and an empty one selects everything', () => {
    expect(selectorFromObject(undefined).matches({})).toBe(false)
    expect(selectorFromObject({}).matches({})).toBe(true)
  })
})

describe('a field selector', () => {
  it.each([
    ['', {}, true],
    ['metadata.name=a', { 'metadata.name': 'a' }, true],
    ['metadata.name==a', { 'metadata.name': 'a' }, true],
    ['metadata.name!=a', { 'metadata.name': 'a' }, false],
    ['spec.nodeName=', {}, true],
    ['spec.nodeName!=', {}, false],
    ['a=x\\,y,b=1', { a: 'x,y', b: '1' }, true],
    ['a=x\\=\\\\', { a: 'x=\\' }, true],
  ])('%j on %j: %s', (text, fields, expected) => {
    expect(parseFieldSelector(text).matches(fields as unknown as Record<string, string>)).toBe(expected)
  })

  it.each([
    ['name', "invalid selector: 'name'; can't understand 'name'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=b\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('%j is refused with Kubernetes’ message', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message))
  })

  it('is refused when the type does not support the field', () => {
    const selector = parseFieldSelector('spec.x=1')
    expect(() => checkFieldSelector(selector, new Set(['spec.y']))).toThrow(
      'field label not supported: spec.x',
    )
    expect(() => checkFieldSelector(selector, undefined)).toThrow(
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    )
    expect(() => checkFieldSelector(selector, new Set(['spec.x']))).not.toThrow()
  })

  it('reports the one name that it requires', () => {
    expect(exactValue(parseFieldSelector('metadata.name=a'), 'metadata.name')).toBe('a')
    expect(exactValue(parseFieldSelector('metadata.name!=a'), 'metadata.name')).toBeUndefined()
  })
})
