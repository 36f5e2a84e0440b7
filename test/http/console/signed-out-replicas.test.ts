import { describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { SessionUses } from '../../../http/console/session-uses.js'
import { SignedOutSessions } from '../../../http/console/signed-out-sessions.js'
import type { AccessLock } from '../../../manifests/access-lock.js'
import { ServiceError } from '../../../ports/service-error.js'
import { waitFor } from '../../patience.js'
import { fakeAccessLocks } from '../fakes/access-locks.js'
import { deferred } from '../fakes/deferred.js'
import { refusal } from '../fakes/host.js'
import type { Listening } from '../fakes/listening.js'
import { fakeLog } from '../fakes/log.js'
import { asPage, renew, signedIn, signInWorlds } from './sign-in-worlds.js'

const { start } = signInWorlds()

/** What these replicas write of locks comes to the watch of all of them, as from the host. */
function sharingLocks(...replicas: readonly Listening[]): void {
  for (const { host, fleet } of replicas)
    host.script = ({ method, path, body }) => {
      if (!path.endsWith('/accesslocks') || method !== 'POST') return undefined
      const lock = body as AccessLock
      fleet.accessLocks.lock(lock.metadata.name, lock.spec)
      return lock
    }
}

describe('a session that was signed out of', () => {
  it('counts at no other replica, is renewed at none, and what it has open there ends', async () => {
    const world = await start()
    const other = await world.replica()
    sharingLocks(world.api, other)
    await signedIn(world)
    const { cookies } = world.browser
    expect((await asPage(other, cookies)).status).toBe(200)
    const socket = new WebSocket(`${other.running.url.replace('https', 'wss')}/console/socket`, {
      headers: { 'sec-fetch-site': 'same-origin', origin: other.running.url, cookie: cookies },
      ca: other.running.certificateAuthority,
    })
    const closed = new Promise(resolve => socket.once('close', resolve))
    await new Promise(resolve => socket.once('open', resolve))
    // The issuer does not withdraw it, so that a thief could renew the session for twelve hours.
    vi.spyOn(world.signIn, 'revoke').mockRejectedValue(
      new ServiceError('late', 'no answer', 'ServiceTimeout'),
    )
    expect((await asPage(world.api, cookies, '/console/session', 'DELETE')).status).toBe(204)
    expect(await closed).toBe(1008)
    expect((await asPage(other, cookies)).status).toBe(401)
    const refused = await renew({ api: other }, cookies)
    expect([refused.status, world.issuer.refreshes]).toEqual([401, 0])
  })

  it('that is being renewed meanwhile is renewed for nobody: what the issuer gave is withdrawn', async () => {
    const world = await start()
    await signedIn(world)
    const { cookies } = world.browser
    const asked = deferred<void>()
    const answer = deferred<void>()
    const real = world.signIn.renew.bind(world.signIn)
    vi.spyOn(world.signIn, 'renew').mockImplementation(async (...parameters) => {
      const tokens = await real(...parameters)
      asked.resolve()
      await answer.promise
      return tokens
    })
    const revoke = vi.spyOn(world.signIn, 'revoke')
    const renewed = renew(world, cookies)
    await asked.promise
    expect((await asPage(world.api, cookies, '/console/session', 'DELETE')).status).toBe(204)
    answer.resolve()
    expect((await renewed).status).toBe(401)
    expect(new Set(revoke.mock.calls.map(([, token]) => token)).size).toBe(2)
  })

  it('is answered to its browser although the issuer does not answer and the host refuses the lock', async () => {
    const world = await start()
    await signedIn(world)
    vi.spyOn(world.signIn, 'revoke').mockReturnValue(new Promise(() => undefined))
    world.api.host.script = ({ path }) => {
      if (path.endsWith('/accesslocks')) throw refusal(403, 'Forbidden', 'no')
      return undefined
    }
    const { cookies } = world.browser
    expect((await asPage(world.api, cookies, '/console/session', 'DELETE')).status).toBe(204)
    expect((await asPage(world.api, cookies)).status).toBe(401)
    await waitFor(() =>
      expect(JSON.stringify(world.api.log.lines)).toContain('could not be told of a sign-out'),
    )
  })
})

describe('telling the other replicas', () => {
  const NOON = Date.UTC(2026, 10, 28, 12)
  function telling() {
    const locks = fakeAccessLocks()
    const deleted: string[] = []
    let now = NOON
    const stored = {
      create: async (lock: AccessLock) => {
        locks.lock(lock.metadata.name, lock.spec, lock.metadata.annotations)
        return lock
      },
      delete: async (name: string) => {
        deleted.push(name)
        locks.unlock(name)
      },
    }
    const log = fakeLog()
    const signedOut = new SignedOutSessions({ locks, stored, log, wallClock: () => now })
    const later = (ms: number) => (now = NOON + ms)
    return { locks, deleted, log, signedOut, later }
  }

  it('is remembered by replicas that start later, until the session would have ended', async () => {
    const { signedOut, later } = telling()
    await signedOut.tell({ id: 'one', user: 'ada', until: NOON + 60_000 })
    const [soon, late] = [new SessionUses(), new SessionUses()]
    signedOut.follow(soon)
    later(60_000)
    signedOut.follow(late)
    expect([soon.isEnded('one'), soon.isEnded('other'), late.isEnded('one')]).toEqual([true, false, false])
  })

  it('takes away what is over, and no lock of anybody else', async () => {
    const { locks, deleted, signedOut, later } = telling()
    locks.lock('incident', { tokenId: 'a', expiresAt: new Date(NOON).toISOString() })
    await signedOut.tell({ id: 'one', user: 'ada', until: NOON + 60_000 })
    later(60_000)
    await signedOut.tell({ id: 'two', user: 'ada', until: NOON + 120_000 })
    expect(deleted).toHaveLength(1)
    expect(locks.all().map(({ metadata }) => metadata.name)).toEqual([
      'incident',
      expect.stringMatching(/^console-session-[0-9a-f]{32}$/),
    ])
  })

  it('leaves 64 objects of one user at most, and says so', async () => {
    const { locks, log, signedOut } = telling()
    for (let id = 0; id < 70; id++) await signedOut.tell({ id: `${id}`, user: 'ada', until: NOON + 60_000 })
    await signedOut.tell({ id: 'other', user: 'emil', until: NOON + 60_000 })
    expect(locks.all()).toHaveLength(65)
    expect(JSON.stringify(log.lines)).toContain('other replicas are not told')
  })
})
