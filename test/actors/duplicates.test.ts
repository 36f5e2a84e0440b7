import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Claim, Duplicates, isElder } from '../../actors/duplicates.js'
import { instance } from '../machines/facts.js'

const born = (name: string, day: number) => instance({ name, creationTimestamp: `2026-01-0${day}T00:00:00Z` })

let told: Map<string, string | undefined>
let duplicates: Duplicates
const claim = (one: Omit<Claim, 'settled'> & { settled?: boolean }) =>
  duplicates.claim({ settled: true, ...one })
beforeEach(() => {
  told = new Map()
  duplicates = new Duplicates((name, verdict) => {
    if (verdict === 'undecided') told.delete(name)
    else told.set(name, verdict === 'alone' ? undefined : `${verdict.name} by ${verdict.shares}`)
  })
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
    claim({ instance: born('old', 1), ...first })
    claim({ instance: born('young', 2), ...second })
    expect(told.get('young')).toBe(elder)
    expect(told.get('old')).toBeUndefined()
  })

  it('are decided for the older one, also if it is seen last', () => {
    claim({ instance: born('young', 2), endpoint: 'https://a' })
    expect(told.get('young')).toBeUndefined()
    claim({ instance: born('old', 1), endpoint: 'https://a' })
    expect(told.get('young')).toBe('old by endpoint')
  })

  it('of the same second are decided by name', () => {
    for (const name of ['b', 'a']) claim({ instance: born(name, 1), controlPlaneID: '1' })
    expect([...told]).toEqual([
      ['b', 'a by control plane'],
      ['a', undefined],
    ])
  })

  it('part when the elder goes, or claims something else', () => {
    for (const [name, day] of [
      ['old', 1],
      ['middle', 2],
      ['young', 3],
    ] as const)
      claim({ instance: born(name, day), endpoint: 'https://a' })
    expect(told.get('young')).toBe('old by endpoint')
    duplicates.withdraw('old')
    // Whether it is alone, its own control plane will tell.
    expect(told.has('middle')).toBe(false)
    claim({ instance: born('middle', 2), endpoint: 'https://a', controlPlaneID: '1' })
    expect([told.has('middle'), told.get('middle')]).toEqual([true, undefined])
    expect(told.get('young')).toBe('middle by endpoint')
    claim({ instance: born('middle', 2), endpoint: 'https://b', controlPlaneID: '1' })
    claim({ instance: born('young', 3), endpoint: 'https://a', controlPlaneID: '2' })
    expect([told.has('young'), told.get('young')]).toEqual([true, undefined])
  })
})

describe('instances that are made at the same moment', () => {
  it('wait for the older ones to be known, and only then hear that they are alone', () => {
    claim({ instance: born('old', 1), settled: false })
    claim({ instance: born('young', 2), controlPlaneID: '1' })
    expect(told.has('young')).toBe(false)
    claim({ instance: born('old', 1), controlPlaneID: '1' })
    expect(told.get('young')).toBe('old by control plane')
    expect(told.get('old')).toBeUndefined()
    expect(told.has('old')).toBe(true)
  })

  it('do not wait for an older one that cannot be reached, nor for one that went', () => {
    for (const [name, day] of [
      ['gone', 1],
      ['unreachable', 2],
    ] as const)
      claim({ instance: born(name, day), settled: false })
    claim({ instance: born('young', 3), controlPlaneID: '1' })
    duplicates.withdraw('gone')
    expect(told.has('young')).toBe(false)
    claim({ instance: born('unreachable', 2) })
    expect(told.has('young')).toBe(true)
    expect(told.get('young')).toBeUndefined()
  })

  it('do not wait again for one that was known once', () => {
    claim({ instance: born('old', 1), controlPlaneID: '1' })
    claim({ instance: born('old', 1), settled: false })
    claim({ instance: born('young', 2), controlPlaneID: '2' })
    expect(told.has('young')).toBe(true)
  })

  it('are never both alone with one control plane, in whatever order they are reached', () => {
    const fleet = fc.array(
      fc.record({ day: fc.integer({ min: 1, max: 3 }), plane: fc.nat(2), turn: fc.nat() }),
      {
        maxLength: 8,
      },
    )
    fc.assert(
      fc.property(fleet, planned => {
        const all = planned.map((plan, index) => ({ ...plan, instance: born(`i${index}`, plan.day) }))
        const alone = new Set<string>()
        const index = new Duplicates((name, verdict) => {
          if (verdict === 'alone') alone.add(name)
          else alone.delete(name)
        })
        const eldestOf = (plane: number) =>
          all.filter(one => one.plane === plane).reduce((a, b) => (isElder(a.instance, b.instance) ? a : b))
        for (const { instance } of all) index.claim({ instance, settled: false })
        for (const { instance, plane } of [...all].sort((a, b) => a.turn - b.turn)) {
          index.claim({ instance, controlPlaneID: String(plane), settled: true })
          for (const one of all)
            if (alone.has(one.instance.metadata.name) && one !== eldestOf(one.plane))
              throw new Error(`${one.instance.metadata.name} is alone with ${one.plane}`)
        }
        expect([...alone].sort()).toEqual(
          [...new Set(all.map(({ plane }) => eldestOf(plane).instance.metadata.name))].sort(),
        )
      }),
    )
  })
})
