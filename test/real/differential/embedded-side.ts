import type { ApiServer } from '../../../playground/apiserver/server.js'
import { PropagationWorld } from '../../playground/karmada/propagation-world.js'
import { ApiClient } from '../api-client.js'
import type { Side } from './side.js'

/** Nodes as the real stack's members have them. */
const nodesOf = (member: string) =>
  [1, 2].map(number => ({ name: `${member}-node-${number}`, cpu: '16', memory: '64Gi', pods: '110' }))

const clientOf = async (server: ApiServer): Promise<ApiClient> =>
  new ApiClient({
    url: server.url,
    ca: server.certificateAuthority,
    token: await server.issueToken({ name: 'differential', groups: ['system:masters'] }, 86_400),
  })

/** The playground's Karmada with members of these names. */
export async function startEmbeddedSide(
  members: readonly string[],
): Promise<Side & { close(): Promise<void> }> {
  const nodes = Object.fromEntries(members.map(member => [member, nodesOf(member)]))
  const world = await PropagationWorld.start(members, {}, nodes)
  const control = await clientOf(world.karmada.server)
  const clients = new Map<string, ApiClient>()
  for (const [name, { server }] of world.members) clients.set(name, await clientOf(server))
  return {
    name: 'playground',
    control,
    members: clients,
    async close() {
      await Promise.all([control, ...clients.values()].map(client => client.close()))
      await world.close()
    },
  }
}
