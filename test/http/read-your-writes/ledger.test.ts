import { describe, expect, it } from 'vitest'
import type { WrittenType } from '../../../http/read-your-writes/expected-write.js'
import { HOST_CLUSTER, LOST_FOR_MS, type WriteLedger } from '../../../http/read-your-writes/ledger.js'
import type { Outcome } from '../../../http/read-your-writes/outcome.js'
import { ann, ben, everywhere, lost, maps, refused, start, update, wrote } from './ledgers.js'

describe('the ledger of one caller', () => {
  it('with many invented types affects no other caller and no other instance', () => {
    const { ledger, write, expects } = start()
    for (let n = 0; n < 20_000; n++) write(ann, { group: 'x', resource: `r${n}` }, update('o'), lost)
    expect(expects(ann, maps)).toBe(true)
    expect(expects(ben, maps)).toBe(false)
    expect(ledger.expectedWrites({ ...ann, instance: 'j' }, maps, everywhere)).toBeUndefined()
  })

  it('expects every type once types were dropped, except those that are checked after that', () => {
    const { ledger, write } = start({ types: 2 })
    const names = ['a', 'b', 'c'].map(resource => ({ group: '', resource }))
    for (const type of names) write(ann, type, update('x'), wrote('x'))
    const [forgotten, kept] = names as [WrittenType, WrittenType]
    const expected = (type: WrittenType) => ledger.expectedWrites(ann, type, everywhere)?.written ?? []
    expect([forgotten, kept, maps].map(type => expected(type).length)).toEqual([1, 2, 1])
    const [write_] = expected(maps)
    if (!write_) throw new Error('nothing is expected')
    const revision = ledger.revisionOf(write_)
    expect(ledger.setMinimumVersion(write_, revision, '200')).toBe(true)
    ledger.markShown(write_, revision)
    expect(expected(maps)).toEqual([])
    expect(ledger.highest(ann, maps)).toBe('200')
    // `b` is forgotten now, but it was written before configmaps were checked.
    write(ann, { group: '', resource: 'd' }, update('x'), wrote('x'))
    expect(expected(maps)).toEqual([])
    // `c`, `d` and `e` were written since, or while nobody looked.
    write(ann, { group: '', resource: 'e' }, update('x'), wrote('x'))
    write(ann, { group: '', resource: 'f' }, update('x'), wrote('x'))
    expect(expected(maps)).toHaveLength(1)
  })

  it('slows no write of another caller, however much it holds', () => {
    const { write, expects } = start({ callers: 100 })
    for (let user = 0; user < 100; user++)
      for (let n = 0; n < 400; n++)
        write(
          { instance: 'i', user: `u${user}` },
          { group: 'x', resource: `r${n % 50}` },
          update(`o${n}`),
          lost,
        )
    // A look at all that is held would take minutes, and this takes a second.
    for (let n = 0; n < 30_000; n++) {
      write(ann, { group: 'y', resource: `r${n}` }, update('o'), lost)
      write({ instance: 'i', user: `v${n}` }, maps, update('o'), lost)
    }
    expect(expects(ben, maps)).toBe(true)
  }, 60_000)

  it('keeps a write in flight', () => {
    const { ledger, expects, write } = start({ types: 1, callers: 1 })
    const pending = ledger.begin(ann, maps, update('x'))
    for (let n = 0; n < 10; n++) write(ann, { group: 'x', resource: `r${n}` }, update('x'), wrote('x'))
    for (let n = 0; n < 10; n++) write({ instance: 'i', user: `u${n}` }, maps, update('y'), wrote('y'))
    expect(ledger.expectedWrites(ann, maps, { namespace: 'a', name: 'x' })?.written).toContainEqual(
      expect.objectContaining({ name: 'x', underWay: 1 }),
    )
    pending.ended(wrote('x', '300'))
    expect(expects(ann, maps, { namespace: 'a', name: 'x' })).toBe(true)
  })
})

describe('among writes to one object', () => {
  const expectation = (ledger: WriteLedger) =>
    ledger.expectedWrites(ann, maps, { namespace: 'a', name: 'x' })?.written[0]?.expected
  const gone: Outcome = { kind: 'wrote', namespace: 'a', name: 'x', expected: { kind: 'gone', uid: 'u' } }

  it('the last one to end counts when none overlap', () => {
    const { ledger, write } = start()
    write(ann, maps, update('x'), wrote('x', '100'))
    write(ann, maps, update('x'), wrote('x', '200'))
    expect(expectation(ledger)).toEqual({ kind: 'present', resourceVersion: '200' })
  })

  it('all count when they overlap, because their order is unknown', () => {
    const { ledger } = start()
    const first = ledger.begin(ann, maps, update('x'))
    const second = ledger.begin(ann, maps, { verb: 'delete', namespace: 'a', name: 'x' })
    second.ended(gone)
    first.ended(wrote('x', '300'))
    expect(expectation(ledger)).toEqual({ kind: 'unknown' })
  })

  it('a later one does not decide while one with a lost answer may still be executed', () => {
    const { ledger, write, pass } = start()
    write(ann, maps, update('x'), lost)
    pass(LOST_FOR_MS - 1)
    write(ann, maps, update('x'), wrote('x', '100'))
    expect(expectation(ledger)).toEqual({ kind: 'unknown' })
    pass(1)
    write(ann, maps, update('x'), wrote('x', '200'))
    expect(expectation(ledger)).toEqual({ kind: 'present', resourceVersion: '200' })
  })

  it('a finding about an earlier one does not apply to a later one', () => {
    const { ledger, write } = start()
    write(ann, maps, update('x'), wrote('x', '100'))
    const [earlier] = ledger.expectedWrites(ann, maps, everywhere)?.written ?? []
    if (!earlier) throw new Error('nothing is expected')
    const revision = ledger.revisionOf(earlier)
    write(ann, maps, update('x'), wrote('x', '200'))
    ledger.markShown(earlier, revision)
    ledger.resolve(earlier, revision, { kind: 'gone', uid: 'u' })
    expect(expectation(ledger)).toEqual({ kind: 'present', resourceVersion: '200' })
  })

  it('each ends once, whatever is reported later', () => {
    const { ledger } = start()
    const write = ledger.begin(ann, maps, update('x'))
    write.ended(wrote('x', '100'))
    write.ended(lost)
    expect(expectation(ledger)).toEqual({ kind: 'present', resourceVersion: '100' })
  })
})

describe('the ledger records nothing', () => {
  it.each([
    ['that was refused', maps, refused],
    ['of a type whose name no API server can serve', { group: '', resource: 'r'.repeat(254) }, lost],
    ['of a group whose name no API server can serve', { group: 'g'.repeat(254), resource: 'r' }, lost],
  ])('%s', (_, type, outcome) => {
    const { write, expects } = start()
    write(ann, type, update('x'), outcome)
    expect(expects(ann, type)).toBe(false)
  })

  it('of an instance that is gone; the host cluster’s writes stay', () => {
    const { ledger, write, expects } = start()
    for (const instance of ['i', 'j', HOST_CLUSTER]) write({ instance, user: 'ann' }, maps, update('x'), lost)
    ledger.keepOnly(instance => instance === 'j')
    const left = ['i', 'j', HOST_CLUSTER].map(instance => expects({ instance, user: 'ann' }, maps))
    expect(left).toEqual([false, true, true])
  })
})

it('an impossible object name counts as all objects of the type', () => {
  const { write, expects } = start()
  write(ann, maps, update('x'.repeat(300)), lost)
  expect(expects(ann, maps, { namespace: 'a', name: 'any' })).toBe(true)
})

it('events of both API groups are the same objects', () => {
  const { write, expects } = start()
  write(ann, { group: 'events.k8s.io', resource: 'events' }, update('x'), wrote('x'))
  expect(expects(ann, { group: '', resource: 'events' })).toBe(true)
  expect(expects(ann, { group: 'other', resource: 'events' })).toBe(false)
})
