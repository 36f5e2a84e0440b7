import { describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { AccessLock } from '../../../manifests/access-lock.js'
import { ServiceError } from '../../../ports/service-error.js'
import { waitFor } from '../../patience.js'
import { deferred } from '../fakes/deferred.js'
import { refusal } from '../fakes/host.js'
import type { Listening } from '../fakes/listening.js'
import { ofPage } from './console-under-test.js'
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
  it('is invalid and not renewed at every other replica, and its open calls there end', async () => {
    const world = await start()
    const other = await world.replica()
    sharingLocks(world.api, other)
    await signedIn(world)
    const { cookies } = world.browser
    expect((await asPage(other, cookies, undefined, undefined, world.api)).status).toBe(200)
    const socket = new WebSocket(`${other.running.url.replace('https', 'wss')}/console/socket`, {
      headers: { ...ofPage(world.api), cookie: cookies },
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
    expect((await asPage(other, cookies, undefined, undefined, world.api)).status).toBe(401)
    const refused = await renew({ api: other }, cookies, world.api)
    expect([refused.status, world.issuer.refreshes]).toEqual([401, 0])
  })

  it('that is being renewed meanwhile is not renewed: the new refresh token is revoked', async () => {
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

  it('is answered also when the issuer does not answer and the host refuses the lock', async () => {
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
