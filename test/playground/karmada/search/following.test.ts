import { afterAll, beforeAll, expect, it } from 'vitest'
import { kubeConnector } from '../../../../actors/kube/connector.js'
import { CLUSTERS } from '../../../../karmada/objects/cluster.js'
import { remove } from '../../../../playground/client/write.js'
import { KarmadaSearch } from '../../../../playground/karmada/search/karmada-search.js'
import type { KubeApi, KubeConnector } from '../../../../ports/kube-api.js'
import { silent } from '../../../silent.js'
import { eventually } from '../../eventually.js'
import { PropagationWorld } from '../propagation-world.js'
import { register, registry, unregister } from './search-world.js'

let world: PropagationWorld
/** One beside the control plane's own, whose watches and connections are counted. */
let search: KarmadaSearch
/** The last part of the path of each watch of the control plane that is open. */
const watches: string[] = []
/** The server of each connection to a member that is open. */
const connections: string[] = []

const drop = (from: string[], one: string) => void from.splice(from.indexOf(one), 1)
const counted = (api: KubeApi): KubeApi => ({
  server: api.server,
  request: request => api.request(request),
  async *watch(request) {
    const resource = request.path.split('/').at(-1) ?? ''
    watches.push(resource)
    try {
      yield* api.watch(request)
    } finally {
      drop(watches, resource)
    }
  },
  close: () => api.close(),
})
const connector: KubeConnector = {
  ...kubeConnector(),
  connect: async (...how) => {
    const api = await kubeConnector().connect(...how)
    connections.push(api.server)
    const close = async () => {
      if (connections.includes(api.server)) drop(connections, api.server)
      await api.close()
    }
    return { ...api, request: api.request.bind(api), watch: api.watch.bind(api), close }
  },
}

beforeAll(async () => {
  world = await PropagationWorld.start(['m1', 'm2'])
  search = new KarmadaSearch({
    control: { api: counted(world.control), follow: () => undefined },
    connector,
    pass: request => world.karmada.server.pass(request),
    now: Date.now,
    log: silent,
  })
})
afterAll(async () => {
  await search.close()
  await world.close()
})

const serverOf = (name: string) => world.members.get(name)?.server.url as string
const until = (what: string, open: readonly string[], expected: readonly string[]) =>
  eventually(what, () => [...open].sort().join() === [...expected].sort().join())

it('follows Clusters and connects to members only while there is a ResourceRegistry, and to none that has left', async () => {
  search.start()
  await until('the registries to be watched', watches, ['resourceregistries'])
  expect(connections).toEqual([])
  await register(world.control, registry('r', [], ['ConfigMap']))
  await until('the Clusters to be watched', watches, ['resourceregistries', 'clusters'])
  await until('connections to both members', connections, [serverOf('m1'), serverOf('m2')])
  await remove(world.control, CLUSTERS, { name: 'm2' })
  await until('a connection to the member that is left', connections, [serverOf('m1')])
  await unregister(world.control, 'r')
  await until('the Clusters to be watched no more', watches, ['resourceregistries'])
  await until('no connection', connections, [])
})
