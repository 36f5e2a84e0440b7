import { describe, expect, it } from 'vitest'
import type { LeaseEvent } from '../../machines/lease-terms.js'
import {
  asleepFor,
  at,
  contested,
  heldBy,
  leading,
  read,
  release,
  replica,
  seen,
  unanswered,
  written,
} from './lease-replica.js'

describe('a leader', () => {
  it.each<[string, LeaseEvent[], string]>([
    ['survives one renewal without an answer', [...leading, at(2000), unanswered(2050)], 'leading.resting'],
    ['tries again after a rest', [...leading, at(2000), unanswered(2050), at(4000)], 'leading.renewing'],
    [
      'tries again at once after a renewal that was slow to fail',
      [...leading, at(2000), unanswered(7000)],
      'leading.renewing',
    ],
    ['looks when its renewal was refused', [...leading, at(2000), contested(2050)], 'leading.looking'],
    [
      'goes on renewing when it was only a label that changed',
      [...leading, at(2000), contested(2050), read(heldBy('me'), 2060)],
      'leading.renewing',
    ],
    [
      'rests when its renewal is refused twice in a row',
      [...leading, at(2000), contested(2050), read(heldBy('me'), 2060), contested(2070)],
      'leading.resting',
    ],
    [
      'survives a look without an answer',
      [...leading, at(2000), contested(2050), unanswered(2060)],
      'leading.resting',
    ],
    ['ignores a watch that lags behind', [...leading, seen(heldBy('before'), 500)], 'leading.resting'],
  ])('%s', (_, events, state) => {
    const me = replica().send(...events)
    expect(me.state).toBe(state)
    expect(me.leadsAt(events.at(-1)!.now)).toBe(true)
  })

  it.each<[string, LeaseEvent[], string]>([
    ['stops when it could not renew until the deadline', [...leading, at(10_000)], 'standby.looking'],
    [
      'stops at the deadline while a renewal is under way',
      [...leading, at(2000), at(10_000)],
      'standby.looking',
    ],
    [
      'stops at the deadline while it looks',
      [...leading, at(2000), contested(2001), at(10_000)],
      'standby.looking',
    ],
    [
      'stops when a renewal succeeded too late to matter',
      [...leading, at(2000), written(12_000)],
      'standby.looking',
    ],
    [
      'stops when its renewal is refused too late to matter, twice in a row',
      [...leading, at(2000), contested(2050), read(heldBy('me'), 2060), contested(12_000)],
      'standby.looking',
    ],
    [
      'stops when another took the lease',
      [...leading, at(2000), contested(2050), read(heldBy('thief'), 2060)],
      'standby.waiting',
    ],
    [
      'takes the lease anew when it was deleted',
      [...leading, at(2000), contested(2050), read('absent', 2060)],
      'acquiring',
    ],
    [
      'stops when the machine slept past the deadline',
      [...leading, asleepFor(9_100, at(900))],
      'standby.looking',
    ],
    [
      'stops when the machine slept during a renewal, whatever the answer',
      [...leading, at(2000), asleepFor(60_000, written(2600))],
      'standby.looking',
    ],
    ['stops at once when it is to leave', [...leading, release(900)], 'releasing'],
    [
      'stops at once when it is to leave during a renewal',
      [...leading, at(2000), release(2100)],
      'releasing',
    ],
  ])('%s', (_, events, state) => {
    const me = replica().send(...events)
    expect(me.state).toBe(state)
    expect(me.leadsAt(events.at(-1)!.now)).toBe(false)
  })

  it('pauses after a read without an answer, counted from the start of the read', () => {
    expect(replica().send(...leading, at(2000), contested(2050), unanswered(2060)).wakeAt).toBe(4050)
  })

  it('does not start a renewal after its deadline', () => {
    expect(
      replica()
        .send(...leading, at(10_000))
        .requested.slice(-2),
    ).toEqual(['no more write', 'read'])
  })

  it('schedules an earlier renewal when a sleep has left it less time', () => {
    expect(replica().send(...leading, asleepFor(9_000, at(500))).wakeAt).toBe(1_000)
  })

  it('survives a short sleep, which counts against its deadline', () => {
    const me = replica().send(...leading, asleepFor(3_000, at(1_000)))
    expect(me.state).toBe('leading.resting')
    expect(me.wakeAt).toBe(2_000)
    expect([me.leadsAt(6_999, 3_000), me.leadsAt(7_000, 3_000)]).toEqual([true, false])
    expect(me.send(asleepFor(3_000, at(2_000))).wakeAt).toBe(7_000)
  })

  it('does not lead past its deadline, by either clock, even before an event arrives', () => {
    const me = replica().send(...leading)
    expect(me.state).toBe('leading.resting')
    expect([me.leadsAt(9_999), me.leadsAt(10_000)]).toEqual([true, false])
    expect([me.leadsAt(10, 9_989), me.leadsAt(10, 9_990)]).toEqual([true, false])
  })

  it('counts its deadline from the start of the renewal, not from its answer', () => {
    const me = replica().send(...leading, at(2000), written(6000))
    expect([me.leadsAt(11_999), me.leadsAt(12_000)]).toEqual([true, false])
  })

  it('aborts a renewal when it stops', () => {
    expect(
      replica()
        .send(...leading, at(2000), at(10_000))
        .requested.slice(-3),
    ).toEqual(['write over me', 'no more write', 'read'])
  })

  it('schedules an event for the time when it must stop', () => {
    expect(replica().send(...leading, at(2000)).wakeAt).toBe(10_000)
  })
})
