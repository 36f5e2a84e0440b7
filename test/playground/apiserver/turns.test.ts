import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import { silent } from '../../silent.js'

let server: ApiServer
beforeAll(async () => {
  server = await startApiServer({ name: 'turns', log: silent })
})
afterAll(() => server.close())

/** Far more than a fifth of a second takes. */
const MOST_WRITES = 20_000

describe('work within the process', () => {
  it('lets sockets and timers be served in between, although nothing it waits for comes from outside', async () => {
    await nextTurn()
    let isServed = false
    setImmediate(() => {
      isServed = true
    })
    let writes = 0
    for (; writes < MOST_WRITES && !isServed; writes++)
      await server.local.request({
        method: 'POST',
        path: '/api/v1/namespaces/default/configmaps',
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${writes}`, namespace: 'default' } },
      })
    expect(writes).toBeLessThan(MOST_WRITES)
  })
})
