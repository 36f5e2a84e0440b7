import { describe, expect, it } from 'vitest'
import type { Caller } from '../../../http/identity/caller.js'
import { LockedCallers } from '../../../http/identity/locked-callers.js'
import { Code } from '../../../transcoding/code.js'
import { fakeAccessLocks } from '../fakes/access-locks.js'

const ann: Caller = { user: 'ann', groups: ['dev', 'ops'], extra: {}, credential: { id: 'JTI=seven' } }
const NOON = Date.parse('2026-11-24T12:00:00Z')

/** Locks that the test sets, at noon. */
function locking() {
  const locks = fakeAccessLocks()
  const clock = { now: NOON }
  const locked = new LockedCallers(locks, () => clock.now)
  return { locks, clock, locked }
}

describe('a lock', () => {
  it.each<[object, boolean]>([
    [{ user: 'ann' }, true],
    [{ user: 'bob' }, false],
    [{ group: 'ops' }, true],
    [{ group: 'qa' }, false],
    [{ tokenId: 'seven' }, true],
    [{ tokenId: 'JTI=seven' }, true],
    [{ tokenId: 'eight' }, false],
    [{ instance: 'north' }, true],
    [{ instance: 'south' }, false],
    [{ user: 'ann', group: 'ops', tokenId: 'seven', instance: 'north' }, true],
    [{ user: 'ann', group: 'qa' }, false],
    [{ user: 'bob', group: 'ops' }, false],
    [{ tokenId: 'seven', group: 'qa' }, false],
    [{ user: 'ann', tokenId: 'eight' }, false],
    [{ user: 'ann', instance: 'south' }, false],
  ])('on %j: that it refuses the caller on north is %s', (spec, refuses) => {
    const { locks, locked } = locking()
    locks.lock('l', spec)
    expect(locked.refusal(ann, 'north') !== undefined).toBe(refuses)
  })

  it('on an instance leaves the rest open', () => {
    const { locks, locked } = locking()
    locks.lock('l', { user: 'ann', instance: 'north' })
    expect(locked.refusal(ann)).toBeUndefined()
    expect(locked.refusal(ann, 'south')).toBeUndefined()
  })

  it('refuses with its message, its name and its end', () => {
    const { locks, locked } = locking()
    locks.lock('incident-7', { user: 'ann', message: 'call security', expiresAt: '2026-11-24T12:00:01Z' })
    const failure = locked.refusal(ann)
    expect(failure?.message).toBe(
      'access is locked: call security (AccessLock "incident-7", until 2026-11-24T12:00:01Z)',
    )
    expect([failure?.code, failure?.details.reason]).toEqual([Code.PERMISSION_DENIED, 'AccessLocked'])
    expect(failure?.details.metadata).toEqual({ lock: 'incident-7', expiresAt: '2026-11-24T12:00:01Z' })
  })

  it('is over at its end, and when it is deleted', () => {
    const { locks, locked, clock } = locking()
    locks.lock('a', { user: 'ann', expiresAt: '2026-11-24T12:00:01Z' })
    expect(locked.refusal(ann)).toBeDefined()
    clock.now += 1_000
    expect(locked.refusal(ann)).toBeUndefined()
    locks.lock('b', { user: 'ann' })
    expect(locked.refusal(ann)).toBeDefined()
    locks.unlock('b')
    expect(locked.refusal(ann)).toBeUndefined()
  })

  it.each<[string, object | null]>([
    ['has no spec', null],
    ['names nobody', {}],
    ['has only fields of wrong types', { user: 5, group: ['ops'] }],
  ])('that %s refuses nobody, is reported, and weakens no other', (_, spec) => {
    const { locks, locked } = locking()
    locks.lock('bad', spec as object)
    expect(locked.refusal(ann)).toBeUndefined()
    expect(locks.ignored()).toEqual(['bad'])
    locks.lock('good', { user: 'ann' })
    expect(locked.refusal(ann)).toBeDefined()
  })

  it('with a field that cannot be read refuses more rather than less', () => {
    const { locks, locked } = locking()
    locks.lock('l', { user: 'ann', instance: 5, expiresAt: 'tomorrow' })
    expect(locked.refusal(ann, 'south')).toBeDefined()
  })

  it('refuses everyone until all were read', () => {
    const { locks, locked } = locking()
    locks.synced = false
    expect(locked.refusal(ann)).toMatchObject({ code: Code.UNAVAILABLE })
  })
})

it('the locks of a caller on instances change with each that concerns it', () => {
  const { locks, locked } = locking()
  expect(locked.onInstances(ann)).toEqual([])
  locks.lock('mine', { user: 'ann', instance: 'north' })
  locks.lock('everyones', { instance: 'south' })
  locks.lock('bobs', { user: 'bob', instance: 'north' })
  locks.lock('whole', { user: 'ann' })
  expect(locked.onInstances(ann).map(({ metadata }) => metadata.name)).toEqual(['mine', 'everyones'])
})
