import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Claim } from '../../../actors/fleet/claim.js'
import { Duplicates } from '../../../actors/fleet/duplicates.js'
import { isFirstClaim } from '../../../actors/fleet/oldest-claims.js'
import { instance } from '../../machines/instance/facts.js'

const created = (name: string, day: number) =>
  instance({ name, creationTimestamp: `2026-01-0${day}T00:00:00Z` })

let reported: Map<string, string | undefined>
let duplicates: Duplicates
const claim = (one: Omit<Claim, 'settled'> & { settled?: boolean }) =>
  duplicates.claim({ settled: true, ...one })
beforeEach(() => {
  reported = new Map()
  duplicates = new Duplicates((name, verdict) => {
    if (verdict === 'undecided') reported.delete(name)
    else reported.set(name, verdict === 'alone' ? undefined : `${verdict.name} by ${verdict.shares}`)
  })
})

describe('two instances of one control plane', () => {
  it.each([
    [
      'by its identity, whatever their endpoints',
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
    ['not while their control planes are unknown', {}, {}, undefined],
  ])('are found %s', (_how, a, b, first) => {
    claim({ instance: created('old', 1), ...a })
    claim({ instance: created('young', 2), ...b })
    expect(reported.get('young')).toBe(first)
    expect(reported.get('old')).toBeUndefined()
  })

  it('are decided for the older one, even if it is observed last', () => {
    claim({ instance: created('young', 2), endpoint: 'https://a' })
    expect(reported.get('young')).toBeUndefined()
    claim({ instance: created('old', 1), endpoint: 'https://a' })
    expect(reported.get('young')).toBe('old by endpoint')
  })

  it('of the same second are decided by name', () => {
    for (const name of ['b', 'a']) claim({ instance: created(name, 1), controlPlaneID: '1' })
    expect([...reported]).toEqual([
      ['b', 'a by control plane'],
      ['a', undefined],
    ])
  })

  it('are compared again when the first is deleted or claims another control plane', () => {
    for (const [name, day] of [
      ['old', 1],
      ['middle', 2],
      ['young', 3],
    ] as const)
      claim({ instance: created(name, day), endpoint: 'https://a' })
    expect(reported.get('young')).toBe('old by endpoint')
    duplicates.withdraw('old')
    // Whether it is alone is known when its own control plane is.
    expect(reported.has('middle')).toBe(false)
    claim({ instance: created('middle', 2), endpoint: 'https://a', controlPlaneID: '1' })
    expect([reported.has('middle'), reported.get('middle')]).toEqual([true, undefined])
    expect(reported.get('young')).toBe('middle by endpoint')
    claim({ instance: created('middle', 2), endpoint: 'https://b', controlPlaneID: '1' })
    claim({ instance: created('young', 3), endpoint: 'https://a', controlPlaneID: '2' })
    expect([reported.has('young'), reported.get('young')]).toEqual([true, undefined])
  })
})

describe('instances that are created at the same time', () => {
  it('wait until the older ones are identified before they count as unique', () => {
    claim({ instance: created('old', 1), settled: false })
    claim({ instance: created('young', 2), controlPlaneID: '1' })
    expect(reported.has('young')).toBe(false)
    claim({ instance: created('old', 1), controlPlaneID: '1' })
    expect(reported.get('young')).toBe('old by control plane')
    expect(reported.get('old')).toBeUndefined()
    expect(reported.has('old')).toBe(true)
  })

  it('do not wait for an older one that is unreachable or deleted', () => {
    for (const [name, day] of [
      ['gone', 1],
      ['unreachable', 2],
    ] as const)
      claim({ instance: created(name, day), settled: false })
    claim({ instance: created('young', 3), controlPlaneID: '1' })
    duplicates.withdraw('gone')
    expect(reported.has('young')).toBe(false)
    claim({ instance: created('unreachable', 2) })
    expect(reported.has('young')).toBe(true)
    expect(reported.get('young')).toBeUndefined()
  })

  it('do not wait again for one that was identified once', () => {
    claim({ instance: created('old', 1), controlPlaneID: '1' })
    claim({ instance: created('old', 1), settled: false })
    claim({ instance: created('young', 2), controlPlaneID: '2' })
    expect(reported.has('young')).toBe(true)
  })

  it('never both own one control plane, for any order of first contact', () => {
    const fleet = fc.array(
      fc.record({ day: fc.integer({ min: 1, max: 3 }), plane: fc.nat(2), turn: fc.nat() }),
      {
        maxLength: 8,
      },
    )
    fc.assert(
      fc.property(fleet, planned => {
        const all = planned.map((plan, index) => ({ ...plan, instance: created(`i${index}`, plan.day) }))
        const alone = new Set<string>()
        const index = new Duplicates((name, verdict) => {
          if (verdict === 'alone') alone.add(name)
          else alone.delete(name)
        })
        const firstOf = (plane: number) =>
          all
            .filter(one => one.plane === plane)
            .reduce((a, b) => (isFirstClaim(a.instance, b.instance) ? a : b))
        for (const { instance } of all) index.claim({ instance, settled: false })
        for (const { instance, plane } of [...all].sort((a, b) => a.turn - b.turn)) {
          index.claim({ instance, controlPlaneID: String(plane), settled: true })
          for (const one of all)
            if (alone.has(one.instance.metadata.name) && one !== firstOf(one.plane))
              throw new Error(`${one.instance.metadata.name} is alone with ${one.plane}`)
        }
        expect([...alone].sort()).toEqual(
          [...new Set(all.map(({ plane }) => firstOf(plane).instance.metadata.name))].sort(),
        )
      }),
    )
  })
})
