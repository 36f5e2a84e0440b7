import { expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { deferred } from '../fakes/deferred.js'
import { ProxyUnderTest } from './proxy-under-test.js'

const proxy = new ProxyUnderTest()

/** Sends a request, lets the server begin to stop while its caller is authenticated, and reads the answer. */
async function askWhileClosing(path: string, headers = {}) {
  const reached = deferred<void>()
  const review = deferred<object>()
  proxy.api.host.script = ({ path }) => {
    if (!path.endsWith('/tokenreviews')) return undefined
    reached.resolve(undefined)
    return review.promise
  }
  const answer = proxy.ask(path, { headers })
  await reached.promise
  const closed = proxy.api.running.close()
  await waitFor(async () => expect((await proxy.api.running.readiness()).ready).toBe(false))
  review.resolve({ status: { authenticated: true, user: { username: 'admin' } } })
  const { status, text } = await answer
  await closed
  return { status, text, sent: proxy.upstream.requests.length }
}

it('a watch that was authorized during the stop is refused, and never reaches the instance', async () => {
  const { status, text, sent } = await askWhileClosing('/north/proxy/api/v1/pods?watch=true')
  expect([status, sent]).toEqual([503, 0])
  expect(text).toContain('the server is shutting down')
})

it('an upgrade that was authorized during the stop is refused, and never reaches the instance', async () => {
  const headers = { connection: 'Upgrade', upgrade: 'websocket' }
  const exec = '/north/proxy/api/v1/namespaces/a/pods/x/exec'
  const { status, text, sent } = await askWhileClosing(exec, headers)
  expect([status, sent]).toEqual([503, 0])
  expect(text).toContain('the server is shutting down')
})

it('a stream of the management API that was authorized during the stop is refused', async () => {
  const { status, text } = await askWhileClosing(':watch')
  expect(status).toBe(503)
  expect(text).toContain('the server is shutting down: resume with the last token')
})

it('a short request that was authorized during the stop is answered', async () => {
  expect(await askWhileClosing('/north/proxy/api/v1/pods')).toMatchObject({ status: 200, sent: 1 })
})
