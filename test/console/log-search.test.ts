import { expect, it } from 'vitest'
import { logSearch, TAIL } from '../../console/logs/log-search.js'

it.each<[string, Record<string, unknown>, object]>([
  ['all lines', { tail: 0 }, { tail: 0 }],
  ['a number of lines', { tail: 1_000 }, { tail: 1_000 }],
  ['the usual number, which needs no word', { tail: TAIL }, {}],
  ['a number that is none', { tail: -1 }, {}],
  ['half a line', { tail: 1.5 }, {}],
  ['a text for a number', { tail: '5' }, {}],
  [
    'texts',
    { cluster: 'north', container: 'web', find: 'error' },
    { cluster: 'north', container: 'web', find: 'error' },
  ],
  ['empty texts, and others than texts', { cluster: '', container: 3, find: null }, {}],
  ['switches', { only: true, previous: true, follow: false }, { only: true, previous: true, follow: false }],
  ['switches that are as usual', { only: false, previous: 'true', follow: true }, {}],
])('the address of a log has %s', (_, search, expected) => {
  expect(logSearch(search)).toEqual(expected)
})
