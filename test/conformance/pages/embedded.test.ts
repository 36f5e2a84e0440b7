import { afterAll, beforeAll, describe } from 'vitest'
import { letIn, type PlaygroundProxy, startPlaygroundProxy } from '../../http/proxy/playground-proxy.js'
import { eventually } from '../../scenarios/support/eventually.js'
import { ProxyClient } from '../../scenarios/support/proxy-client.js'
import { pagesOver } from './over-rest.js'
import { itWalksByPageTokens, type WalkedWorld } from './walks.js'

const namespace = 'default'
const maps = `/api/v1/namespaces/${namespace}/configmaps`

describe('a walk by page tokens over the embedded engines', () => {
  let playground: PlaygroundProxy
  let client: ProxyClient
  let world: WalkedWorld

  beforeAll(async () => {
    playground = await startPlaygroundProxy()
    await letIn(playground)
    const { api, instance, playground: fleet } = playground
    client = new ProxyClient({
      server: api.url,
      ca: api.certificateAuthority ?? '',
      token: fleet.tokens.admin,
    })
    const { local } = fleet.karmadas.get(instance)!.server
    world = {
      page: pagesOver(client, { instance, namespace }),
      create: async name => void (await local.request({ method: 'POST', path: maps, body: mapOf(name) })),
      remove: async name => void (await local.request({ method: 'DELETE', path: `${maps}/${name}` })),
      eventually,
    }
  })
  afterAll(async () => {
    client?.close()
    await playground?.close()
  })

  itWalksByPageTokens(() => world)
})

const mapOf = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } })
