import { expect, it } from 'vitest'
import { labelSelector } from '../../../cli/arguments/label-selector.js'
import { CommandError } from '../../../cli/exit-code.js'

const labels = { env: 'prod', 'example.com/tier': 'front', empty: '' }

it.each<[string, boolean]>([
  ['', true],
  ['env=prod', true],
  ['env==prod', true],
  ['env=test', false],
  ['env!=test', true],
  ['env!=prod', false],
  ['missing!=x', true],
  ['env', true],
  ['!env', false],
  ['!missing', true],
  ['empty=', true],
  ['env in (test, prod)', true],
  ['env in (test)', false],
  ['missing in (test)', false],
  ['env notin (test)', true],
  ['missing notin (test)', true],
  ['env notin (prod)', false],
  ['example.com/tier=front,env in (prod,test)', true],
  ['example.com/tier=front,env in (test,dev)', false],
])('%s matches: %s', (selector, matches) => expect(labelSelector(selector)(labels)).toBe(matches))

it.each(['=x', 'a=b c', 'env in prod', 'env in (a', 'a>1', '!'])('refuses %s', selector => {
  expect(() => labelSelector(selector)).toThrow(CommandError)
})
