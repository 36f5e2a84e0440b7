import { connectKube } from '../../actors/kube/connection.js'
import { parseKubeconfig } from '../../actors/kube/kubeconfig.js'
import { startMember } from '../../playground/member/member.js'
import { letIn, startPlaygroundProxy } from '../http/proxy/playground-proxy.js'
import { startServiceDoubles } from '../scenarios/support/service-doubles.js'
import { silent } from '../silent.js'
import { directly, type Target } from './target.js'

/** A playground of one instance with one member, and doubles of Prometheus and of an image registry. */
export async function startPlaygroundTarget(): Promise<Target> {
  const world = await startPlaygroundProxy()
  await letIn(world)
  const { playground, instance, member } = world
  const host = await connectKube(parseKubeconfig(playground.kubeconfigs.apiserver, { local: false }))
  const services = await startServiceDoubles(world.folder)
  const fresh = await startMember({ name: 'fresh', log: silent })
  return {
    instance,
    member,
    token: playground.tokens.admin,
    host: directly(playground.host.local),
    karmada: directly(playground.karmadas.get(instance)!.server.local),
    inMember: directly(playground.members.get(member)!.server.local),
    kubeconfig: await fresh.server.kubeconfig({ name: 'root', groups: ['system:masters'] }),
    api: { fleet: world.manager.fleet, host, ...services.options },
    prefix: 'run',
    patienceMs: 20_000,
    async close() {
      await host.close()
      await services.close()
      await fresh.close()
      await world.close()
    },
  }
}
