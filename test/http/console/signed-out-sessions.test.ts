import { afterEach, describe, expect, it, vi } from 'vitest'
import { SessionUses } from '../../../http/console/session-uses.js'
import { SignedOutSessions } from '../../../http/console/signed-out-sessions.js'
import type { AccessLock } from '../../../manifests/access-lock.js'
import { fakeAccessLocks } from '../fakes/access-locks.js'
import { refusal } from '../fakes/host.js'
import { fakeLog } from '../fakes/log.js'

const NOON = Date.UTC(2026, 10, 28, 12)

/** A host whose locks the watch shows at once. */
function telling() {
  const locks = fakeAccessLocks()
  const deleted: string[] = []
  let now = NOON
  const stored = {
    create: async (lock: AccessLock, _signal: AbortSignal) => {
      locks.lock(lock.metadata.name, lock.spec, lock.metadata.annotations)
      return lock
    },
    delete: async (name: string, _signal: AbortSignal) => {
      deleted.push(name)
      locks.unlock(name)
    },
  }
  const log = fakeLog()
  const signedOut = new SignedOutSessions({ locks, stored, log, wallClock: () => now })
  const later = (ms: number) => (now = NOON + ms)
  const tell = (id: string, user: string, until = NOON + 60_000) => signedOut.publish({ id, user, until })
  return { locks, stored, deleted, log, signedOut, later, tell }
}

describe('publishing a signed-out session to the other replicas', () => {
  it('is seen by replicas that start later, until the session would have expired', async () => {
    const { signedOut, tell, later } = telling()
    await tell('one', 'ada')
    const [soon, late] = [new SessionUses(), new SessionUses()]
    signedOut.follow(soon)
    later(60_000)
    signedOut.follow(late)
    expect([soon.isEnded('one'), soon.isEnded('other'), late.isEnded('one')]).toEqual([true, false, false])
  })

  it('deletes expired locks of sessions, and no other locks', async () => {
    const { locks, deleted, tell, later } = telling()
    locks.lock('incident', { tokenId: 'a', expiresAt: new Date(NOON).toISOString() })
    await tell('one', 'ada')
    later(60_000)
    await tell('two', 'ada', NOON + 120_000)
    expect(deleted).toHaveLength(1)
    expect(locks.all().map(({ metadata }) => metadata.name)).toEqual([
      'incident',
      expect.stringMatching(/^console-session-[0-9a-f]{32}$/),
    ])
  })

  it('deletes at most a hundred, also when another replica was faster', async () => {
    const { locks, stored, deleted, log, tell, later } = telling()
    for (let user = 0; user < 101; user++) await tell('one', `user ${user}`)
    for (let user = 0; user < 101; user++) await tell(`of ${user}`, `user ${user}`)
    later(60_000)
    const { delete: remove } = stored
    stored.delete = async (name, signal) => {
      await remove(name, signal)
      throw refusal(404, 'NotFound', 'it is gone')
    }
    await tell('two', 'ada', NOON + 120_000)
    expect(deleted).toHaveLength(100)
    expect([locks.all().length, log.lines]).toEqual([3, []])
  })

  it('makes at most 64 objects of one user, and logs that', async () => {
    const { locks, log, tell } = telling()
    for (let id = 0; id < 70; id++) await tell(`${id}`, 'ada')
    await tell('other', 'emil')
    expect(locks.all()).toHaveLength(65)
    expect(JSON.stringify(log.lines)).toContain('other replicas are not told')
  })

  it('does not count expired sessions of the user', async () => {
    const { locks, log, tell, later } = telling()
    for (let id = 0; id < 64; id++) await tell(`${id}`, 'ada')
    later(60_000)
    await tell('new', 'ada', NOON + 120_000)
    expect([locks.all().length, log.lines]).toEqual([1, []])
  })

  it('does nothing when another replica published the same session', async () => {
    const { stored, log, tell } = telling()
    stored.create = () => Promise.reject(refusal(409, 'AlreadyExists', 'it is there'))
    await tell('one', 'ada')
    expect(log.lines).toEqual([])
  })

  describe('of which a host does not answer', () => {
    afterEach(() => void vi.useRealTimers())

    it('is aborted after ten seconds, with a log record', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const { stored, log, tell } = telling()
      stored.create = (_lock, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      const told = tell('one', 'ada')
      vi.advanceTimersByTime(9_999)
      await Promise.resolve()
      expect(log.lines).toEqual([])
      vi.advanceTimersByTime(1)
      await told
      expect(JSON.stringify(log.lines)).toContain('could not be told of a sign-out')
    })
  })
})
