import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { yamlOf } from '../../../cli/print/yaml.js'

it.each([
  'yes',
  'n',
  'on',
  '012',
  '1_000',
  '12:30:45',
  '2020-01-01',
  '~',
  'null',
  '',
  ' \n',
  '\n',
  ' a\n',
  'a: b # c',
])('prints the text %j so that YAML 1.1, which kubectl reads, has the same text', text => {
  expect(parse(yamlOf({ data: { [text]: text } }), { version: '1.1' })).toEqual({ data: { [text]: text } })
})

it('prints lists at the level of their key, each line whole, and an object that stands twice twice', () => {
  const labels = { app: 'web' }
  const long = 'word '.repeat(40).trim()
  expect(yamlOf({ items: [{ labels }, { labels }], long })).toBe(
    `items:\n- labels:\n    app: web\n- labels:\n    app: web\nlong: ${long}\n`,
  )
})

it('leaves out what is undefined', () => {
  expect(yamlOf({ name: 'web', labels: undefined })).toBe('name: web\n')
})
