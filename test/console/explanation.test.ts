import { expect, it } from 'vitest'
import { freshnessOf } from '../../console/instance/explanation.js'

const read = { data: {}, error: null, dataUpdatedAt: 10 }
const failed = new Error('not now')

it.each([
  ['nothing is read yet', { ...read, data: undefined }, 'beginning', { state: 'loading', since: 20 }],
  [
    'nothing could be read',
    { ...read, data: undefined, error: failed },
    'live',
    { state: 'loading', problem: failed },
  ],
  ['it is not known yet whether changes are heard of', read, 'beginning', { state: 'loading' }],
  ['changes are heard of', read, 'live', { state: 'live' }],
  // It was right until then.
  ['changes are heard of no more', read, 'broken', { state: 'stale', since: 20 }],
  [
    'a change could not be read',
    { ...read, error: failed },
    'live',
    { state: 'stale', since: 10, problem: failed },
  ],
] as const)('the freshness of an overview is right when %s', (_, query, state, expected) => {
  expect(freshnessOf(query, { state, since: 20 })).toMatchObject(expected)
})
