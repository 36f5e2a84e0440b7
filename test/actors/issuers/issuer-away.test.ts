import { describe, expect, it } from 'vitest'
import { deferred } from '../../http/fakes/deferred.js'
import { json } from '../kube/scripted-server.js'
import { issuerUnderTest, METADATA, REDIRECT, signal } from './issuer-under-test.js'

const world = issuerUnderTest()
const { metadata, place, idToken, begun, finished, asked } = world

describe('an issuer that does not answer', () => {
  it('one person holds up no others', async () => {
    world.nonce = undefined
    const asking = deferred<void>()
    const never = new Promise<never>(() => undefined)
    world.tokens = async form => {
      if (form.get('refresh_token') !== 'slow') return { id_token: await idToken() }
      asking.resolve()
      return never
    }
    const gone = new AbortController()
    const slow = world.signIn.renew(place(), 'slow', gone.signal)
    slow.catch(() => undefined)
    await asking.promise
    expect(await world.signIn.renew(place(), 'quick', signal)).toMatchObject({
      idToken: expect.stringMatching(/^ey/),
    })
    gone.abort(new Error('the test is over'))
  })

  it('is said to be unreachable, not to refuse', async () => {
    await begun()
    world.script = ({ url }, response) => {
      if (url === '/token') response.destroy()
      return url === '/token'
    }
    await expect(finished()).rejects.toMatchObject({ kind: 'unavailable', reason: 'ServiceUnreachable' })
  })

  it('is asked no longer for a caller who has gone: what it answers late is not taken', async () => {
    world.nonce = undefined
    const { asking, answered } = world.answerSlowly()
    const gone = new AbortController()
    const reason = new Error('the caller has gone')
    const slow = expect(world.signIn.renew(place(), 'slow', gone.signal)).rejects.toBe(reason)
    await asking.promise
    gone.abort(reason)
    await world.signIn.renew(place(), 'quick', signal)
    answered.resolve()
    await slow
  })

  it('is asked on for those who wait for its metadata with one who has gone', async () => {
    const [asking, answered] = [deferred<void>(), deferred<void>()]
    world.script = ({ url }, response) => {
      if (url !== METADATA) return false
      asking.resolve()
      void answered.promise.then(() => json(response, 200, metadata()))
      return true
    }
    const gone = new AbortController()
    const reason = new Error('the caller has gone')
    const left = expect(world.signIn.begin(place(), REDIRECT, gone.signal)).rejects.toBe(reason)
    await asking.promise
    const stays = world.signIn.begin(place(), REDIRECT, signal)
    gone.abort(reason)
    await left
    answered.resolve()
    expect((await stays).url).toContain(`${world.issuer.url}/authorize`)
    expect(asked(METADATA)).toHaveLength(1)
  })

  it('is not blamed for a caller who has gone', async () => {
    const gone = new AbortController()
    const reason = new Error('the caller has gone')
    await begun()
    world.script = ({ url }, response) => {
      if (url !== '/token') return false
      gone.abort(reason)
      response.destroy()
      return true
    }
    await expect(world.signIn.renew(place(), 'old', gone.signal)).rejects.toBe(reason)
  })
})
