import { describe, expect, it } from 'vitest'
import { rehearsalSearch } from '../../console/rehearse/rehearsal-search.js'

describe('the address of a rehearsal', () => {
  it.each<[string, Record<string, unknown>, object]>([
    [
      'clusters and a taint',
      { clusters: ['north'], key: 'fire', value: 'big', effect: 'NoSchedule' },
      { clusters: ['north'], key: 'fire', value: 'big', effect: 'NoSchedule' },
    ],
    [
      'what is usual, which is left out',
      { clusters: ['north'], key: 'kairship.io/rehearsal', effect: 'NoExecute' },
      { clusters: ['north'] },
    ],
    ['what no rehearsal has', { clusters: 'north', key: 7, effect: 'Explode', namespace: '' }, {}],
    ['a list with other things', { clusters: ['north', 7, null] }, { clusters: ['north'] }],
  ])('is read with %s', (_, search, thought) => expect(rehearsalSearch(search)).toEqual(thought))
})
