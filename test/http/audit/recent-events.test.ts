import { describe, expect, it } from 'vitest'
import { recentEventOf } from '../../../http/audit/recent-event.js'
import { RecentEvents } from '../../../http/audit/recent-events.js'
import { Code } from '../../../transcoding/code.js'
import { recentEvent } from './recent-event.js'

const DAY = 24 * 60 * 60 * 1_000
const START = Date.UTC(2026, 10, 23)

/** Recent events whose clock the test sets. */
function atTime(most = 10) {
  const clock = { now: START }
  const events = new RecentEvents({ most, now: () => clock.now, isInstance: () => true })
  const keep = (id: string, more: Partial<ReturnType<typeof recentEvent>> = {}) =>
    events.keep(recentEvent({ id, endedAt: clock.now, ...more }))
  return { clock, events, keep, ids: () => events.after(0).map(({ event }) => event.id) }
}

describe('recent audit events', () => {
  it('have places that grow, also within a millisecond and when the clock goes back', () => {
    const { clock, events, keep } = atTime()
    keep('a')
    keep('b')
    clock.now -= 60_000
    keep('c')
    const places = events.after(0).map(({ place }) => place)
    expect(places).toEqual([START * 1_000 + 1, START * 1_000 + 2, START * 1_000 + 3])
    clock.now += 120_000
    keep('d')
    expect(events.after(0).at(-1)?.place).toBe(clock.now * 1_000)
  })

  it('are read after a place, as many as are asked for', () => {
    const { events, keep } = atTime()
    for (const id of ['a', 'b', 'c', 'd']) keep(id)
    const [, second] = events.after(0)
    expect(events.after(second!.place).map(({ event }) => event.id)).toEqual(['c', 'd'])
    expect(events.after(second!.place, 1).map(({ event }) => event.id)).toEqual(['c'])
    expect(events.after(events.after(0).at(-1)!.place)).toEqual([])
  })

  it('are forgotten after a day, and say since when they are complete', () => {
    const { clock, events, keep, ids } = atTime()
    expect(events.forgotten).toBe(START * 1_000)
    keep('a')
    const [{ place } = { place: 0 }] = events.after(0)
    clock.now += DAY
    keep('b')
    expect(ids()).toEqual(['a', 'b'])
    expect(events.forgotten).toBe(START * 1_000)
    clock.now += 1
    expect(ids()).toEqual(['b'])
    expect(events.forgotten).toBe(place)
    const [{ place: next } = { place: 0 }] = events.after(0)
    clock.now += DAY
    expect(events.forgotten).toBe(next)
  })

  it('that are older than a day go before newer ones make room', () => {
    const { clock, keep, ids } = atTime(2)
    keep('a', { user: 'ann' })
    clock.now += DAY + 1
    keep('b1', { user: 'bob' })
    keep('b2', { user: 'bob' })
    expect(ids()).toEqual(['b1', 'b2'])
  })

  it('are complete since no earlier time when older ones of others go after newer ones', () => {
    const { clock, events, keep, ids } = atTime(2)
    keep('a', { user: 'ann' })
    clock.now += 1_000
    for (const id of ['f1', 'f2', 'f3']) keep(id, { user: 'flood' })
    const complete = events.forgotten
    clock.now += DAY - 500
    expect(ids()).toEqual(['f3'])
    expect(events.forgotten).toBe(complete)
  })

  it('of a caller who floods make room by those of that caller', () => {
    const { events, keep, ids } = atTime(6)
    keep('a1', { user: 'ann' })
    keep('b1', { user: 'bob' })
    keep('a2', { user: 'ann' })
    for (let flood = 1; flood <= 9; flood++) keep(`f${flood}`, { user: 'flood' })
    expect(ids()).toEqual(['a1', 'b1', 'a2', 'f7', 'f8', 'f9'])
    expect(events.forgotten).toBeLessThan(events.after(0)[3]!.place)
    expect(events.forgotten).toBeGreaterThan(events.after(0)[2]!.place)
  })

  it('take 16 million characters at most, however long the names are that callers gave', () => {
    const { events, keep, ids } = atTime(10_000)
    const MEBI = 2 ** 20
    for (let index = 0; index < 16; index++) keep(`e${index}`, { name: 'x'.repeat(MEBI) })
    expect(ids()).toEqual(Array.from({ length: 15 }, (_, index) => `e${index + 1}`))
    expect(events.after(0)[0]?.event.name).toHaveLength(MEBI)
  })

  it('of a caller who floods with long names make room by those of that caller, however many others have', () => {
    const { events, keep } = atTime(10_000)
    for (let index = 0; index < 1_000; index++) keep(`a${index}`, { user: 'ann' })
    for (let flood = 0; flood < 300; flood++) keep(`f${flood}`, { user: 'flood', name: 'x'.repeat(2 ** 16) })
    const kept = events.after(0).map(({ event }) => event.user)
    expect(kept.filter(user => user === 'ann')).toHaveLength(1_000)
    expect(kept.at(-1)).toBe('flood')
  })

  it('have no place at a time that was given to a reader as passed', () => {
    const { clock, events, keep } = atTime()
    keep('a')
    const passed = events.passed()
    keep('b')
    clock.now -= 60_000
    keep('c')
    expect(events.after(passed).map(({ event }) => event.id)).toEqual(['b', 'c'])
    expect(events.after(events.passed())).toEqual([])
  })

  it('do not wake a reader by the places that others were given', async () => {
    const { events, keep } = atTime()
    keep('a')
    const { place } = events.after(0)[0]!
    events.passed()
    const gone = new AbortController()
    const waiting = events.untilAfter(place, gone.signal)
    gone.abort(new Error('hung up'))
    await expect(waiting).rejects.toThrow('hung up')
  })

  it('tell those who wait for the next one, and no others', async () => {
    const { events, keep } = atTime()
    keep('a')
    const { place } = events.after(0)[0]!
    const { signal } = new AbortController()
    await events.untilAfter(place - 1, signal)
    let told = false
    const waiting = events.untilAfter(place + 1, signal).then(() => {
      told = true
    })
    keep('b')
    await new Promise(setImmediate)
    expect([told, events.after(place).length]).toEqual([false, 1])
    keep('c')
    await waiting
    const gone = new AbortController()
    const leaving = events.untilAfter(events.after(0).at(-1)!.place, gone.signal)
    gone.abort(new Error('hung up'))
    await expect(leaving).rejects.toThrow('hung up')
  })
})

describe('what is kept of a record', () => {
  const record = {
    ...({ requestId: 'r', wire: 'rest', operation: 'Apps_DeleteDeployment', uri: '/x' } as const),
    ...{ durationMs: 1.4, endedAt: START + 0.5, code: Code.PERMISSION_DENIED },
  }

  it('is the object inside the instance, where there is one', () => {
    const target = {
      ...{ instance: 'north', cluster: 'm1', verb: 'delete', group: 'apps', version: 'v1' },
      ...{ resource: 'deployments', subresource: 'scale', namespace: 'shop', name: 'web' },
    }
    const caller = { user: 'ann', groups: ['g'], extra: {} }
    const action = { verb: 'delete', resource: 'instances/proxy', name: 'north' }
    const more = { remote: '127.0.0.1', userAgent: 'kubectl', status: 403 }
    expect(recentEventOf({ ...record, caller, action, target, ...more })).toEqual({
      actingAs: '',
      ...{ id: 'r', stage: 'ResponseComplete', endedAt: START, durationMs: 1, user: 'ann', wire: 'rest' },
      ...{ operation: 'Apps_DeleteDeployment', verb: 'delete', instance: 'north', cluster: 'm1' },
      ...{ apiGroup: 'apps', apiVersion: 'v1', resource: 'deployments', subresource: 'scale' },
      ...{ namespace: 'shop', name: 'web', outcome: 'denied', code: 'PERMISSION_DENIED' },
      ...{ ...more, message: '' },
    })
  })

  it('is in whose name the request was made', () => {
    const [caller, actsAs] = ['ann', 'eve'].map(user => ({ user, groups: [], extra: {} }))
    expect(recentEventOf({ ...record, caller: caller!, actsAs: actsAs! })).toMatchObject({
      ...{ user: 'ann', actingAs: 'eve' },
    })
  })

  it('is the instance of what was authorized on the host, and nothing where nothing was', () => {
    const action = { verb: 'create', resource: 'instances/kubeconfig', name: 'north' }
    expect(recentEventOf({ ...record, action })).toMatchObject({
      ...{ verb: 'create', instance: 'north', cluster: '', name: 'north', user: 'system:anonymous' },
      ...{ resource: 'instances', subresource: 'kubeconfig', apiGroup: 'kairship.io' },
    })
    expect(recentEventOf(record)).toMatchObject({ verb: '', instance: '', resource: '', status: 403 })
    const workspaces = { verb: 'list', resource: 'workspaces' }
    expect(recentEventOf({ ...record, action: workspaces })).toMatchObject({ instance: '', name: '' })
  })
})
