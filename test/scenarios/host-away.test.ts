import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Api } from '../../http/api-options.js'
import { curl } from '../http/fakes/listening.js'
import { type PlaygroundProxy, startPlaygroundProxy } from '../http/proxy/playground-proxy.js'
import { eventually } from './support/eventually.js'

let world: PlaygroundProxy
let api: Api
/** A little more than the ten seconds for which answers of the host are fresh. */
const hostGraceMs = 11_000
beforeAll(async () => {
  world = await startPlaygroundProxy()
  api = await world.another('127.0.0.1:0', { hostGraceMs })
})
afterAll(() => world.close())

const namespaces = (token: string) =>
  curl(api, `/apis/kairship.io/v1alpha1/instances/${world.instance}/proxy/api/v1/namespaces`, { token })

it('a caller who is known goes on while the host is cut off, nobody else comes in, and after the stated time nobody does', async () => {
  const { host, tokens } = world.playground
  expect((await namespaces(tokens.admin)).status).toBe(200)
  const began = performance.now()
  const mend = host.interrupt({ kind: 'refuseConnections' })
  try {
    const stranger = await host.issueToken({ name: 'stranger' }, 3_600)
    expect((await namespaces(stranger)).status).toBe(503)
    let lastSeen = began
    const refused = await eventually('the last word of the host is over', async () => {
      const sentAt = performance.now()
      const answer = await namespaces(tokens.admin)
      if (answer.status !== 200) return answer
      lastSeen = sentAt
      return undefined
    })
    expect(refused.status).toBe(503)
    // What was allowed last was asked for within the time that is stated.
    expect(lastSeen - began).toBeLessThanOrEqual(hostGraceMs)
    expect((await api.readiness()).text).toContain('[-]host failed')
  } finally {
    mend()
  }
  await eventually('the host is heard again', async () => (await namespaces(tokens.admin)).status === 200)
})
