import { describe, expect, it } from 'vitest'
import type { WrittenType } from '../../../http/read-your-writes/expected-write.js'
import { LOST_FOR_MS, type WriteLedger } from '../../../http/read-your-writes/ledger.js'
import { ann, ben, everywhere, lost, maps, namespaces, remove, start, update, wrote } from './ledgers.js'

it('a lost write of a dropped type may still be executed', () => {
  const { ledger, write, pass } = start({ types: 1 })
  write(ann, maps, update('x'), lost)
  write(ann, namespaces, update('x'), wrote('x'))
  const isOpen = () =>
    ledger.expectedWrites(ann, maps, everywhere)?.written.some(({ notBefore }) => ledger.now() < notBefore)
  expect(isOpen()).toBe(true)
  pass(LOST_FOR_MS)
  expect(isOpen()).toBe(false)
})

describe('a write whose type was dropped', () => {
  const [one, two, three] = ['one', 'two', 'three'].map(resource => ({ group: 'x', resource })) as [
    WrittenType,
    WrittenType,
    WrittenType,
  ]
  const only = (ledger: WriteLedger, type: WrittenType) => {
    const [found, ...more] = ledger.expectedWrites(ann, type, everywhere)?.written ?? []
    if (!found || more.length > 0) throw new Error('not one write is expected')
    return found
  }
  /** Finds out that the index shows all of a type. */
  const check = (ledger: WriteLedger, type: WrittenType) => {
    const found = only(ledger, type)
    const revision = ledger.revisionOf(found)
    ledger.setMinimumVersion(found, revision, '200')
    ledger.markShown(found, revision)
  }

  it('is expected again after a check from before it became impossible', () => {
    const { ledger, write, pass, expects } = start({ types: 1 })
    write(ann, one, update('x'), lost)
    write(ann, two, update('x'), wrote('x'))
    pass(LOST_FOR_MS - 1)
    check(ledger, one)
    expect(expects(ann, one)).toBe(true)
    pass(1)
    check(ledger, one)
    expect(expects(ann, one)).toBe(false)
  })

  it('may still be executed although a later dropped one cannot', () => {
    const { ledger, write } = start({ types: 1 })
    write(ann, one, update('x'), lost)
    for (const type of [two, three]) write(ann, type, update('x'), wrote('x'))
    expect(only(ledger, one).notBefore).toBe(1_000 + LOST_FOR_MS)
  })

  it('is as old as the last dropped one', () => {
    const { ledger, write, pass } = start({ types: 1 })
    write(ann, one, update('x'), wrote('x'))
    pass(500)
    for (const type of [two, three]) write(ann, type, update('x'), wrote('x'))
    expect(only(ledger, one).since).toBe(1_500)
  })

  it('is expected again for a type that was checked before 128 others were read', () => {
    const { ledger, write, expects } = start({ types: 1 })
    for (const type of [one, two]) write(ann, type, update('x'), wrote('x'))
    check(ledger, maps)
    for (let n = 0; n < 127; n++) expects(ann, { group: 'y', resource: `r${n}` })
    expect(expects(ann, maps)).toBe(false)
    for (let n = 0; n < 128; n++) expects(ann, { group: 'y', resource: `r${n}` })
    expect(expects(ann, maps)).toBe(true)
  })
})

describe('the writes of a dropped caller are expected by every caller', () => {
  const ships = { group: 'example.com', resource: 'ships' }
  const boats = { group: 'example.com', resource: 'boats' }

  it('including a namespace deletion: the contents of it and of any other', () => {
    const { ledger, write } = start({ callers: 1 })
    write(ann, namespaces, remove('gone'), wrote('gone'))
    write(ben, maps, update('x'), wrote('x'))
    const { deleted = [] } = ledger.expectedWrites(ben, ships, { namespace: 'gone' }) ?? {}
    expect(deleted.map(({ container }) => container)).toEqual([{ kind: 'namespace' }])
  })

  it('including types that were dropped before, with all else observed', () => {
    const { ledger, write, expects } = start({ callers: 1, types: 1 })
    write(ann, ships, update('x'), wrote('x'))
    write(ann, boats, update('x'), wrote('x'))
    for (const seen of ledger.expectedWrites(ann, boats, everywhere)?.written ?? [])
      if (seen.name === 'x') ledger.markShown(seen, ledger.revisionOf(seen))
    write(ben, maps, update('x'), wrote('x'))
    expect(expects({ instance: 'i', user: 'cid' }, ships)).toBe(true)
  })

  it('as long as the first of the writes may still be executed', () => {
    const { ledger, write } = start({ callers: 1 })
    write(ann, ships, update('x'), lost)
    write(ann, boats, update('x'), wrote('x'))
    write(ben, maps, update('x'), wrote('x'))
    const [expected] = ledger.expectedWrites(ben, ships, everywhere)?.written ?? []
    expect(expected?.notBefore).toBe(1_000 + LOST_FOR_MS)
  })
})

describe('objects that are merged into all objects of their type', () => {
  const remembered = (ledger: WriteLedger) =>
    ledger
      .expectedWrites(ann, maps, everywhere)
      ?.written.map(({ name, minimumVersion }) => [name, minimumVersion])

  it('exclude an object with a write in flight', () => {
    const { ledger, write } = start({ objects: 1 })
    const pending = ledger.begin(ann, maps, update('x'))
    for (const name of ['y', 'z']) write(ann, maps, update(name), wrote(name, '100'))
    pending.ended(wrote('x', '300'))
    expect(remembered(ledger)).toEqual([
      ['x', undefined],
      [undefined, '100'],
    ])
  })

  it('have no known version when one of them was written at an unknown one', () => {
    const { ledger, write } = start({ objects: 1 })
    ledger.begin(ann, maps, { verb: 'deletecollection', namespace: '' }).ended({ kind: 'unread' })
    for (const name of ['x', 'y']) write(ann, maps, update(name), wrote(name, '100'))
    expect(remembered(ledger)).toEqual([[undefined, undefined]])
  })

  it('may still be executed as long as any of them may', () => {
    const { ledger, write } = start({ objects: 1 })
    write(ann, maps, update('x'), lost)
    for (const name of ['y', 'z']) write(ann, maps, update(name), wrote(name, '100'))
    const [all] = ledger.expectedWrites(ann, maps, { namespace: 'other' })?.written ?? []
    expect(all?.notBefore).toBe(1_000 + LOST_FOR_MS)
  })
})
