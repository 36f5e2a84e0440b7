import { describe, expect, it } from 'vitest'
import { customizationRefusal } from '../../karmada/admission/validate-customization.js'
import { scriptsByKind } from '../../karmada/interpreter/customized/customization.js'
import { withEmptyFields } from '../../karmada/interpreter/customized/empty-fields.js'
import { customizationScenarios } from './customization-scenarios.js'
import { type CustomizedScenario, customizationOf, customized, customizedOutcome } from './customized.js'
import { LUA_SCRIPTS, SUBJECT } from './lua-scripts.js'
import { recordedAnswers, sampled } from './recorded.js'

const reflecting = (script: string): CustomizedScenario => ({
  method: 'status',
  object: SUBJECT,
  customizations: [customizationOf(SUBJECT, { statusReflection: script })],
})
const outcome = (scenario: CustomizedScenario): string => customizedOutcome(scenario, customized(scenario))

it('customizations answer 300 recorded questions as Karmada did', () => {
  expect(sampled(customizationScenarios, 300).map(outcome)).toEqual(recordedAnswers('customizations'))
})

it('scripts compute, print and fail as in Karmada’s Lua', () => {
  expect(LUA_SCRIPTS.map(reflecting).map(outcome)).toEqual(recordedAnswers('lua'))
})

/** A number that is none, found out at its last letter. */
it.each([
  ['blanks', '"x"', '" "'],
  ['digits', '""', '"0"'],
])('a text of many %s is found to be no number in a time that grows with its length', (_, before, letter) => {
  const script = `local s = ${letter} for i = 1, 18 do s = s .. s end local ok = pcall(function() return (${before} .. s .. "x") + 1 end) print(ok)`
  expect(customized(reflecting(script)).problem ?? '').not.toContain('deadline')
})

/** 64 KiB in letters of two bytes. */
const LONG = 'local s = "ä" for i = 1, 15 do s = s .. s end'

describe('a script', () => {
  const problemOf = (script: string) => customized(reflecting(script)).problem

  it.each([
    ['loops', 'while true do end', 'context deadline exceeded'],
    ['catches what ends it', 'while true do pcall(function() while true do end end) end', 'deadline'],
    ['calls itself', 'local function f() return f() end f()', 'context deadline exceeded'],
    ['doubles a string', 'local s = "x" while true do s = s .. s end', 'context deadline exceeded'],
    ['lowers long texts', `${LONG} for i = 1, 100 do s:lower() end`, 'context deadline exceeded'],
    ['raises long texts', `${LONG} for i = 1, 100 do s:upper() end`, 'context deadline exceeded'],
    [
      'reads numbers in long texts',
      `${LONG} for i = 1, 100 do pcall(function() return s + 1 end) end`,
      'deadline',
    ],
    ['converts long texts', `${LONG} for i = 1, 100 do tonumber(s) end`, 'context deadline exceeded'],
    [
      'compares long texts',
      `${LONG} local t = s .. 1 s = s .. 2 while s < t or s ~= t do i = 1 end`,
      'deadline',
    ],
    ['lists long texts', `${LONG} for i = 1, 100 do s:byte(1, -1) end`, 'context deadline exceeded'],
    [
      'formats long texts',
      `${LONG} for i = 1, 100 do string.format("%q", s) end`,
      'context deadline exceeded',
    ],
    ['reverses long texts', `${LONG} for i = 1, 100 do s:reverse() end`, 'context deadline exceeded'],
    ['fills a table', 'local t = {} while true do t[#t + 1] = t end', 'context deadline exceeded'],
    ['makes a gap', 'local t = {} t[60000000] = 1', 'out of memory'],
    [
      'matches for ever',
      'string.find(("a"):upper() .. "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "A.-.-.-.-.-.-.-.-.-.-b")',
      'deadline',
    ],
    ['makes arguments', 'print(unpack({}, 1, 1e8))', 'registry overflow'],
    ['pads', 'local s = string.format("%999999999d", 1) while true do s = s .. s end', 'deadline'],
  ])('that %s ends', (_, statement, why) => {
    expect(problemOf(`function ReflectStatus(o) ${statement} end`)).toContain(why)
  })

  it('that is nested too deeply is refused', () => {
    const script = `function ReflectStatus(o) return ${'('.repeat(100_000)}1${')'.repeat(100_000)} end`
    expect(problemOf(script)).toContain('too many syntax levels')
  })

  it.each(['io', 'debug', 'coroutine', 'channel', 'os.getenv', 'os.execute', 'os.remove'])(
    'has no %s',
    name => {
      expect(
        customized(reflecting(`function ReflectStatus(o) return { found = ${name} ~= nil } end`)),
      ).toEqual({
        enabled: true,
        result: { found: false },
      })
    },
  )

  it('keeps nothing for the next one', () => {
    expect(problemOf('function ReflectStatus(o) kept = 1 string.kept = 1 return {} end')).toBeUndefined()
    const { result } = customized(
      reflecting('function ReflectStatus(o) return { kept = kept, other = string.kept, ok = true } end'),
    )
    expect(result).toEqual({ ok: true })
  })

  it('reaches no object of JavaScript by names that these have', () => {
    const names = ['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty']
    const script = `function ReflectStatus(o) local t = {} return { found = ${names.map(name => `t["${name}"] or o["${name}"] or ("")["${name}"]`).join(' or ')} or "none" } end`
    expect(customized(reflecting(script)).result).toEqual({ found: 'none' })
  })
})

describe('of several customizations for a kind', () => {
  const kind = { apiVersion: 'v1', kind: 'A' }

  it('the first by name counts, and for dependencies all do', () => {
    const scripts = scriptsByKind([
      customizationOf(kind, { retention: 'b', dependencyInterpretation: 'b', replicaRevision: 'b' }, 'b'),
      customizationOf(kind, { retention: 'a', dependencyInterpretation: 'a', replicaRevision: '' }, 'a'),
      customizationOf({ ...kind, kind: 'B' }, { retention: 'c' }, 'c'),
    ]).get('v1 A')
    expect(scripts?.get('Retain')).toEqual(['a'])
    expect(scripts?.get('ReviseReplica')).toEqual(['b'])
    expect(scripts?.get('InterpretDependency')).toEqual(['a', 'b'])
  })

  it('the second with a script for the same operation is refused, but for dependencies', () => {
    const first = customizationOf(kind, { retention: 'x = 1', dependencyInterpretation: 'x = 1' }, 'first')
    const refusal = (scripts: object, other = kind, name = 'second') =>
      customizationRefusal(customizationOf(other, scripts, name), [first])
    expect(refusal({ retention: 'x = 2' })).toBe(
      'conflicting with InterpreterOperation(Retain) of existing ResourceInterpreterCustomization(first)',
    )
    expect(refusal({ dependencyInterpretation: 'x = 2', statusReflection: 'x = 2' })).toBeUndefined()
    expect(refusal({ retention: 'x = 2' }, { ...kind, apiVersion: 'v2' })).toBeUndefined()
    expect(refusal({ retention: 'x = 2' }, kind, 'first')).toBeUndefined()
    expect(refusal({ statusReflection: 'function f(' })).toBe(
      'InterpreterOperation(InterpretStatus) Lua script error: <string> at EOF:   syntax error\n',
    )
  })
})

describe('an empty table of a result', () => {
  const known = { spec: { object: {}, list: [], nested: [{ inner: {} }] } }

  it.each([
    ['is an object where the object was', { spec: { object: [] } }, { spec: { object: {} } }],
    ['is a list where the list was', { spec: { list: [] } }, { spec: { list: [] } }],
    ['is taken away where nothing was', { spec: { other: [], kept: 1 } }, { spec: { kept: 1 } }],
    [
      'is an object at any place of a list',
      { spec: { nested: [1, { inner: [] }] } },
      { spec: { nested: [1, { inner: {} }] } },
    ],
  ])('%s', (_, result, expected) => {
    expect(withEmptyFields(result, [known], true)).toEqual(expected)
  })

  it('is the result itself as it is wanted', () => {
    expect(withEmptyFields([], [known], true)).toEqual({})
    expect(withEmptyFields([], [known], false)).toEqual([])
  })
})
