import { expect, it } from 'vitest'
import { fleetSource } from '../../console/fleet/fleet-source.js'
import { directionOf, isSort, sortAfterClick, sortRequest } from '../../console/tables/sort.js'
import { SortBy, SortDir } from '../../proto/gen/kairship/types_pb.js'

it.each([
  ['name', true],
  ['-state', true],
  ['--state', false],
  ['colour', false],
  ['toString', false],
  ['', false],
  [undefined, false],
])('an address has a sort: %j is one: %j', (value, expected) => expect(isSort(value)).toBe(expected))

it('a click on a column sorts it ascending, then descending, then not; another column begins ascending', () => {
  expect(sortAfterClick(undefined, 'name')).toBe('name')
  expect(sortAfterClick('name', 'name')).toBe('-name')
  expect(sortAfterClick('-name', 'name')).toBeUndefined()
  expect(sortAfterClick('-name', 'state')).toBe('state')
})

it.each([
  [undefined, 'none', undefined],
  ['state', 'ascending', { sortBy: SortBy.state, sortDir: SortDir.asc }],
  ['-state', 'descending', { sortBy: SortBy.state, sortDir: SortDir.desc }],
  ['name', 'none', { sortBy: SortBy.field_name, sortDir: SortDir.asc }],
] as const)('the sort %j marks the column of states as %s and requests %j', (sort, direction, request) => {
  expect(directionOf(sort, 'state')).toBe(direction)
  expect(sortRequest(sort)).toEqual(request)
})

it.each([
  [undefined, true],
  ['-name', true],
  ['state', false],
  ['-state', false],
] as const)('instances sorted by %j keep their places when they change: %j', (sort, expected) => {
  expect(fleetSource({ name: '', needsAttention: false }, sort).isStable).toBe(expected)
})
