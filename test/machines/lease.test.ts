import { describe, expect, it } from 'vitest'
import { holderOf, type LeaseEvent } from '../../machines/lease-terms.js'
import type { Lease } from '../../manifests/lease.js'
import {
  asleepFor,
  at,
  contested,
  following,
  free,
  heldBy,
  leading,
  read,
  release,
  replica,
  returned,
  seen,
  unanswered,
  written,
} from './lease-replica.js'

describe('a replica', () => {
  it.each<[string, LeaseEvent[], string]>([
    ['takes a lease that does not exist', [read('absent', 0)], 'acquiring'],
    ['takes a lease that was given back', [read(free(), 0)], 'acquiring'],
    [
      'takes a lease whose holder is the empty string, as client-go gives one back',
      [read({ ...heldBy('x'), spec: { holderIdentity: '' } }, 0)],
      'acquiring',
    ],
    [
      'takes a lease at once that was given back and then deleted',
      // It had been held for a minute at a time: that counts for nobody any more.
      [
        read({ ...free(), spec: { leaseDurationSeconds: 60 } }, 0),
        ...[seen('absent', 5), contested(10), at(2000), read('absent', 2005)],
      ],
      'acquiring',
    ],
    ['takes a lease that it held under the same name before', [read(heldBy('me'), 0)], 'acquiring'],
    ['waits for a lease that another holds', following, 'standby.waiting'],
    ['leads from the answer to its write', leading, 'leading.resting'],
    ['renews after the retry period', [...leading, at(2000)], 'leading.renewing'],
    ['goes on leading after a renewal', [...leading, at(2000), written(2005)], 'leading.resting'],
    ['takes over when it sees the lease given back', [...following, seen(free(), 700)], 'acquiring'],
    ['gives the lease back', [...leading, release(500)], 'releasing'],
    ['is done when the lease is given back', [...leading, release(500), returned(510)], 'released'],
  ])('%s', (_, events, state) => expect(replica().send(...events).state).toBe(state))

  it('whose machine slept as a follower leads for the full term', () => {
    const slept = 60_000
    const me = replica().send(asleepFor(slept, read('absent', 0)), asleepFor(slept, written(10)))
    expect(me.state).toBe('leading.resting')
    expect([me.leadsAt(9_999, slept), me.leadsAt(10_000, slept)]).toEqual([true, false])
  })

  it('renews over its own last write', () => {
    const [first, second] = [written(10), written(2005)] as { lease: Lease }[]
    const me = replica().send(read('absent', 0), first as never, at(2000), second as never, at(4000))
    expect(me.writtenOver).toEqual([first, second].map(answer => answer?.lease.metadata.resourceVersion))
  })

  it('does not act while its first write is in flight', () => {
    expect(replica().send(read('absent', 0)).leadsAt(1)).toBe(false)
  })

  it('renews every retry period, counted from the start of the last renewal', () => {
    const me = replica().send(...leading)
    expect(me.wakeAt).toBe(2000)
    expect(me.send(at(2000), written(2900)).wakeAt).toBe(4000)
  })
})

describe('a follower', () => {
  it.each<[string, LeaseEvent[], string, number?]>([
    ['does not touch a lease before its time', [...following, at(14_999)], 'standby.waiting', 15_000],
    ['takes over when the lease has not changed for its duration', [...following, at(15_000)], 'acquiring'],
    [
      'counts anew from every renewal it sees',
      [...following, seen(heldBy('other', 1), 14_000), at(28_999)],
      'standby.waiting',
      29_000,
    ],
    [
      'counts any write as a renewal, even one that looks the same',
      [read(heldBy('other'), 0), seen(heldBy('other'), 14_000)],
      'standby.waiting',
      29_000,
    ],
    [
      'does not count what it sees twice',
      ((lease: Lease) => [read(lease, 0), seen(lease, 14_000)])(heldBy('other')),
      'standby.waiting',
      15_000,
    ],
    [
      'waits for the duration that the holder wrote, however it is configured itself',
      [read({ ...heldBy('other'), spec: { holderIdentity: 'other', leaseDurationSeconds: 60 } }, 0)],
      'standby.waiting',
      60_000,
    ],
    [
      'waits for the duration that the holder wrote after the lease vanished, too',
      [
        read({ ...heldBy('other'), spec: { holderIdentity: 'other', leaseDurationSeconds: 60 } }, 0),
        seen('absent', 10_000),
      ],
      'standby.waiting',
      70_000,
    ],
    [
      'counts from when it first saw the lease of one who was faster, also while its own write was under way',
      ((lease: Lease) => [read('absent', 0), seen(lease, 5), contested(10), at(2000), read(lease, 2005)])(
        heldBy('other'),
      ),
      'standby.waiting',
      15_005,
    ],
    [
      'waits for its own duration where the holder wrote none',
      [read({ ...heldBy('other'), spec: { holderIdentity: 'other' } }, 0)],
      'standby.waiting',
      15_000,
    ],
    [
      'reads no time that the holder wrote: a lease renewed in 1970 by another clock is held all the same',
      [read(heldBy('other', 0), 0), at(14_000)],
      'standby.waiting',
      15_000,
    ],
    [
      'keeps away from a lease that vanished while it was held',
      [...following, seen('absent', 10_000), at(24_999)],
      'standby.waiting',
      25_000,
    ],
    [
      'takes a vanished lease when its holder must have stopped',
      [...following, seen('absent', 10_000), at(25_000)],
      'acquiring',
    ],
    [
      'counts a lease that stays away from when it vanished',
      [...following, seen('absent', 10_000), seen('absent', 20_000)],
      'standby.waiting',
      25_000,
    ],
    [
      'does not count a sleep of its own machine as time that passed for the holder',
      [...following, asleepFor(60_000, at(14_000))],
      'standby.waiting',
      15_000,
    ],
    [
      'looks again, after a rest, when another was faster',
      [...following, at(15_000), contested(15_020)],
      'standby.resting',
      17_000,
    ],
    [
      'rests when its write got no answer',
      [...following, at(15_000), unanswered(15_020)],
      'standby.resting',
      17_000,
    ],
    [
      'looks again, after a rest, when no answer came',
      [...following, at(15_000), unanswered(15_020), at(17_000)],
      'standby.looking',
    ],
    [
      'follows the one who was faster',
      [...following, at(15_000), contested(15_020), at(17_000), read(heldBy('third'), 17_005)],
      'standby.waiting',
      32_005,
    ],
    ['rests when it cannot read', [unanswered(5)], 'standby.resting', 2000],
    ['does not rest after a read that took its time to fail', [unanswered(5000)], 'standby.looking'],
    [
      'sees itself as the holder after a lost answer, and takes the lease without waiting',
      [...following, at(15_000), unanswered(20_000), read(heldBy('me'), 20_010)],
      'acquiring',
    ],
    ['leaves at once while it waits', [...following, release(5)], 'released'],
    ['leaves at once while it reads', [release(5)], 'released'],
    ['leaves at once while it rests', [unanswered(5), release(6)], 'released'],
  ])('%s', (_, events, state, wakeAt) => {
    const me = replica().send(...events)
    expect(me.state).toBe(state)
    expect(me.wakeAt).toBe(wakeAt)
    expect(me.leadsAt(events.at(-1)!.now)).toBe(false)
  })

  it('that does not contend never writes, whatever it observes', () => {
    const me = replica({ contend: false }).send(
      read('absent', 0),
      seen(free(), 5),
      seen(heldBy('x'), 6),
      at(1e6),
    )
    expect(me.state).toBe('standby.waiting')
    expect(me.wakeAt).toBeUndefined()
    expect(me.requested).toEqual(['read', 'no more read'])
    expect(holderOf(me.seen)).toBe('x')
  })

  it('writes with the resourceVersion that it observed', () => {
    const me = replica().send(read(heldBy('other'), 0), at(15_000))
    expect(me.requested).toEqual(['read', 'no more read', 'write over other'])
  })
})

describe('a first write', () => {
  it.each<[string, LeaseEvent[], string]>([
    ['that was answered too late is not leadership', [read('absent', 0), written(10_000)], 'standby.looking'],
    [
      'during which the machine slept is not leadership',
      [read('absent', 0), asleepFor(60_000, written(200))],
      'standby.looking',
    ],
    ['that lost the race is not leadership', [read('absent', 0), contested(10)], 'standby.resting'],
    ['without an answer is not leadership', [read('absent', 0), unanswered(5000)], 'standby.looking'],
    [
      'is waited for when leaving, and then given back',
      [read('absent', 0), release(5), written(10)],
      'releasing',
    ],
    [
      'without an answer is given back when leaving, since it may have been executed',
      [read('absent', 0), release(5), unanswered(10)],
      'releasing',
    ],
    [
      'that was refused leaves nothing to give back',
      [read('absent', 0), release(5), contested(10)],
      'released',
    ],
    [
      'is not affected by what the watch shows meanwhile',
      [read('absent', 0), seen(heldBy('other'), 5)],
      'acquiring',
    ],
  ])('%s', (_, events, state) => {
    const me = replica().send(...events)
    expect(me.state).toBe(state)
    expect(me.leadsAt(events.at(-1)!.now)).toBe(false)
  })
})
