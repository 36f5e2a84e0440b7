import { kubeConnector } from '../../../actors/kube/connector.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import { startContainerManagement } from '../../../playground/container-management/container-management.js'
import { silent } from '../../silent.js'
import { identityOf } from '../credentials.js'
import { differences } from './differences.js'
import { containerManagementConformance } from './suite.js'
import type { SourceCluster } from './target.js'

const administrator = { name: 'kubernetes-admin', groups: ['system:masters'] }
async function source(server: ApiServer): Promise<SourceCluster> {
  const kubeconfig = await server.kubeconfig(administrator)
  return {
    url: server.url,
    ca: server.certificateAuthority,
    administrator: identityOf(kubeconfig),
    kubeconfig,
  }
}

/** The embedded index is held to what the real one answers. */
containerManagementConformance(async () => {
  const host = await startApiServer({ name: 'host' })
  const clusters = [await startApiServer({ name: 'one' }), await startApiServer({ name: 'two' })] as const
  const management = await startContainerManagement({ host, connector: kubeConnector(), log: silent })
  return {
    name: 'embedded',
    url: host.url,
    ca: host.certificateAuthority,
    administrator: identityOf(await host.kubeconfig(administrator)),
    alice: identityOf(await host.kubeconfig({ name: 'alice', groups: ['developers'] })),
    sources: [await source(clusters[0]), await source(clusters[1])],
    close: async () => {
      await management.close()
      for (const server of [host, ...clusters]) await server.close()
    },
  }
}, differences)
