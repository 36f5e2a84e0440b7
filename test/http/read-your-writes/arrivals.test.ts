import { describe, expect, it } from 'vitest'
import { Arrivals } from '../../../http/read-your-writes/arrivals.js'
import type { InstanceCaller } from '../../../http/read-your-writes/expected-write.js'
import { WriteLedger } from '../../../http/read-your-writes/ledger.js'

const maps = { group: '', resource: 'configmaps' }
const secrets = { group: '', resource: 'secrets' }
const ann = { instance: 'i', user: 'ann' }

function start() {
  let now = 1_000
  const arrivals = new Arrivals(() => now, 2)
  const ledger = new WriteLedger(() => now)
  const isNew = (party: InstanceCaller, type = maps) => arrivals.expected(party, type) !== undefined
  const see = (party: InstanceCaller, type = maps) => {
    const write = arrivals.expected(party, type)
    if (write) ledger.markShown(write, ledger.revisionOf(write))
  }
  return { isNew, see, pass: (ms: number) => (now += ms) }
}

describe('a caller', () => {
  it('is new to each type of each instance until an index has reached the state of its first read', () => {
    const { isNew, see } = start()
    expect([isNew(ann), isNew(ann)]).toEqual([true, true])
    see(ann)
    expect([isNew(ann), isNew(ann, secrets), isNew({ ...ann, instance: 'j' })]).toEqual([false, true, true])
  })

  it('is new again after an hour without a read, in which it may have used another replica', () => {
    const { isNew, see, pass } = start()
    see(ann)
    for (const _ of [1, 2, 3]) {
      pass(3_599_000)
      expect(isNew(ann)).toBe(false)
    }
    pass(3_600_000)
    expect(isNew(ann)).toBe(true)
  })

  it('is new again when other callers took its place in memory', () => {
    const { isNew, see } = start()
    see(ann)
    see({ ...ann, user: 'ben' })
    expect(isNew(ann)).toBe(false)
    see({ ...ann, user: 'cid' })
    expect([isNew(ann), isNew({ ...ann, user: 'ben' })]).toEqual([false, true])
  })
})
