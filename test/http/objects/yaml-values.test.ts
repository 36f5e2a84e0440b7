import { expect, it } from 'vitest'
import { hasMoreYamlValues } from '../../../http/objects/yaml-values.js'

it.each([
  ['a mapping', 'a: 1\nb: 2', 3],
  ['a list', '- a\n- b', 3],
  ['a list of mappings', '- a: 1\n- b: 2', 5],
  ['a list in brackets', '[a, b]', 3],
  ['a mapping in brackets', '{a: 1, b: 2}', 3],
  ['a list in brackets in one', '[[a], [b, c]]', 6],
  ['a mapping behind brackets', 'a: {b: 1}\nc: 2', 4],
  ['keys with a question mark', '? a\n: b\n? c\n: d', 5],
])('%s has its values, no more and no fewer', (_, yaml, values) => {
  expect(hasMoreYamlValues(yaml, values - 1)).toBe(true)
  expect(hasMoreYamlValues(yaml, values)).toBe(false)
})
