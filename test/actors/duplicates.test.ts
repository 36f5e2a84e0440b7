import { beforeEach, describe, expect, it } from 'vitest'
import { Duplicates } from '../../actors/duplicates.js'
import { instance } from '../machines/facts.js'

const born = (name: string, day: number) => instance({ name, creationTimestamp: `2026-01-0${day}T00:00:00Z` })

let told: Map<string, string | undefined>
let duplicates: Duplicates
beforeEach(() => {
  told = new Map()
  duplicates = new Duplicates((name, elder) => told.set(name, elder && `${elder.name} by ${elder.shares}`))
})

describe('two instances of one control plane', () => {
  it.each([
    [
      'by its identity, whatever they call it',
      { endpoint: 'https://a', controlPlaneID: '1' },
      { endpoint: 'https://b', controlPlaneID: '1' },
      'old by control plane',
    ],
    [
      'by its address, before it was reached',
      { endpoint: 'https://a' },
      { endpoint: 'https://a' },
      'old by endpoint',
    ],
    [
      'not at all when neither is the same',
      { endpoint: 'https://a', controlPlaneID: '1' },
      { endpoint: 'https://b', controlPlaneID: '2' },
      undefined,
    ],
    ['not while nothing is known of them', {}, {}, undefined],
  ])('are found %s', (_how, first, second, elder) => {
    duplicates.claim({ instance: born('old', 1), ...first })
    duplicates.claim({ instance: born('young', 2), ...second })
    expect(told.get('young')).toBe(elder)
    expect(told.get('old')).toBeUndefined()
  })

  it('are decided for the older one, also if it is seen last', () => {
    duplicates.claim({ instance: born('young', 2), endpoint: 'https://a' })
    expect(told.get('young')).toBeUndefined()
    duplicates.claim({ instance: born('old', 1), endpoint: 'https://a' })
    expect(told.get('young')).toBe('old by endpoint')
  })

  it('of the same second are decided by name', () => {
    for (const name of ['b', 'a']) duplicates.claim({ instance: born(name, 1), endpoint: 'https://a' })
    expect([...told]).toEqual([
      ['b', 'a by endpoint'],
      ['a', undefined],
    ])
  })

  it('part when the elder goes, or claims something else', () => {
    for (const [name, day] of [
      ['old', 1],
      ['middle', 2],
      ['young', 3],
    ] as const)
      duplicates.claim({ instance: born(name, day), endpoint: 'https://a' })
    expect(told.get('young')).toBe('old by endpoint')
    duplicates.withdraw('old')
    expect(told.get('middle')).toBeUndefined()
    expect(told.get('young')).toBe('middle by endpoint')
    duplicates.claim({ instance: born('middle', 2), endpoint: 'https://b' })
    expect(told.get('young')).toBeUndefined()
  })
})
