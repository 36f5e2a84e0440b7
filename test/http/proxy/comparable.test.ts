import { expect, it } from 'vitest'
import { comparable } from './comparable.js'

const yaml = (...managers: string[]) =>
  `metadata:\n  managedFields:\n${managers.map(name => `  - apiVersion: v1\n    fieldsV1:\n      f:a: {}\n    manager: ${name}\n`).join('')}  name: settings\n`
const json = (...managers: string[]) =>
  JSON.stringify(
    {
      metadata: {
        managedFields: managers.map(manager => ({ fieldsV1: { 'f:a': {} }, manager })),
        name: 'settings',
      },
    },
    null,
    4,
  )

it.each([
  ['yaml', yaml],
  ['json', json],
])('two %s outputs compare as equal in any order of managers', (_form, print) => {
  expect(comparable(print('edit', 'annotate', 'patch'))).toBe(comparable(print('annotate', 'patch', 'edit')))
})

it.each([
  ['yaml', yaml],
  ['json', json],
])('two %s outputs with different managers compare as different', (_form, print) => {
  expect(comparable(print('edit', 'annotate'))).not.toBe(comparable(print('edit', 'patch')))
  expect(comparable(print('edit', 'edit'))).not.toBe(comparable(print('edit')))
})
