import { afterAll, beforeAll, describe, inject } from 'vitest'
import { pagesOver } from '../../conformance/pages/over-rest.js'
import { itWalksByPageTokens, type WalkedWorld } from '../../conformance/pages/walks.js'
import type { ProxyClient } from '../../scenarios/support/proxy-client.js'
import { eventually } from '../probe.js'
import { type RealProxy, startRealProxy } from '../proxy.js'

const namespace = 'page-tokens'
const maps = `/api/v1/namespaces/${namespace}/configmaps`

describe('a walk by page tokens over a real Karmada and Clusterpedia', () => {
  let proxy: RealProxy
  let client: ProxyClient
  let world: WalkedWorld

  beforeAll(async () => {
    proxy = await startRealProxy(inject('stack'), 'page-tokens')
    const { karmada, instance } = proxy
    await karmada.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    client = proxy.api()
    world = {
      page: pagesOver(client, { instance, namespace }),
      create: async name => void (await karmada.must('POST', maps, { metadata: { name } })),
      remove: async name => void (await karmada.must('DELETE', `${maps}/${name}`)),
      eventually: (what, look) => eventually(look, what),
    }
  })
  afterAll(async () => {
    client?.close()
    await proxy?.karmada.send('DELETE', `/api/v1/namespaces/${namespace}`)
    await proxy?.close()
  })

  itWalksByPageTokens(() => world)
})
