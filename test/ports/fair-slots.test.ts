import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairSlots, type Slot } from '../../ports/fair-slots.js'
import { collectGarbage } from '../collect-garbage.js'

/** Takes a slot, and writes its name down when it is granted. */
function taking(slots: FairSlots, granted: string[]) {
  return (name: string, caller: string, instance: string): Slot =>
    slots.take({ caller, instance }, () => void granted.push(name))
}

describe('slots that callers take in turn', () => {
  it('are granted at once while there are some, and one caller or instance has half of them at most', () => {
    const granted: string[] = []
    const take = taking(new FairSlots(4), granted)
    take('a1', 'ann', 'north')
    take('a2', 'ann', 'south')
    take('a3', 'ann', 'west')
    take('b1', 'bob', 'north')
    take('c1', 'carl', 'north')
    expect(granted).toEqual(['a1', 'a2', 'b1'])
    take('c2', 'dora', 'east')
    expect(granted).toEqual(['a1', 'a2', 'b1', 'c2'])
  })

  it('go to another caller before the further requests of one who had a slot', () => {
    const granted: string[] = []
    const take = taking(new FairSlots(4), granted)
    // Ann and Bob have two slots each, so Ann may have another as soon as one of hers is free.
    const held = ['a1', 'a2', 'b1', 'b2'].map(name => take(name, name.startsWith('a') ? 'ann' : 'bob', name))
    for (const name of ['a3', 'a4']) take(name, 'ann', name)
    const c = take('c1', 'carl', 'c1')
    take('c2', 'carl', 'c2')
    held[0]?.release()
    held[1]?.release()
    expect(granted.slice(4)).toEqual(['a3', 'c1'])
    c.release()
    expect(granted.slice(4)).toEqual(['a3', 'c1', 'a4'])
  })

  it('a caller that comes late has its turn before all requests of two that were there before', () => {
    const granted: string[] = []
    const slots = new FairSlots(2)
    const take = taking(slots, granted)
    const [a, b] = [take('a', 'ann', 'i1'), take('b', 'bob', 'i2')]
    const queued = Array.from({ length: 50 }, (_, n) => [
      take(`a${n}`, 'ann', 'i1'),
      take(`b${n}`, 'bob', 'i2'),
    ])
    take('late', 'carl', 'i3')
    a.release()
    b.release()
    expect(granted).toEqual(['a', 'b', 'a0', 'b0'])
    queued[0]?.[0]?.release()
    expect(granted).toEqual(['a', 'b', 'a0', 'b0', 'late'])
  })

  it('may be given back, and others asked for, while they are granted', () => {
    const granted: string[] = []
    const slots = new FairSlots(2)
    const take = taking(slots, granted)
    const [a] = [take('a', 'ann', 'i1'), take('b', 'bob', 'i2')]
    const c = slots.take({ caller: 'carl', instance: 'i3' }, () => {
      take('e', 'eve', 'i5')
      expect(granted).toEqual(['a', 'b'])
      c.release()
    })
    take('d', 'dora', 'i4')
    a.release()
    expect(granted).toEqual(['a', 'b', 'd'])
    expect(slots.load).toEqual({ taken: 2, waiting: 1 })
  })

  it('go to who waits before a caller who gave up and asks again', () => {
    const granted: string[] = []
    const take = taking(new FairSlots(1), granted)
    const first = take('z', 'zoe', 'i')
    const left = take('a1', 'ann', 'i')
    const b = take('b', 'bob', 'i')
    left.release()
    take('a2', 'ann', 'i')
    first.release()
    expect(granted).toEqual(['z', 'b'])
    b.release()
    expect(granted).toEqual(['z', 'b', 'a2'])
  })

  it('keep no name of a caller or an instance that is gone', () => {
    const slots = new FairSlots(1)
    const takeAll = (letter: string) => {
      for (let n = 0; n < 10_000; n += 1) {
        const name = Buffer.alloc(2_000, `${letter}${n}`).toString()
        slots.take({ caller: name, instance: name }, () => undefined).release()
      }
    }
    const held = slots.take({ caller: 'z', instance: 'z' }, () => undefined)
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    takeAll('waited')
    held.release()
    takeAll('had')
    collectGarbage()
    // The names alone have 20 MB for those that waited, and as many for those that had a slot.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000)
    expect(slots.load).toEqual({ taken: 0, waiting: 0 })
  })

  it('are never too many, are all given back, and no caller waits while a slot is free for it or is overtaken without end', () => {
    const step = fc.record({
      do: fc.constantFrom('take', 'take', 'take', 'release', 'leave'),
      caller: fc.constantFrom('a', 'b', 'c', 'd'),
      instance: fc.constantFrom('x', 'y', 'z'),
      which: fc.nat(1_000),
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 120 }), (most, steps) => {
        const slots = new FairSlots(most)
        const share = Math.max(1, Math.floor(most / 2))
        interface One {
          readonly caller: string
          readonly instance: string
          slot: Slot
          overtaken: Map<string, number>
        }
        const waiting = new Set<One>()
        const held = new Set<One>()
        const grant = (one: One) => {
          waiting.delete(one)
          held.add(one)
          // Who waits sees each other caller pass a bounded number of times while it could have had the slot.
          for (const other of waiting)
            if (other.caller !== one.caller && isFirst(other) && isFitting(other, one))
              other.overtaken.set(one.caller, (other.overtaken.get(one.caller) ?? 0) + 1)
        }
        const isFirst = (one: One) => [...waiting].find(({ caller }) => caller === one.caller) === one
        const heldBy = (key: 'caller' | 'instance', name: string, but?: One) =>
          [...held].filter(one => one !== but && one[key] === name).length
        const isFitting = ({ caller, instance }: One, but?: One) =>
          heldBy('caller', caller, but) < share && heldBy('instance', instance, but) < share
        const check = () => {
          expect(held.size).toBeLessThanOrEqual(most)
          expect(slots.load).toEqual({ taken: held.size, waiting: waiting.size })
          for (const one of held) {
            expect(heldBy('caller', one.caller)).toBeLessThanOrEqual(share)
            expect(heldBy('instance', one.instance)).toBeLessThanOrEqual(share)
          }
          for (const one of waiting) {
            if (held.size < most && isFirst(one)) expect(isFitting(one)).toBe(false)
            for (const times of one.overtaken.values()) expect(times).toBeLessThanOrEqual(1)
          }
        }
        const pick = (from: Set<One>, which: number) => [...from][which % Math.max(1, from.size)]
        for (const { do: what, caller, instance, which } of steps) {
          if (what === 'take') {
            const one: One = { caller, instance, slot: { release: () => undefined }, overtaken: new Map() }
            waiting.add(one)
            one.slot = slots.take({ caller, instance }, () => grant(one))
          } else {
            const from = what === 'release' ? held : waiting
            const one = pick(from, which)
            if (!one) continue
            from.delete(one)
            one.slot.release()
            one.slot.release()
          }
          check()
        }
        for (let one = pick(held, 0); one; one = pick(held, 0)) {
          held.delete(one)
          one.slot.release()
          check()
        }
        expect(slots.load).toEqual({ taken: 0, waiting: 0 })
      }),
      { numRuns: 500 },
    )
  })
})
